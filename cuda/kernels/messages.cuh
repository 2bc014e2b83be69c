// Stage 2 of a circuit: column k of row r is the sum of all fractions of earlier rows and of
// the groups before k in row r; the sum of all of them is the terminal. Three launches:
//
//   write_messages  fractions from the tape, summed within their row; the sum of each row
//                   and of each chunk of 256 rows. Denominators are inverted eight groups at
//                   a time, by one inversion of the product of their norms.
//   scan_chunks     what is in front of each chunk, and the terminal; one block
//   add_rows        what is in front of each row is added to all its columns
//
// Floor per row of C main columns and G groups: 8 (C + 3 D G) bytes, since columns are
// written, read and written.
#pragma once

#include "tape.cuh"

namespace traceloom {

constexpr uint32_t PENDING = 8, GROUP_TILE = 32, SCAN_THREADS = 256;
static_assert(CHUNK_ROWS == SCAN_THREADS, "a thread of add_rows has a row of a chunk");

struct Messages {
  TapeRows rows;
  uint64_t *to;
  uint64_t to_stride;
  uint64_t *sums;    // coefficient k of row r at k * height + r
  uint64_t *chunks;  // coefficient k of chunk c at k * num_chunks + c
  uint64_t num_chunks;
  uint64_t *zero_row;      // the first row with a denominator of 0; all ones without
  uint64_t uses_selector;  // whether the tape reads the transition selector
};

TL_DEVICE void keep_least(uint64_t *place, uint64_t value) {
#if TL_ON_DEVICE
  atomicMin(reinterpret_cast<unsigned long long *>(place), (unsigned long long)(value));
#else
  *place = value < *place ? value : *place;
#endif
}

// Fractions that wait for their inverses. Apart from the sink, since what is indexed by a
// number that is not constant lies in local memory.
template <uint32_t D>
struct Pending {
  Ext<D> numerators[PENDING][TAPE_ROWS];
  Ext<D> denominators[PENDING][TAPE_ROWS];
};

// The sink of stage 2. Fractions of a group are added: n/d + m/e = (n e + m d)/(d e).
template <uint32_t D>
struct FractionSink {
  const Messages &a;
  const PackRows &rows;
  const bool (&is_stored)[TAPE_ROWS];
  MessageFold<D> fold;
  Ext<D> numerator[TAPE_ROWS];
  Ext<D> denominator[TAPE_ROWS];
  Ext<D> sum[TAPE_ROWS];
  uint64_t group;  // of the first one that is pending
  uint32_t num_pending;
  bool is_single;  // the group has one lookup so far, whose numerator is a word
  Pending<D> &pending;

  TL_DEVICE FractionSink(const Messages &a, const PackRows &rows,
                         const bool (&is_stored)[TAPE_ROWS], Pending<D> &pending)
      : a(a),
        rows(rows),
        is_stored(is_stored),
        fold(a.rows),
        group(0),
        num_pending(0),
        is_single(false),
        pending(pending) {
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      sum[i] = ext_zero<D>();
    }
  }

