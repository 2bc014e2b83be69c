program "x"
memory 3

fn main(a) -> 1 entry {
  p = store a, a
  return p
}

end
