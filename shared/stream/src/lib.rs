//! shadowkey-stream
