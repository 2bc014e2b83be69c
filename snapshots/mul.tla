program "mul"

fn main(a, b) -> 1 entry {
  p = mul a, b
  return p
}

end
