program "x"

fn "*/ \"\n\u{0}\u{1b}[2J"(a) -> 1 entry {
  p = store a
  return p
}

end
