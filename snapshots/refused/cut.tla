program "x"

fn main(a) -> 1 entry {
  return a
