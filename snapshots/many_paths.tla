program "many_paths"

fn main(a0, a1, a2, a3, a4, a5, a6, x0) -> 1 entry {
  x1 = match_continue a0 {
    case 1 {
      p = mul x0, x0
      yield p
    }
    default { yield x0 }
  }
  x2 = match_continue a1 {
    case 1 {
      p = mul x1, x1
      yield p
    }
    default { yield x1 }
  }
  x3 = match_continue a2 {
    case 1 {
      p = mul x2, x2
      yield p
    }
    default { yield x2 }
  }
  x4 = match_continue a3 {
    case 1 {
      p = mul x3, x3
      yield p
    }
    default { yield x3 }
  }
  x5 = match_continue a4 {
    case 1 {
      p = mul x4, x4
      yield p
    }
    default { yield x4 }
  }
  x6 = match_continue a5 {
    case 1 {
      p = mul x5, x5
      yield p
    }
    default { yield x5 }
  }
  x7 = match_continue a6 {
    case 1 {
      p = mul x6, x6
      yield p
    }
    default { yield x6 }
  }
  return x7
}

end
