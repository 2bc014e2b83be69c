// Stage 2: messages, inverses and sums.
#include "messages.cuh"

#define TL_MESSAGES(D)                                                          \
  TL_BLOCK_KERNEL(128, 4) tl_messages_fractions_##D(const traceloom::Messages a) { \
    traceloom::write_messages<D>(a);                                            \
  }                                                                             \
  TL_BLOCK_KERNEL(256, 1) tl_messages_chunks_##D(const traceloom::Chunks a) {   \
    traceloom::scan_chunks<D>(a);                                               \
  }                                                                             \
  TL_BLOCK_KERNEL(256, 4) tl_messages_add_##D(const traceloom::AddRows a) {     \
    traceloom::add_rows<D>(a);                                                  \
  }

TL_MESSAGES(2)
TL_MESSAGES(3)

TL_BLOCK_KERNEL(32, 1) tl_messages_clear(const traceloom::Clear a) {
  traceloom::clear_zero_row(a);
}
