program "nothing"

fn main() -> 0 entry {
  return
}

end
