//! shadowkey
