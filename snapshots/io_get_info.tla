program "io_get_info"

fn main(c, k) -> 1 entry {
  i, n = io_get_info c, [k]
  s = add i, n
  return s
}

end
