program "u32_to_field"

fn main(a, b, c, d) -> 1 entry {
  w = u32_to_field a, b, c, d
  return w
}

end
