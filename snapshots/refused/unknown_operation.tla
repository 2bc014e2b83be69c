program "x"

fn main(a) -> 1 entry {
  b = frobnicate a
  return b
}

end
