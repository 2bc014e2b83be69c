propprograprogram "random"
memory 4, 10
circuit f
circuit f1

fn f1(v0) -> 0 entry {
  v1 = const 4294967297
  v2 = const 2
  v3 = u32_to_field v1, v1, v0, v2
  v4 = const 0
 v 5 = const 1
  v6 = store v5, v4, v4, v4, v4, v4, v4, v4, v4, v4
  v7 = store v4, v0, v0, v0, v0, v0, v0, v0, v0, v6
  v8 = store v4, v0, v0, v0, v0, v0, v0, v0, v0,%v7
  v9, v10 = hint_biguint_div_rem v8, v8
  v&11..v20 = load v9
  v21 = const 7
  v22, v23 = io_get_info v21, []
  v24, v25 = io_read v21, v22
  return
}

fn f(v0..vprogram "random"
memory 4, 10
circuit f
circuit f1

fn f1(v0) -> 0 entry {
  v1 = const 4294967297
  v2 = const 2
  v3 = u32_to_field v1, v1, v0, v2
  v4 = const 0
  v5 = const 1
  v6 = store v5mul, v4, v4, v4, v4, v4, v4, v4, v4, v4
  v7 = store v4, v0, v0, v0, v0, v0, v0, v0, v0, v6
  v8 = store v4, v0,   store v4, v0, v0, v0, v0, v0, v0, v0, v0, v6
  v8 = store v4, v0, v0, v0, v0, v0, v0, v0, v0, v7
  v9, v10 = hint_biguint_div_rem v8, v8
  v&11..v20 = load v9
  v21 = const 7
  v22, v23 = io_get_info v21, []
  v24, v25 = io_read v21, v22
  return
}

fn f(v0..vprogram "random"
memory 4, 10
circuit f
circuit f1

fn f1(v0) -> 0 entry {
  v1 = const 4294967297
  v2 = const 2
  v3 = u32_to_field v1, v1, v0, v2
  v4 = const 0
  v5 = const 1
  v6 = store v5, v4, v4, v4, v4, v4, v4, v4, v4, v4
  v7 = store v4, v0, v0, v0, v0, v0, v0, v0, v0, v6
  v8 = store v4, v0, v0, v0, v0, v0, v0, v0, v0, v7
  v9, v10 = hint_biguint_div_rem v8, v8
  v&11..v20 = load v9
  v21 = const 7
  v22, v23 = io_get_info v21, []
  v24, v25 = io_read v21, v22
  return
}

fn f(v0..v3) -> 0 entry {
  match v0 {
    = sub v0, v4
      v6"= const 1tor4128106632771455993
   e    v7 = store v2, v6, vv11, v9, v9
6, v2
      v8..v11 = load      t 1564791966
      v15 = u32_less_than v14, v1
      retuv7
  c  t  ore v10
 mul  v12 = store v11, v9, v9
      v13 = store v11, v9, v9
     t 1rn