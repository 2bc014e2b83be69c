program "x"

fn main(v0, v1, v2) -> 5000 entry {
  return v0
}

end
