program "x"

fn main(a) -> 1 entry {
  assert_eq a, %7
  return a
}

end
