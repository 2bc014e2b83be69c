program "m"
fn f() -> 0 e f();;;;;;;;;;;;;;;n f(x) ndom"
memory 1, 3
circuit f0
circuit f1
circuit make
ci;;;;;;;;;;;;;;;;;;;;;;;;69414581
  ret
