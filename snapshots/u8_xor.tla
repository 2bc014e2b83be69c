program "u8_xor"

fn main(a, b) -> 1 entry {
  r0 = u8_xor a, b
  return r0
}

end
