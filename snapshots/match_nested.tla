program "match_nested"

fn main(a, b) -> 1 entry {
  x = match_continue a {
    case 3 {
      y = match_continue b {
        case 0 { yield a }
        default {
          p = mul a, b
          yield p
        }
      }
      q = mul y, y
      yield q
    }
    default {
      match b {
        case 9 { yield a }
        default { return b }
      }
    }
  }
  z = mul x, b
  return z
}

end
