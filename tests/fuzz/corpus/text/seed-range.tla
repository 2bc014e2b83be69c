program "r"
fn f(v0..v4294967295) -> 0 entry { return }
end
