//! The forms of a program: what one writes the other reads, and nothing else
//! is read.

mod deep;
mod json;
mod numbers;
mod samples;
mod text;
