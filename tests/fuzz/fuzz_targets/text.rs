//! Program text.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    traceloom_harness::inputs::text(bytes);
});
