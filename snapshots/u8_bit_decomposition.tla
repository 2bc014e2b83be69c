program "u8_bit_decomposition"

fn main(a) -> 1 entry {
  r0, r1, r2, r3, r4, r5, r6, r7 = u8_bit_decomposition a
  return r0
}

end
