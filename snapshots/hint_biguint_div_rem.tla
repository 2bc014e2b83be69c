program "hint_biguint_div_rem"
memory 10

fn main(a, b) -> 2 entry {
  q, r = hint_biguint_div_rem a, b
  return q, r
}

end
