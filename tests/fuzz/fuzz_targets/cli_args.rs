//! Arguments of the command line.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    traceloom_harness::inputs::cli_args(bytes);
});
