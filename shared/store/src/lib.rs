//! shadowkey-store
