// The quotient of a circuit on its domain of s n points, which are the first s n rows of what
// is committed. With x the point of a row, V = x^n - 1, den, m of a group and its columns A:
//
//   Q(x) = (sum_k alpha^k C_k + alpha^c first A_0
//           + sum_g alpha^(c + 1 + g) (den_g (next_g - A_g) - m_g)) / V
//
// Row q n + i is at s_q w_n^rev(i), with s_q = 7 w_(s n)^rev(q), so V is that of its part q.
// Values are stored in natural order, rev(i), since they are transformed next: column
// q D + k has coefficient k of part q, the values of a polynomial R_q of degree below n.
//
// A part is enough to have Q modulo x^n - s_q^n, which is sum_j s_q^(n j) Q_j of the slices
// Q_j. So each R_q is moved from s_q H to H (a transform with the shift 1/s_q), and slices
// are combinations of the parts there: write_slices.
//
// Floor per row of C main columns and G groups: 8 (C + D G + D) bytes, and D words of the
// transforms and of write_slices.
#pragma once

#include "tape.cuh"

namespace traceloom {

struct Constraints {
  TapeRows rows;
  const uint64_t *stage_two;
  uint64_t stage_two_stride;
  uint64_t num_groups;
  const uint64_t *alphas;  // powers of alpha, one per constraint in folding order
  uint64_t num_constraints;  // of the system
  const uint64_t *terminal;
  const uint64_t *vanishing;  // V of each part, then their inverses
  uint64_t log_slices;
  uint64_t last_scale;  // 1/(n g)
  uint64_t *to;
  uint64_t to_stride;
};

// What a thread adds up lies in shared memory, [word][row of the chunk]: it is touched once per
// constraint and group, and the registers are for what is at work.
constexpr uint32_t DOT_LIMBS = 8, SELECTORS = 3;

TL_DEVICE uint32_t *shared_sums() {
  return reinterpret_cast<uint32_t *>(shared_words() + KIND_WORDS + SELECTORS * CHUNK_ROWS);
}

template <uint32_t D>
TL_DEVICE ExtDot<D> load_sum(uint32_t at) {
  ExtDot<D> sum;
  const uint32_t *words = shared_sums() + at;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    TL_UNROLL
    for (uint32_t i = 0; i < 5; ++i) {
      sum.c[k].even[i] = words[(DOT_LIMBS * k + i) * CHUNK_ROWS];
    }
    TL_UNROLL
    for (uint32_t i = 0; i < 3; ++i) {
      sum.c[k].odd[i] = words[(DOT_LIMBS * k + 5 + i) * CHUNK_ROWS];
    }
  }
  return sum;
}

template <uint32_t D>
TL_DEVICE void store_sum(uint32_t at, const ExtDot<D> &sum) {
  uint32_t *words = shared_sums() + at;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    TL_UNROLL
    for (uint32_t i = 0; i < 5; ++i) {
      words[(DOT_LIMBS * k + i) * CHUNK_ROWS] = sum.c[k].even[i];
    }
    TL_UNROLL
    for (uint32_t i = 0; i < 3; ++i) {
      words[(DOT_LIMBS * k + 5 + i) * CHUNK_ROWS] = sum.c[k].odd[i];
    }
  }
}

// The sink of the quotient. Of a group with denominators d_1 .. d_k and numerators m_1 .. m_k it
// needs (d_1 .. d_k) step - sum_j m_j prod_(i != j) d_i, which grows lookup by lookup:
//
//   value_j = d_j value_(j-1) - m_j before_(j-1),   before_j = d_j before_(j-1)
//
// from value_0 = step, before_0 = 1.
template <uint32_t D>
struct ConstraintSink {
  const Constraints &a;
  const PackRows &rows;
  uint32_t thread;
  MessageFold<D> fold;
  Ext<D> value[TAPE_ROWS];
  Ext<D> before[TAPE_ROWS];
  uint64_t group;

