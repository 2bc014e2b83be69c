program "io_read"

fn main(i) -> 1 entry {
  c = const 0
  a, b, d = io_read c, i
  s = add a, d
  return s
}

end
