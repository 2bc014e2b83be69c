//! Proof files, decoded and verified.

#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| {
    traceloom_harness::inputs::proof_decode_verify(bytes);
});
