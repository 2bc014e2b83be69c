program "u8_xor_split4"

fn main(a, b) -> 1 entry {
  r0, r1 = u8_xor_split4 a, b
  return r0
}

end
