program "hint_inverse"

fn main(a) -> 1 entry {
  i = hint_inverse a
  one = mul i, a
  return one
}

end
