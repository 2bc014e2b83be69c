program "u8_shift_right"

fn main(a) -> 1 entry {
  r0 = u8_shift_right a
  return r0
}

end
