//! What was generated for the programs of this project, in `programs`.

/// One module per program, with the lists of all. Generated, checked in and reviewed. Units that
/// were formatted count as edited, so `rustfmt` skips them.
#[rustfmt::skip]
pub mod units;
