program "u8_sub"

fn main(a, b) -> 1 entry {
  r0, r1 = u8_sub a, b
  return r0
}

end
