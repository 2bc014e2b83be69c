program "io_write"

fn main(a, b) -> 1 entry {
  c = const 1
  io_write c, a, b
  return a
}

end