  TL_DEVICE void constraint(uint32_t, const Pack &) {}
  TL_DEVICE void argument(uint32_t index, const Pack &value) { fold.argument(index, value); }
  TL_DEVICE void lookup(uint32_t flags, const Pack &multiplicity) {
    const bool begins = (flags & LOOKUP_BEGINS_GROUP) != 0;
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      const Ext<D> next = reduced(fold.message[i]);
      const Gl m = multiplicity.row[i];
      const Gl sign = flags & LOOKUP_PULLS ? gl(0) - m : m;
      if (begins) {
        numerator[i] = ext_of<D>(sign);
        denominator[i] = next;
        continue;
      }
      const Factor<D> factor = factor_of(next);
      ExtDot<D> total;
      if (is_single) {
        total = ext_dot<D>(ext_zero<D>());
        add_product(total, next, numerator[i].c[0]);
      } else {
        total = dot_of_product(numerator[i], factor);
      }
      add_product(total, denominator[i], sign);
      numerator[i] = reduced(total);
      denominator[i] = denominator[i] * factor;
    }
    is_single = begins;
    fold.next();
    if ((flags & LOOKUP_ENDS_GROUP) == 0) {
      return;
    }
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      pending.numerators[num_pending][i] = numerator[i];
      pending.denominators[num_pending][i] = denominator[i];
    }
    if (++num_pending == PENDING) {
      flush();
    }
  }

  // Stores the columns of the pending groups: the sum so far, then their fractions join it.
  TL_DEVICE void flush() {
    Gl norms[PENDING][TAPE_ROWS], before[PENDING][TAPE_ROWS];
    Gl product = gl(1);
    for (uint32_t at = 0; at < num_pending; ++at) {
      TL_UNROLL
      for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
        Gl norm;
        Ext<D> &numerator = pending.numerators[at][i];
        numerator = numerator * adjugate(pending.denominators[at][i], norm);
        if (norm.value == 0) {
          keep_least(a.zero_row, rows.row[i]);
          norm = gl(1);
        }
        norms[at][i] = norm;
        before[at][i] = product;
        product = product * norm;
      }
    }
    Gl inverse = inverse_or_zero(product);
    for (uint32_t at = num_pending; at-- > 0;) {
      TL_UNROLL
      for (uint32_t i = TAPE_ROWS; i-- > 0;) {
        Ext<D> &numerator = pending.numerators[at][i];
        numerator = numerator * (inverse * before[at][i]);
        inverse = inverse * norms[at][i];
      }
    }
    for (uint32_t at = 0; at < num_pending; ++at, ++group) {
      TL_UNROLL
      for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
        if (is_stored[i]) {
          ext_store(a.to + group * D * a.to_stride + rows.row[i], a.to_stride, sum[i]);
        }
        sum[i] = sum[i] + pending.numerators[at][i];
      }
    }
    num_pending = 0;
  }
};

// The fractions of a thread's rows: columns within rows, sums of rows, and these in `totals`.
template <uint32_t D>
TL_DEVICE void write_fractions(const Messages &a, uint64_t begin, uint32_t thread,
                               uint64_t *totals) {
  const uint64_t height = a.rows.num_rows;
  const Gl back = gl(shared_word(a.rows.roots, 32));
  // The sums of the rows, selectors and the table of kinds lie side by side.
  const uint64_t *table = totals + (D + 2) * CHUNK_ROWS;
  PackRows rows{{}, {}, totals + D * CHUNK_ROWS + thread};
  bool is_stored[TAPE_ROWS];
  TL_UNROLL
  for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
    const uint64_t index = begin + i * TAPE_THREADS + thread;
    const uint64_t row = index & (height - 1);
    is_stored[i] = index < height;
    rows.row[i] = uint32_t(row);
    rows.next[i] = uint32_t(row + 1) & uint32_t(height - 1);
    if (a.uses_selector != 0) {
      rows.set_selector(0, i, gl(row == 0 ? height : 0));
      rows.set_selector(1, i, root_power(a.rows.roots, row) - back);
    }
  }
  Pending<D> pending;
  FractionSink<D> sink(a, rows, is_stored, pending);
  const uint32_t slot = uint32_t(block_index()) * CHUNK_ROWS + thread;
  TapeMachine machine{a.rows, rows, table, slot, Pack{}};
  machine.run(sink);
  sink.flush();
  TL_UNROLL
  for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
    const Ext<D> sum = is_stored[i] ? sink.sum[i] : ext_zero<D>();
    ext_store(totals + i * TAPE_THREADS + thread, CHUNK_ROWS, sum);
    if (is_stored[i]) {
      ext_store(a.sums + rows.row[i], height, sum);
    }
  }
}

template <uint32_t D>
TL_DEVICE void write_messages(const Messages &a) {
  uint64_t *totals = shared_words();
  phase([=](uint32_t thread) {
    if (thread < NUM_KINDS) {
      write_kind(a.rows, thread, totals + (D + 2) * CHUNK_ROWS);
    }
  });
  for (uint64_t chunk = block_index(); chunk < a.num_chunks; chunk += a.rows.num_blocks) {
    phase([=](uint32_t thread) {
      write_fractions<D>(a, chunk * CHUNK_ROWS, thread, totals);
    });
    phase([=](uint32_t thread) {
      if (thread < D) {
        Gl sum = gl(0);
        for (uint32_t i = 0; i < CHUNK_ROWS; ++i) {
          sum = sum + gl(totals[thread * CHUNK_ROWS + i]);
        }
        a.chunks[thread * a.num_chunks + chunk] = sum.value;
      }
    });
  }
}

