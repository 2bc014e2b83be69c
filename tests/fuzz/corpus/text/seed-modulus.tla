program "m"
fn f() -> 1 entry {
  x = const 18446744069414584321
  return x
}
end
