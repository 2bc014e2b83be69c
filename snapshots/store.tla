program "store"
memory 2

fn main(a, b) -> 1 entry {
  p = store a, b
  return p
}

end
