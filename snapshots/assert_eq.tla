program "assert_eq"

fn main(a, b) -> 1 entry {
  assert_eq a, b, "\"*/ the \n same"
  assert_eq [a, b], [b, a]
  return a
}

end
