//! shadowkey-plan
