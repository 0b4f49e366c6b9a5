//! shadowkey-end-to-end
