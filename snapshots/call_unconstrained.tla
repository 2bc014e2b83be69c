program "call_unconstrained"

fn main(a) -> 1 entry {
  r = call_unconstrained guess(a)
  p = mul r, r
  assert_eq p, a, "a root"
  return r
}

fn guess(a) -> 1 unconstrained {
  two = const 2
  return two
}

end
