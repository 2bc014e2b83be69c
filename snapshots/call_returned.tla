program "call_returned"

fn main(a, b) -> 2 entry {
  x, y = call swap(b, a)
  return x, y
}

fn swap(a, b) -> 2 {
  return b, a
}

end
