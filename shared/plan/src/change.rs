//! What happened to one source item between two points of its stream.

use shadowkey_item::{Item, Key, Version};

/// A change of one item, from one record or from several that follow each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The item's key.
    pub key: Key,
    /// The chain: the old image, the images in between, the new image; `None` is an absent item. Never empty.
    pub chain: Vec<Option<Item>>,
    /// The version of its last record.
    pub version: Version,
    /// The place of its first record in the batch, from which a failure has the batch delivered again.
    pub position: usize,
    /// Whether a record lacked an image it should have carried, so that the chain does not tell everything.
    pub incomplete: bool,
}

impl Change {
    /// The item as the change leaves it.
    pub fn new_image(&self) -> Option<&Item> {
        self.chain.last().and_then(Option::as_ref)
    }

    /// The images of the chain that are there.
    pub fn images(&self) -> impl Iterator<Item = &Item> {
        self.chain.iter().flatten()
    }
}
