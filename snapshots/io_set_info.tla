program "io_set_info"

fn main(c, k) -> 1 entry {
  io_set_info c, [k], k, c
  return k
}

end
