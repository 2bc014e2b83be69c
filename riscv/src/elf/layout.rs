//! Which pages exist, and what may be done with them.

use super::{LoadError, STACK_TOP, Segment, SegmentProblem};
use crate::limits::Limits;
use crate::memory::{PAGE_BYTES, Region};

/// The largest stack that [`Limits::stack`] can ask for.
const MAX_STACK: u64 = 1 << 32;

/// Something that takes addresses: a segment or the stack.
struct Taken {
    name: String,
    index: Option<usize>,
    first: u64,
    last: u64,
    is_readable: bool,
    is_writable: bool,
}

impl Taken {
    const fn first_page(&self) -> u64 {
        self.first / PAGE_BYTES as u64
    }

    const fn last_page(&self) -> u64 {
        self.last / PAGE_BYTES as u64
    }
}

/// The pages of the segments and of the stack, by address. Segments must not overlap, and those
/// that share a page must have the same permissions.
pub(super) fn regions(segments: &[Segment], limits: &Limits) -> Result<Vec<Region>, LoadError> {
    let mut taken: Vec<Taken> = segments.iter().map(of_segment).collect();
    taken.push(stack(limits));
    taken.sort_by_key(|one| one.first);
    for pair in taken.windows(2) {
        check_pair(&pair[0], &pair[1], segments)?;
    }
    let region = |one: &Taken| Region {
        first: one.first_page(),
        last: one.last_page(),
        is_readable: one.is_readable,
        is_writable: one.is_writable,
    };
    Ok(taken.iter().map(region).collect())
}

fn of_segment(segment: &Segment) -> Taken {
    Taken {
        name: format!("segment {}", segment.index),
        index: Some(segment.index),
        first: segment.address,
        last: segment.last(),
        is_readable: segment.is_readable,
        is_writable: segment.is_writable,
    }
}

fn stack(limits: &Limits) -> Taken {
    let page = PAGE_BYTES as u64;
    let size = limits.stack.clamp(page, MAX_STACK).next_multiple_of(page);
    Taken {
        name: "the stack".into(),
        index: None,
        first: STACK_TOP - size,
        last: STACK_TOP - 1,
        is_readable: true,
        is_writable: true,
    }
}

/// Checks neighbours by address.
fn check_pair(low: &Taken, high: &Taken, segments: &[Segment]) -> Result<(), LoadError> {
    // The stack cannot be moved, so the message is about the segment.
    let (index, other) = match high.index.or(low.index) {
        Some(index) if high.index.is_some() => (index, low),
        Some(index) => (index, high),
        None => return Ok(()),
    };
    let address = segments.iter().find(|segment| segment.index == index);
    let address = address.map_or(0, |segment| segment.address);
    let problem = if low.last >= high.first {
        SegmentProblem::Overlap { other: other.name.clone(), last: other.last }
    } else if low.last_page() == high.first_page() && differ(low, high) {
        let page = high.first_page() * PAGE_BYTES as u64;
        SegmentProblem::SharedPage { other: other.name.clone(), page }
    } else {
        return Ok(());
    };
    Err(LoadError::Segment { index, address, problem })
}

fn differ(low: &Taken, high: &Taken) -> bool {
    (low.is_readable, low.is_writable) != (high.is_readable, high.is_writable)
}
