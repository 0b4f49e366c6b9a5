//! shadowkey-local
