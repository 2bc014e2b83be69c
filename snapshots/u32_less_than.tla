program "u32_less_than"

fn main(a, b) -> 1 entry {
  l = u32_less_than a, b
  return l
}

end
