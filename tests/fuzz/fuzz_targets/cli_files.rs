//! Files that the command line is given.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    traceloom_harness::inputs::cli_files(bytes);
});
