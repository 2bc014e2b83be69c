program "unreachable"

fn main(a) -> 1 entry {
  return a
}

fn alone(a) -> 1 {
  b = call alone(a)
  return b
}

end
