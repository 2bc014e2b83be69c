program "add"

fn main(a, b) -> 1 entry {
  s = add a, b
  return s
}

end
