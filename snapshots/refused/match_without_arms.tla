program "x"

fn main(a) -> 1 entry {
  match a {
  }
}

end
