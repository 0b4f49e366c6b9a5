//! shadowkey-worker
