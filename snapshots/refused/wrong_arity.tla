program "x"

fn main(a) -> 2 entry {
  b = call main(a, a)
  return b
}

end
