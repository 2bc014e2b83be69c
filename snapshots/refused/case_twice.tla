program "x"

fn main(a) -> 1 entry {
  match a {
    case 1 { return a }
    case 1 { return a }
  }
}

end
