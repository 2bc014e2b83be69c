//! Which memory begins as what: eights, eight bytes each at a multiple of 8. Those that hold bytes
//! of the file are the image; all others of mapped pages are zero, in regions.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use traceloom_riscv::Program;
use traceloom_riscv::memory::PAGE_BYTES;

/// Bytes of a region at most. No region crosses a multiple of this. So its eights have fewer than
/// 2^16 places, and one word is high for all of its addresses.
const REGION_BYTES: u64 = 8 << 15;

/// The addresses of all eights with bytes of the file, in order.
pub(super) fn image(program: &Program) -> Vec<u64> {
    let mut all = BTreeSet::new();
    for segment in program.segments().iter().filter(|segment| !segment.bytes.is_empty()) {
        let last = segment.address + (segment.bytes.len() as u64 - 1);
        all.extend((segment.address / 8..=last / 8).map(|eight| 8 * eight));
    }
    all.into_iter().collect()
}

/// Eight bytes before the execution.
pub(super) fn initial(program: &Program, address: u64) -> [u8; 8] {
    let mut page = [0; PAGE_BYTES];
    program.fill(address / PAGE_BYTES as u64, &mut page);
    let start = (address % PAGE_BYTES as u64) as usize;
    [0, 1, 2, 3, 4, 5, 6, 7].map(|i| page[start + i])
}

/// Regions of zeros: first and last address of their eights, in order.
pub(super) fn regions(program: &Program) -> Vec<RangeInclusive<u64>> {
    let page = PAGE_BYTES as u64;
    let mut mapped: Vec<(u64, u64)> = Vec::new();
    for region in program.regions() {
        match mapped.last_mut() {
            // Segments may share a page.
            Some((_, last)) if region.first <= *last => *last = (*last).max(region.last),
            _ => mapped.push((region.first, region.last)),
        }
    }
    let image = image(program);
    let mut regions = Vec::new();
    for (first, last) in mapped {
        // The last eight, so that the end of all addresses is none.
        let (mut start, last) = (first * page, last * page + (page - 8));
        let within =
            image.partition_point(|&at| at < start)..image.partition_point(|&at| at <= last);
        for &taken in &image[within] {
            if start < taken {
                push(&mut regions, start, taken - 8);
            }
            start = taken.wrapping_add(8);
        }
        if start != 0 && start <= last || first == 0 && start == 0 {
            push(&mut regions, start, last);
        }
    }
    regions
}

/// Pushes eights from `first` to `last`, region by region.
fn push(regions: &mut Vec<RangeInclusive<u64>>, mut first: u64, last: u64) {
    loop {
        let end = last.min(first / REGION_BYTES * REGION_BYTES + (REGION_BYTES - 8));
        regions.push(first..=end);
        if end == last {
            return;
        }
        first = end + 8;
    }
}