  TL_DEVICE ConstraintSink(const Constraints &a, const PackRows &rows, uint32_t thread)
      : a(a), rows(rows), thread(thread), fold(a.rows), group(0) {
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      value[i] = before[i] = ext_zero<D>();
      Ext<D> first = ext_zero<D>();
      if (a.num_groups != 0) {
        const Ext<D> power = shared_element<D>(a.alphas, a.num_constraints);
        first = column(0, rows.row[i]) * factor_of(power) * rows.selector(0, i);
      }
      store_sum<D>(at(i), ext_dot<D>(first));
    }
  }

  TL_DEVICE uint32_t at(uint32_t i) const { return i * TAPE_THREADS + thread; }

  TL_DEVICE Ext<D> folded(uint32_t i) const { return reduced(load_sum<D>(at(i))); }

  TL_DEVICE Ext<D> column(uint64_t of_group, uint64_t row) const {
    return ext_load<D>(a.stage_two + of_group * D * a.stage_two_stride + row,
                       a.stage_two_stride);
  }

  TL_DEVICE void constraint(uint32_t index, const Pack &of) {
    const Ext<D> power = shared_element<D>(a.alphas, index);
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      ExtDot<D> sum = load_sum<D>(at(i));
      add_product(sum, power, of.row[i]);
      store_sum<D>(at(i), sum);
    }
  }

  TL_DEVICE void argument(uint32_t index, const Pack &of) { fold.argument(index, of); }

  // What the column of the group grows by.
  TL_DEVICE Ext<D> step(uint32_t i) const {
    const Ext<D> current = column(group, rows.row[i]);
    if (group + 1 < a.num_groups) {
      return column(group + 1, rows.row[i]) - current;
    }
    const Ext<D> terminal = shared_element<D>(a.terminal, 0);
    return column(0, rows.next[i]) + terminal * rows.selector(2, i) - current;
  }

  TL_DEVICE void lookup(uint32_t flags, const Pack &multiplicity) {
    const bool begins = (flags & LOOKUP_BEGINS_GROUP) != 0;
    const bool ends = (flags & LOOKUP_ENDS_GROUP) != 0;
    Factor<D> power{};
    if (ends) {
      power = factor_of(shared_element<D>(a.alphas, a.num_constraints + group + 1));
    }
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      const Ext<D> denominator = reduced(fold.message[i]);
      const Factor<D> factor = factor_of(denominator);
      const Gl m = multiplicity.row[i];
      const Gl minus = flags & LOOKUP_PULLS ? m : gl(0) - m;
      if (begins) {
        ExtDot<D> sum = dot_of_product(step(i), factor);
        add_to(sum.c[0], minus);
        value[i] = reduced(sum);
        before[i] = denominator;
      } else {
        ExtDot<D> sum = dot_of_product(value[i], factor);
        add_product(sum, before[i], minus);
        value[i] = reduced(sum);
        if (!ends) {
          before[i] = before[i] * factor;
        }
      }
      if (ends) {
        ExtDot<D> sum = load_sum<D>(at(i));
        add_product(sum, value[i], power);
        store_sum<D>(at(i), sum);
      }
    }
    group += ends ? 1 : 0;
    fold.next();
  }
};

// Fills in a row of the domain.
TL_DEVICE void set_row(const Constraints &a, uint64_t row, uint32_t i, PackRows &rows) {
  const uint32_t log_height = uint32_t(a.rows.log_height), log_slices = uint32_t(a.log_slices);
  const uint32_t log_size = log_height + log_slices;
  const uint64_t natural = reverse_bits(uint32_t(row), log_size);
  const uint64_t after = (natural + (uint64_t(1) << log_slices)) & (a.rows.num_rows - 1);
  rows.row[i] = uint32_t(row);
  rows.next[i] = reverse_bits(uint32_t(after), log_size);
  const Gl x = gl(7) * root_power(a.rows.roots, natural);
  const Gl from_first = x - gl(1), from_last = x - gl(shared_word(a.rows.roots, 32));
  const Gl vanishing = gl(shared_word(a.vanishing, row >> log_height));
  const Gl both = vanishing * inverse_or_zero(from_first * from_last);
  rows.set_selector(0, i, both * from_last);
  rows.set_selector(1, i, from_last);
  rows.set_selector(2, i, both * from_first * gl(a.last_scale));
}

