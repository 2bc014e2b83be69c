program "call"

fn main(a, b) -> 1 entry {
  q = call square(a)
  s = add q, b
  return s
}

fn square(a) -> 1 {
  p = mul a, a
  return p
}

end
