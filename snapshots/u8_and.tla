program "u8_and"

fn main(a, b) -> 1 entry {
  r0 = u8_and a, b
  return r0
}

end
