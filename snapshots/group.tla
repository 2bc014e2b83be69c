program "group"
circuit main, wide

fn main(a) -> 1 entry {
  x, y = call wide(a, a, a)
  s = add x, y
  return s
}

fn wide(a, b, c) -> 2 {
  p = mul a, b
  q = mul p, c
  return p, q
}

end
