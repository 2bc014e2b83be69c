program "debug"

fn main(a) -> 1 entry {
  debug "*/ \"\n\u{0}", a
  return a
}

end
