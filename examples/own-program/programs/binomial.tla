program "binomial"

; binomial(n, k) is the number of ways to choose k of n things, modulo p. It takes k at most n.
fn binomial(n, k) -> 1 entry {
  match k {
    case 0 {
      one = const 1
      return one
    }
    default {
      rest = sub n, k
      match rest {
        case 0 {
          one = const 1
          return one
        }
        default {
          one = const 1
          m = sub n, one
          j = sub k, one
          with = call binomial(m, j)
          without = call binomial(m, k)
          all = add with, without
          return all
        }
      }
    }
  }
}

end
