//! Build script of `generated`: its units follow the programs in `trace-plans`.

use traceloom_codegen::Units;

fn main() {
    let units = Units::new("../trace-plans", "src/units");
    units.command("cargo run --package traceloom-codegen --").build();
}
