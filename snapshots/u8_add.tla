program "u8_add"

fn main(a, b) -> 1 entry {
  r0, r1 = u8_add a, b
  return r0
}

end
