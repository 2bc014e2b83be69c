// Transforms over the high digit of columns of 2^13 to 2^24 words.
#include "columns.cuh"

#define TL_COLUMNS(LOG)                                                               \
  TL_BLOCK_KERNEL(256, 3) tl_inverse_columns_##LOG(const traceloom::Columns a) {      \
    traceloom::inverse_columns<LOG>(a);                                               \
  }                                                                                   \
  TL_BLOCK_KERNEL(256, 3) tl_forward_columns_##LOG(const traceloom::Columns a) {      \
    traceloom::forward_columns<LOG>(a);                                               \
  }

TL_COLUMNS(1)
TL_COLUMNS(2)
TL_COLUMNS(3)
TL_COLUMNS(4)
TL_COLUMNS(5)
TL_COLUMNS(6)
TL_COLUMNS(7)
TL_COLUMNS(8)
TL_COLUMNS(9)
TL_COLUMNS(10)
TL_COLUMNS(11)
TL_COLUMNS(12)
