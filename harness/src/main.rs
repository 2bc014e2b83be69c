//! Soak.

fn main() {}
