program "\"); panic!(\""
circuit f1
circuit f0

fn f0(v0, v1, v2) -> 3 entry {
  match v0 {
    case 0 {
      v3 = const 255
      v4 = u8_shift_left v3
0, v4
      debug "é\u{202e}\u{feff}"
      return v4, v1, v      v5 = const 0
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
      v6..v10 = hint_u32_add3 [v1, v1, v0, v0], [v0, v0, v1, v1], [v0, v0, v1, v0]
      v11 = const 2
      return v9, v11, v9
    }
    default {
      v3 = const 1
      v4 = sub v0, v3
      v5 = sub v0, v4
      debug "é\u{202e}\u{feff}"
      return v4, v1, v0
    }
  }
}

end
