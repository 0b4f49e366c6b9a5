//! shadowkey-key-codec
