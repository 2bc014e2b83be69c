program "*/ \"; }\n\u{0}"

fn main(a) -> 1 entry {
  b = call "*/ \" fn\n\u{0}"(a)
  c = call "fn"(b)
  d = call "self"(c)
  e = call "Ab"(d)
  f = call "ab"(e)
  g = call "ab_n2"(f)
  return g
}

fn "*/ \" fn\n\u{0}"(a) -> 1 {
  return a
}

fn "fn"(a) -> 1 {
  return a
}

fn "self"(a) -> 1 {
  return a
}

fn "Ab"(a) -> 1 {
  return a
}

fn "ab"(a) -> 1 {
  return a
}

fn "ab_n2"(a) -> 1 {
  return a
}

end
