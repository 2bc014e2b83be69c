program "c"
fn f(x) -> 1 entry {
  return x
}
