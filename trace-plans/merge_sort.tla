program "merge_sort"
memory 3
circuit merge_sort, half
circuit merge
circuit sort
circuit nth

fn merge_sort(v0) -> 3 entry {
  v1 = const 4
  v2 = mul v0, v1
  v3 = const 0
  v4, v5 = io_get_info v3, []
  assert_eq v4, v3, "the input is the first thing on channel 0"
  assert_eq v5, v2, "the input is as long as claimed"
  match v0 {
    case 0 { return v3, v3, v3 }
    default {
      v6 = call sort(v3, v0)
      v7 = const 1
      io_set_info v7, [], v3, v0
      call_unconstrained publish(v6)
      v8 = sub v0, v7
      v9 = call half(v8)
      v10 = call nth(v6, v3)
      v11 = call nth(v6, v9)
      v12 = call nth(v6, v8)
      return v10, v11, v12
    }
  }
}

fn half(v0) -> 1 {
  v1..v8 = hint_field_to_bytes v0
  v9 = const 256
  v10 = mul v2, v9
  v11 = const 65536
  v12 = mul v3, v11
  v13 = add v1, v10
  v14 = add v13, v12
  assert_eq v0, v14, "lengths are below 2^24"
  v15 = u8_shift_right v1
  v16 = add v15, v15
  v17 = sub v1, v16
  v18 = u8_shift_right v2
  v19 = add v18, v18
  v20 = sub v2, v19
  v21 = u8_shift_right v3
  v22 = add v21, v21
  v23 = sub v3, v22
  v24 = const 128
  v25 = mul v20, v24
  v26 = add v15, v25
  v27 = mul v23, v24
  v28 = add v18, v27
  v29 = mul v28, v9
  v30 = mul v21, v11
  v31 = add v26, v29
  v32 = add v31, v30
  return v32
}

fn merge(v0, v1) -> 1 {
  v2, v3, v4 = load v0
  v5, v6, v7 = load v1
  match v2 {
    case 1 { return v1 }
    case 0 {
      match v5 {
        case 1 { return v0 }
        case 0 {
          v8 = u32_less_than v6, v3
          match v8 {
            case 0 {
              v9 = call merge(v4, v1)
              v10 = const 0
              v11 = store v10, v3, v9
              return v11
            }
            case 1 {
              v9 = call merge(v0, v7)
              v10 = const 0
              v11 = store v10, v6, v9
              return v11
            }
          }
        }
      }
    }
  }
}

fn sort(v0, v1) -> 1 {
  match v1 {
    case 1 {
      v2 = const 4
      v3 = mul v0, v2
      v4 = const 0
      v5..v8 = io_read v4, v3
      u8_range_check v5, v6
      u8_range_check v7, v8
      v9 = const 256
      v10 = mul v6, v9
      v11 = const 65536
      v12 = mul v7, v11
      v13 = const 16777216
      v14 = mul v8, v13
      v15 = add v5, v10
      v16 = add v15, v12
      v17 = add v16, v14
      v18 = const 1
      v19 = store v18, v4, v4
      v20 = store v4, v17, v19
      return v20
    }
    default {
      v2 = call half(v1)
      v3 = sub v1, v2
      v4 = add v0, v2
      v5 = call sort(v0, v2)
      v6 = call sort(v4, v3)
      v7 = call merge(v5, v6)
      return v7
    }
  }
}

fn nth(v0, v1) -> 1 {
  v2, v3, v4 = load v0
  v5 = const 0
  assert_eq v2, v5, "the list is long enough"
  match v1 {
    case 0 { return v3 }
    default {
      v6 = const 1
      v7 = sub v1, v6
      v8 = call nth(v4, v7)
      return v8
    }
  }
}

fn publish(v0) -> 0 unconstrained {
  v1, v2, v3 = load v0
  match v1 {
    case 1 { return }
    case 0 {
      v4 = const 1
      io_write v4, v2
      call_unconstrained publish(v3)
      return
    }
  }
}

end
