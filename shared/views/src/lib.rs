//! shadowkey-views
