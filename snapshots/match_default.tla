program "match_default"

fn main(a) -> 1 entry {
  match a {
    default {
      p = mul a, a
      return p
    }
  }
}

end
