//! The CUDA support headers, as text.
//!
//! Emitted code includes these files by name and nothing else, so that a compiler
//! that opens no files (NVRTC) can be given all of them.

/// Name and text of each header, those that others include first.
pub const HEADERS: [(&str, &str); 6] = [
    ("device_abi.h", include_str!("../cuda/device_abi.h")),
    ("platform.cuh", include_str!("../cuda/platform.cuh")),
    ("goldilocks.cuh", include_str!("../cuda/goldilocks.cuh")),
    ("bytes.cuh", include_str!("../cuda/bytes.cuh")),
    ("launch.cuh", include_str!("../cuda/launch.cuh")),
    ("evaluate.cuh", include_str!("../cuda/evaluate.cuh")),
];
