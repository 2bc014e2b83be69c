program "c"
fn f(x) -> 1 entry {
  y = call f(x)
  return y
}
end
