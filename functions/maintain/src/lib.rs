//! maintain
