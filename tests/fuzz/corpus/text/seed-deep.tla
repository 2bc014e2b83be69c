program "d"
fn f(x) -> 1 entry {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
match x {
default {
return x
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
}
end
