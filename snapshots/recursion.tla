program "recursion"

fn main(n) -> 1 entry {
  match n {
    case 0 { return n }
    default {
      one = const 1
      less = sub n, one
      rest = call main(less)
      s = add rest, n
      return s
    }
  }
}

end
