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
    /// What its records lack, if anything: then only reconciling tells what is true.
    pub flaw: Option<Flaw>,
}

/// Why a change's chain or version does not tell everything; the later ones weigh more.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Flaw {
    /// A record's sequence number or stream label cannot be read; its images are whole.
    NoVersion,
    /// A record lacks an image that its event has.
    ImageMissing,
    /// A record cannot be read beyond its keys, for this reason.
    Unreadable(String),
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
