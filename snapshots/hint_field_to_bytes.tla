program "hint_field_to_bytes"

fn main(a) -> 1 entry {
  b0..b7 = hint_field_to_bytes a
  u8_range_check b0, b7
  return b1
}

end
