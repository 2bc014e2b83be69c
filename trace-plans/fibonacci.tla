program "fibonacci"

fn fibonacci(v0) -> 1 entry {
  match v0 {
    case 0 { return v0 }
    case 1 { return v0 }
    default {
      v1 = const 1
      v2 = sub v0, v1
      v3 = const 2
      v4 = sub v0, v3
      v5 = call fibonacci(v2)
      v6 = call fibonacci(v4)
      v7 = add v5, v6
      return v7
    }
  }
}

end
