//! shadowkey-store-dynamodb
