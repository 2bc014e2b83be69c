program "allow"

fn main(a) -> 1 entry {
  i = hint_inverse a
  allow "a sample of advice", i
  p = mul a, i
  return p
}

end
