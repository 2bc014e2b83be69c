//! Buses: the channels on which rows of tables exchange messages.

use traceloom_air::message::OPS_CHANNEL;

/// A channel of op tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bus {
    /// Name, for people.
    pub name: &'static str,
    /// Number among the channels of op tables.
    pub number: u32,
    /// Number of values of a message.
    pub width: usize,
}

impl Bus {
    /// The first element of its messages.
    #[must_use]
    pub const fn channel(&self) -> u64 {
        OPS_CHANNEL + self.number as u64
    }
}
