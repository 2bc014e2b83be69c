program "load"
memory 2

fn main(p) -> 1 entry {
  a, b = load p
  s = add a, b
  return s
}

end
