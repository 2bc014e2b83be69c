program "u8_range_check"

fn main(a, b) -> 1 entry {
  u8_range_check a, b
  return a
}

end
