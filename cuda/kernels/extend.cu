// Low-degree extension of columns of up to 2^12 values, and of rows of longer columns.
#include "extend.cuh"

#define TL_EXTEND(LOG)                                                 \
  TL_BLOCK_KERNEL(256, 3) tl_extend_##LOG(const traceloom::Extend a) { \
    traceloom::extend<LOG, false>(a);                                  \
  }

TL_EXTEND(0)
TL_EXTEND(1)
TL_EXTEND(2)
TL_EXTEND(3)
TL_EXTEND(4)
TL_EXTEND(5)
TL_EXTEND(6)
TL_EXTEND(7)
TL_EXTEND(8)
TL_EXTEND(9)
TL_EXTEND(10)
TL_EXTEND(11)
TL_EXTEND(12)

TL_BLOCK_KERNEL(256, 3) tl_extend_rows(const traceloom::Extend a) {
  traceloom::extend<12, true>(a);
}

TL_BLOCK_KERNEL(256, 4) tl_extend_factors(const traceloom::Factors a) {
  traceloom::write_factors(a);
}

TL_BLOCK_KERNEL(256, 4) tl_extend_powers(const traceloom::Powers a) {
  traceloom::write_powers(a);
}
