program "u8_mul"

fn main(a, b) -> 1 entry {
  r0, r1 = u8_mul a, b
  return r0
}

end
