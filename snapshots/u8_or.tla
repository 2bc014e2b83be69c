program "u8_or"

fn main(a, b) -> 1 entry {
  r0 = u8_or a, b
  return r0
}

end
