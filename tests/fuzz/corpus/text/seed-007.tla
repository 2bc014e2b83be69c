program ""

fn f0(v0, v1) -> 1 entry {
  match v0 {
    case 0 {
      v2 = const 127
      v3 = u32_less_than v2, v0
      v4 = u8_shift_right v0
      return v1
    }
    default {
      v2 = const 1
      v3 = sub v0, v2
      v4 = u32_to_field v0, v1, v3, v0
      v5 = call f0(v3, v1)
      return v1
    }
  }
}

end
