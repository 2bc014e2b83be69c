program "square"
fn square(x) -> 1 entry {
  y = mul x, x
  return y
}
end
