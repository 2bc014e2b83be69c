program "random"
memory 3

fn f1(v0, v1, v2) -> 3 entry {
  match v0 {
    case 0 {
      v3 = hint_inverse v2
      v4 = eq_zero v0
      v5 = const 11158330140891799974
      v6 = const 0
      return v5, v6, v6
    }
    default {
      v3 = const 1
      v4 = sub v0, v3
      v5 = const 81
      v6 = store v5, v0, v5
      v7, v8, v9 = load v6
      v10 = const 4294967297
      v11 = eq_zero v10
      v12 = const 3011117829
      return v2, v11, v12
    }
  }
}

fn f0(v0..v3) -> 3 entry {
  match v0 {
    case 0 {
      v4 = u8_and v0, v0
      v5 = store v0, v0, v0
      v6 = const 230
      return @1 v4, v6, v5
    }
    default {
      v4 = const 1
      v5 = sub v0, v4
      v6 = const 215
      v7 = store v6, v5, v0
      return @0 v5, v0, v7
    }
  }
}

end