template <uint32_t D>
TL_DEVICE void write_values(const Constraints &a, uint64_t begin, uint32_t thread) {
  const uint32_t log_height = uint32_t(a.rows.log_height);
  PackRows rows{{}, {}, shared_words() + KIND_WORDS + thread};
  TL_UNROLL
  for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
    const uint64_t index = begin + i * TAPE_THREADS + thread;
    set_row(a, index & (a.rows.num_rows - 1), i, rows);
  }
  ConstraintSink<D> sink(a, rows, thread);
  const uint32_t slot = uint32_t(block_index()) * CHUNK_ROWS + thread;
  TapeMachine machine{a.rows, rows, shared_words(), slot, Pack{}};
  machine.run(sink);
  TL_UNROLL
  for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
    if (begin + i * TAPE_THREADS + thread < a.rows.num_rows) {
      const uint64_t part = rows.row[i] >> log_height;
      const uint32_t low = rows.row[i] & ((uint32_t(1) << log_height) - 1);
      const uint32_t at = reverse_bits(low, log_height);
      const Gl inverse = gl(shared_word(a.vanishing, (uint64_t(1) << a.log_slices) + part));
      ext_store(a.to + part * D * a.to_stride + at, a.to_stride, sink.folded(i) * inverse);
    }
  }
}

template <uint32_t D>
TL_DEVICE void write_quotient(const Constraints &a) {
  const uint64_t num_rows = a.rows.num_rows, step = a.rows.num_blocks * CHUNK_ROWS;
  uint64_t *table = shared_words();
  phase([=](uint32_t thread) {
    if (thread < NUM_KINDS) {
      write_kind(a.rows, thread, table);
    }
  });
  for (uint64_t begin = block_index() * CHUNK_ROWS; begin < num_rows; begin += step) {
    phase([=](uint32_t thread) { write_values<D>(a, begin, thread); });
  }
}

constexpr uint32_t SLICE_THREADS = 256;

struct Slices {
  const uint64_t *parts;  // column q D + k: on H in storage order
  uint64_t parts_stride;
  uint64_t *to;  // column j D + k: on H in natural order
  uint64_t to_stride;
  const uint64_t *matrix;  // slice j takes matrix[j s + q] of part q
  uint64_t num_slices;
  uint64_t degree;
  uint64_t log_height;
};

// A block has SLICE_THREADS rows of one coefficient.
TL_DEVICE void write_slices(const Slices &a) {
  const uint64_t height = uint64_t(1) << a.log_height;
  const uint64_t k = block_index() % a.degree;
  const uint64_t begin = block_index() / a.degree * SLICE_THREADS;
  phase([=](uint32_t thread) {
    const uint64_t row = begin + thread;
    if (row >= height) {
      return;
    }
    const uint64_t at = reverse_bits(uint32_t(row), uint32_t(a.log_height));
    for (uint64_t slice = 0; slice < a.num_slices; ++slice) {
      Dot sum = dot_of(gl(0));
      for (uint64_t part = 0; part < a.num_slices; ++part) {
        const Gl value = gl(a.parts[(part * a.degree + k) * a.parts_stride + at]);
        add_product(sum, gl(shared_word(a.matrix, slice * a.num_slices + part)), value);
      }
      a.to[(slice * a.degree + k) * a.to_stride + row] = reduced(sum).value;
    }
  });
}

}  // namespace traceloom
