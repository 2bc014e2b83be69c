program "sub"

fn main(a, b) -> 1 entry {
  d = sub a, b
  return d
}

end