struct Clear {
  uint64_t *zero_row;
};

TL_DEVICE void clear_zero_row(const Clear &a) {
  phase([=](uint32_t thread) {
    if (thread == 0) {
      *a.zero_row = ~uint64_t(0);
    }
  });
}

struct Chunks {
  uint64_t *chunks;  // sums of chunks become sums of what is in front of them
  uint64_t num_chunks;
  uint64_t *terminal;
};

template <uint32_t D>
TL_DEVICE void scan_chunks(const Chunks &a) {
  uint64_t *sums = shared_words();
  const uint64_t of_thread = (a.num_chunks + SCAN_THREADS - 1) / SCAN_THREADS;
  phase([=](uint32_t thread) {
    for (uint32_t k = 0; k < D; ++k) {
      const uint64_t *chunks = a.chunks + k * a.num_chunks;
      Gl sum = gl(0);
      for (uint64_t i = thread * of_thread; i < (thread + 1) * of_thread; ++i) {
        sum = i < a.num_chunks ? sum + gl(chunks[i]) : sum;
      }
      sums[k * SCAN_THREADS + thread] = sum.value;
    }
  });
  phase([=](uint32_t thread) {
    if (thread < D) {
      Gl sum = gl(0);
      for (uint32_t i = 0; i < SCAN_THREADS; ++i) {
        const Gl own = gl(sums[thread * SCAN_THREADS + i]);
        sums[thread * SCAN_THREADS + i] = sum.value;
        sum = sum + own;
      }
      a.terminal[thread] = sum.value;
    }
  });
  phase([=](uint32_t thread) {
    for (uint32_t k = 0; k < D; ++k) {
      uint64_t *chunks = a.chunks + k * a.num_chunks;
      Gl sum = gl(sums[k * SCAN_THREADS + thread]);
      for (uint64_t i = thread * of_thread; i < (thread + 1) * of_thread; ++i) {
        if (i < a.num_chunks) {
          const Gl own = gl(chunks[i]);
          chunks[i] = sum.value;
          sum = sum + own;
        }
      }
    }
  });
}

struct AddRows {
  uint64_t *to;
  uint64_t to_stride;
  const uint64_t *sums;
  const uint64_t *chunks;
  uint64_t num_chunks;
  uint64_t num_groups;
  uint64_t height;
};

// A block has a chunk of rows and GROUP_TILE groups.
template <uint32_t D>
TL_DEVICE void add_rows(const AddRows &a) {
  uint64_t *sums = shared_words();
  const uint64_t chunk = block_index() % a.num_chunks;
  const uint64_t first = block_index() / a.num_chunks * GROUP_TILE;
  const uint64_t begin = chunk * CHUNK_ROWS;
  phase([=](uint32_t thread) {
    for (uint32_t k = 0; k < D; ++k) {
      const uint64_t row = begin + thread;
      sums[k * CHUNK_ROWS + thread] = row < a.height ? a.sums[k * a.height + row] : 0;
    }
  });
  phase([=](uint32_t thread) {
    if (thread < D) {
      Gl sum = gl(a.chunks[thread * a.num_chunks + chunk]);
      for (uint32_t i = 0; i < CHUNK_ROWS; ++i) {
        const Gl own = gl(sums[thread * CHUNK_ROWS + i]);
        sums[thread * CHUNK_ROWS + i] = sum.value;
        sum = sum + own;
      }
    }
  });
  phase([=](uint32_t thread) {
    const uint64_t row = begin + thread;
    if (row >= a.height) {
      return;
    }
    const Ext<D> before = ext_load<D>(sums + thread, CHUNK_ROWS);
    const uint64_t end = first + GROUP_TILE < a.num_groups ? first + GROUP_TILE : a.num_groups;
    for (uint64_t group = first; group < end; ++group) {
      uint64_t *cells = a.to + group * D * a.to_stride + row;
      ext_store(cells, a.to_stride, ext_load<D>(cells, a.to_stride) + before);
    }
  });
}

}  // namespace traceloom
