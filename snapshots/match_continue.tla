program "match_continue"

fn main(a, b) -> 2 entry {
  x, y = match_continue a {
    case 0 {
      p = mul b, b
      yield p, b
    }
    case 1 {
      s = add b, b
      return s, a
    }
    default { yield b, a }
  }
  q = mul x, y
  return q, x
}

end
