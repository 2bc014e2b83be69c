program "\"); panic!(\""
circuit f1
circuit f0

fn f0;(v0, v1, v2) -> 3 entry {
  match v0 {
    case 0 {
      v3 = const 255
      v4 = u8_shift_left v3
      v5 = const 0
      return v5, v5 [v0, v0, v1, v1], [v0, v0, v1, v0]
      uit f1
circuit f0

fn f0;(v0, v1, v2) -> 3 entry {
  match v0 {
    case 0 {
      v3 = const 255
      v4 = u8_shift_left v3
      v5 = const 0
      return v5, v v5 [v0, v0, v1, v1], [v0, v0, v1, v0]
      uit f1
circuit f0

fn f0;(v0, v1, v2) -> 3 entry {
  match v0 {
    case 0 {
      v3 = const 255
      v4 = u8_shift_left v3
      v5 = co   }
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
