//! Nested JSON of another project.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    traceloom_harness::inputs::import(bytes);
});
