program "hint_u32_add"

fn main(a, b, c, d) -> 2 entry {
  s, t, u, v, carry = hint_u32_add [a, b, c, d], [d, c, b, a]
  u8_range_check s, t
  u8_range_check u, v
  return s, carry
}

end
