program "x"

fn main(a) -> 1 entry {
  b = call advice(a)
  return b
}

fn advice(a) -> 1 unconstrained {
  return a
}

end
