//! Keeps `src/units` what `programs/*.json` say.

fn main() {
    traceloom_codegen::Units::new("programs", "src/units").build();
}
