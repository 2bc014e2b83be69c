program "u8_shift_left"

fn main(a) -> 1 entry {
  r0 = u8_shift_left a
  return r0
}

end
