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

// The sink of the quotient.
template <uint32_t D>
struct ConstraintSink {
  const Constraints &a;
  const PackRows &rows;
  GroupFold<D> fold;
  Dot sum[TAPE_ROWS][D];
  Ext<D> current[TAPE_ROWS];  // A of the next group
  Pack is_last;
  uint64_t group;

  TL_DEVICE ConstraintSink(const Constraints &a, const PackRows &rows, const Pack &is_last)
      : a(a), rows(rows), fold(a.rows), is_last(is_last), group(0) {
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      current[i] = a.num_groups == 0 ? ext_zero<D>() : column(0, rows.row[i]);
      const Ext<D> first = a.num_groups == 0
                               ? ext_zero<D>()
                               : current[i] * shared_element<D>(a.alphas, a.num_constraints);
      TL_UNROLL
      for (uint32_t k = 0; k < D; ++k) {
        sum[i][k] = dot_of(first.c[k] * rows.is_first.row[i]);
      }
    }
  }

  TL_DEVICE Ext<D> folded(uint32_t i) const {
    Ext<D> result;
    TL_UNROLL
    for (uint32_t k = 0; k < D; ++k) {
      result.c[k] = reduced(sum[i][k]);
    }
    return result;
  }

  TL_DEVICE Ext<D> column(uint64_t of_group, uint64_t row) const {
    return ext_load<D>(a.stage_two + of_group * D * a.stage_two_stride + row,
                       a.stage_two_stride);
  }

  TL_DEVICE void constraint(uint32_t index, const Pack &value) {
    const Ext<D> power = shared_element<D>(a.alphas, index);
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      TL_UNROLL
      for (uint32_t k = 0; k < D; ++k) {
        add_product(sum[i][k], power.c[k], value.row[i]);
      }
    }
  }

  TL_DEVICE void argument(uint32_t index, const Pack &value) { fold.argument(index, value); }

  TL_DEVICE void lookup(uint32_t flags, const Pack &multiplicity) {
    if (!fold.lookup(flags, multiplicity)) {
      return;
    }
    ++group;
    const Ext<D> power = shared_element<D>(a.alphas, a.num_constraints + group);
    const bool is_end = group == a.num_groups;
    const Ext<D> terminal = shared_element<D>(a.terminal, 0);
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      const Ext<D> next = is_end ? column(0, rows.next[i]) + terminal * is_last.row[i]
                                 : column(group, rows.row[i]);
      const Ext<D> step = next - current[i];
      const Ext<D> term = power * (fold.denominator[i] * step - fold.numerator[i]);
      TL_UNROLL
      for (uint32_t k = 0; k < D; ++k) {
        add_to(sum[i][k], term.c[k]);
      }
      current[i] = next;
    }
  }
};

// Fills in a row of the domain; gives the last-row selector.
TL_DEVICE Gl set_row(const Constraints &a, uint64_t row, uint32_t i, PackRows &rows) {
  const uint32_t log_height = uint32_t(a.rows.log_height), log_slices = uint32_t(a.log_slices);
  const uint32_t log_size = log_height + log_slices;
  const uint64_t natural = reverse_bits(uint32_t(row), log_size);
  const uint64_t after = (natural + (uint64_t(1) << log_slices)) & (a.rows.num_rows - 1);
  rows.row[i] = row;
  rows.next[i] = reverse_bits(uint32_t(after), log_size);
  const Gl x = gl(7) * root_power(a.rows.roots, natural);
  const Gl from_first = x - gl(1), from_last = x - gl(shared_word(a.rows.roots, 32));
  const Gl vanishing = gl(shared_word(a.vanishing, row >> log_height));
  const Gl both = vanishing * inverse_or_zero(from_first * from_last);
  rows.is_first.row[i] = both * from_last;
  rows.is_transition.row[i] = from_last;
  return both * from_first * gl(a.last_scale);
}

template <uint32_t D, class Registers>
TL_DEVICE void write_values(const Constraints &a, uint64_t begin, uint32_t thread) {
  const uint32_t log_height = uint32_t(a.rows.log_height);
  PackRows rows;
  Pack is_last;
  TL_UNROLL
  for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
    const uint64_t index = begin + i * TAPE_THREADS + thread;
    is_last.row[i] = set_row(a, index & (a.rows.num_rows - 1), i, rows);
  }
  Registers registers(a.rows, block_index() * TAPE_THREADS + thread);
  ConstraintSink<D> sink(a, rows, is_last);
  TapeMachine<Registers> machine{a.rows, rows, registers, Pack{}};
  machine.run(sink);
  TL_UNROLL
  for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
    if (begin + i * TAPE_THREADS + thread < a.rows.num_rows) {
      const uint64_t part = rows.row[i] >> log_height;
      const uint64_t low = rows.row[i] & ((uint64_t(1) << log_height) - 1);
      const uint32_t at = reverse_bits(uint32_t(low), log_height);
      const Gl inverse = gl(shared_word(a.vanishing, (uint64_t(1) << a.log_slices) + part));
      ext_store(a.to + part * D * a.to_stride + at, a.to_stride, sink.folded(i) * inverse);
    }
  }
}

template <uint32_t D, class Registers>
TL_DEVICE void write_quotient(const Constraints &a) {
  const uint64_t num_rows = a.rows.num_rows, step = a.rows.num_blocks * CHUNK_ROWS;
  for (uint64_t begin = block_index() * CHUNK_ROWS; begin < num_rows; begin += step) {
    phase([=](uint32_t thread) { write_values<D, Registers>(a, begin, thread); });
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
