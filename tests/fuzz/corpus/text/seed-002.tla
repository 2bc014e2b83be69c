program "random"
memory 1, 2, 12
circuit f1, "é\u{202e}"

fn "é\u{202e}"(v0..v3) -> 2 entry {
  v4 = const 255
  v5 = store v3
  v6 = const 2083216277890513437
  v7 = const 1
  v8 = store v0, v5, v0, v6, v0, v6, v7, v7, v4, v7, v5, v5
  return v4, v8
}

fn f1(v0) -> 0 entry {
  match v0 {
    case 0 {
      v1 = store v0
      v2 = load v1
      v3 = store v0, v1
      v4, v5 = load v3
      return
    }
    default {
      v1 = const 1
      v2 = sub v0, v1
      return
    }
  }
}

end
