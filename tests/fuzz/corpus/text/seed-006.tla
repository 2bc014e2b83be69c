program "random"
memory 1, 3
circuit f0
circuit f1
circuit make
circuit walk

fn walk(v0) -> 1 {
  v1, v2, v3 = load v0
  match v1 {
    case 1 { return v2 }
    case 0 {
      v4 = call walk(v3)
      v5 = const 889
      v6 = mul v4, v5
      v7 = add v6, v2
      return v7
    }
  }
}

fn f1(v0) -> 3 {
  v1..v8 = hint_field_to_bytes v0
  u8_range_check v3, v0
  v9 = eq_zero v1
  match v9 {
    case 0 {
      v10 = const 128
      v11 = store v10
      v12 = store v11, v9, v9
      v13 = store v11, v9, v9
      v14 = const 3216836580506281572
      v15 = sub v1, v14
      return v7, v9, v8
    }
    default {
      v10 = const 3454146024860723550
      v11..v18 = hint_field_to_bytes v10
      debug "{} {0} %s", v14, v13
      v19 = store v2
      v20 = load v19
      v21 = const 255
      return v9, v9, v21
    }
  }
}

fn f0(v0) -> 0 entry {
  match v0 {
    case 0 { return }
    default {
      v1 = const 1
      v2 = sub v0, v1
      v3 = store v2
      v4 = u8_shift_left v0
      return
    }
  }
}

fn make(v0) -> 1 {
  match v0 {
    case 0 {
      v1 = const 1
      v2 = const 0
      v3 = store v1, v2, v2
      return v3
    }
    default {
      v1 = const 1
      v2 = sub v0, v1
      v3 = call make(v2)
      v4 = const 0
      v5 = store v4, v0, v3
      return v5
    }
  }
}

end
