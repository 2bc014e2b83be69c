program "u8_less_than"

fn main(a, b) -> 1 entry {
  r0 = u8_less_than a, b
  return r0
}

end
