program "const"

fn main(a) -> 1 entry {
  top = const 18446744069414584320
  s = add a, top
  return s
}

end
