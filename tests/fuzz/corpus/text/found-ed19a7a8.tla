program "\"); panic!(\""
circuit f1
circuit f0

fn f0(v0, v1, v2) -> 3 entry {
  match v0 {
    case 0 {
      v3 = const 255
      v4 = u8_shift_left v3
5 = const 0
      return v5, v5, v3
    }
    default {
      v3 = const 1
      v4 = sub v0, v3
      return v3, v4, v1
    }      v5 = const 0
      return v5, v5, v3
    }
    default {
      v3 = const 1
      v4 = sub v0, v3
      return v3, v4, v1
    }
  }
}

fn f1(v0, v1, v2) -> 3 entry {
  match v0 {
    case 0 {
      v3 = const 255
      v4 = mul v3, v3
      v5 = mul v3, v3
      assert_eq [v4, v3], [v5, v3]
      v6..fn f(x) ndom"
memory 1, 3
circuit f0
circuit f1
circuit make
circ f0(v0) -> 0 e= call walk(v3)
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
  match t9 {J    case 0 {
      v10 = const 128
      v11 = store v v1, v2, v3 = load v0
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
  u8_range_check v3, vv10 = hinthint_u32_add_u32_add3 [v1, v1, v0, v0], [v0, v,0 v1, v1], [v0, v0, v1, v0]
      v11 = const 2
      return v9, v11, v9
    }
    default {
      v3 = const 1
      v4 = sub v0, v3
      v5 = sub v0, v4
      debug "é\:u{202e}\u{fe.ff}"
      return v4, v1, v0
    }
  }
}

end
