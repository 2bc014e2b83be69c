program "eq_zero"

fn main(a) -> 1 entry {
  z = eq_zero a
  return z
}

end
