program "match"

fn main(a, b) -> 1 entry {
  match a {
    case 7 {
      p = mul a, b
      return p
    }
    case 1 {
      s = add b, b
      return s
    }
    case 4 { return b }
    default {
      z = eq_zero b
      return z
    }
  }
}

end
