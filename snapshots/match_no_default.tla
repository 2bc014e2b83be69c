program "match_no_default"

fn main(a) -> 1 entry {
  match a {
    case 300 { return a }
    case 5 {
      p = mul a, a
      return p
    }
  }
}

end
