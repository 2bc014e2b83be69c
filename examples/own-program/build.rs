//! Keeps `src/units` what the programs in `programs` say.

fn main() {
    traceloom_codegen::Units::new("programs", "src/units").build();
}
