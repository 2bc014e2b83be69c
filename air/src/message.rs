//! Channels and message layouts of the lookup argument.
//!
//! Layout (owned here). A message is a list of field elements:
//!
//! ```text
//! function  FUNCTION_CHANNEL, function index, [rank,] inputs…, outputs…
//! memory    MEMORY_CHANNEL, width, pointer, values…
//! byte op   its own channel, operands…, results…
//! limb      the channel of 16-bit checks, limb
//! op table  a channel from OPS_CHANNEL on, values…
//! ```
//!
//! A fingerprint pads shorter messages with zeros, so no message may be equal to another
//! one with zeros appended. None is, because the first elements fix the length:
//! channels are distinct and nonzero, a function index fixes rank, input and
//! output counts, a width fixes the number of values, and so does a channel of op
//! tables.

use crate::field::{Goldilocks, element};

/// Channel of calls and returns.
pub const FUNCTION_CHANNEL: u64 = 1;
/// Channel of stores and loads.
pub const MEMORY_CHANNEL: u64 = 2;
/// Channel of the first operation of table bytes1; the others follow.
pub const BYTES1_CHANNEL: u64 = 16;
/// Channel of the first operation of table bytes2; the others follow.
pub const BYTES2_CHANNEL: u64 = 32;

/// First of the channels that front ends of op tables number themselves.
pub const OPS_CHANNEL: u64 = 1 << 16;

/// The message of a finished query. `rank` is present exactly when the function
/// is in a recursive component of the call graph.
#[must_use]
pub fn function_message(
    function: u32,
    rank: Option<u32>,
    inputs: &[Goldilocks],
    outputs: &[Goldilocks],
) -> Vec<Goldilocks> {
    let mut message = Vec::with_capacity(3 + inputs.len() + outputs.len());
    message.push(element(FUNCTION_CHANNEL));
    message.push(element(u64::from(function)));
    message.extend(rank.map(|rank| element(u64::from(rank))));
    message.extend_from_slice(inputs);
    message.extend_from_slice(outputs);
    message
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bytes::ByteTable;

    #[test]
    fn channels_are_distinct_and_nonzero() {
        let mut channels = vec![FUNCTION_CHANNEL, MEMORY_CHANNEL];
        for table in ByteTable::ALL {
            channels.extend(table.ops().iter().map(|op| op.channel()));
        }
        assert!(!channels.contains(&0));
        let count = channels.len();
        channels.sort_unstable();
        channels.dedup();
        assert_eq!(channels.len(), count);
    }
}
