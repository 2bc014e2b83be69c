// What emitted evaluators read, where their values go, and how rows are folded.
//
// An evaluator is a struct with
//   static void constraints(const Cells &cells, Sink &sink)
//   static void lookups(const Cells &cells, Sink &sink)
// and a sink is a class with
//   void constraint(uint32_t index, Gl value)        in order of the system
//   void argument(uint32_t position, Gl value)       of the current lookup, in order
//   void constant(uint32_t position, uint64_t word)  an argument that never changes
//   void lookup(uint32_t index, Gl multiplicity)     ends lookup `index`
#pragma once

#include "goldilocks.cuh"

namespace traceloom {

// One row of an evaluation domain, column-major: column c of row r is
// values[c * stride + r].
struct Cells {
  const uint64_t *main_values;
  const uint64_t *fixed_values;
  const uint64_t *public_values;
  uint64_t stride;
  uint64_t row;
  uint64_t next_row;  // the row one step of the trace further
  Gl is_first_row;
  Gl is_transition;

  TL_DEVICE Gl main(uint32_t column) const { return gl(main_values[column * stride + row]); }
  TL_DEVICE Gl next(uint32_t column) const { return gl(main_values[column * stride + next_row]); }
  TL_DEVICE Gl fixed(uint32_t column) const { return gl(fixed_values[column * stride + row]); }
  TL_DEVICE Gl publics(uint32_t index) const { return gl(public_values[index]); }
};

// The row one step of the trace after row `row`, the first row after the last.
TL_DEVICE uint64_t next_row(const TlDomain &domain, uint64_t row) {
  if (domain.bit_reversed == 0) {
    return (row + domain.step) & (domain.height - 1);
  }
  // The same sum, with its carry towards the low bits.
  uint64_t bit = domain.height / (2 * domain.step);
  while ((row & bit) != 0) {
    row ^= bit;
    bit >>= 1;
  }
  return row | bit;
}

TL_DEVICE Cells cells_at(const TlDomain &domain, uint64_t row) {
  return Cells{domain.main_values,
               domain.fixed_values,
               domain.public_values,
               domain.stride,
               row,
               next_row(domain, row),
               gl(domain.is_first_row[row]),
               gl(domain.is_transition[row])};
}

// The largest degree of an extension. Loops up to it unroll, so that elements stay in
// registers.
constexpr uint32_t MAX_DEGREE = 3;

// A sum of elements of the extension.
struct Sum {
  Gl coefficients[MAX_DEGREE];

  TL_DEVICE void clear() {
    for (uint32_t k = 0; k < MAX_DEGREE; ++k) {
      coefficients[k] = gl(0);
    }
  }
  TL_DEVICE void load(const uint64_t *words, uint32_t degree) {
    clear();
    for (uint32_t k = 0; k < MAX_DEGREE; ++k) {
      if (k < degree) {
        coefficients[k] = gl(words[k]);
      }
    }
  }
  // Adds powers[index] * value.
  TL_DEVICE void add(const uint64_t *powers, uint64_t index, uint32_t degree, Gl value) {
    for (uint32_t k = 0; k < MAX_DEGREE; ++k) {
      if (k < degree) {
        coefficients[k] = coefficients[k] + gl(powers[index * degree + k]) * value;
      }
    }
  }
  TL_DEVICE void store(uint64_t *words, uint64_t stride, uint32_t degree) const {
    for (uint32_t k = 0; k < MAX_DEGREE; ++k) {
      if (k < degree) {
        words[k * stride] = coefficients[k].value;
      }
    }
  }
};

// The sink that folds constraints.
struct ConstraintFold {
  const TlEvaluation &evaluation;
  uint32_t degree;
  Sum sum;

  TL_DEVICE void constraint(uint32_t index, Gl value) {
    sum.add(evaluation.powers, index, degree, value);
  }
};

// The sink that computes messages. `at` is the position of the row in the outputs.
struct MessageFold {
  const TlEvaluation &evaluation;
  uint64_t at;
  uint32_t degree;
  Sum sum;

  TL_DEVICE void argument(uint32_t position, Gl value) {
    sum.add(evaluation.powers, position, degree, value);
  }
  TL_DEVICE void constant(uint32_t position, uint64_t word) { argument(position, gl(word)); }
  TL_DEVICE void lookup(uint32_t index, Gl multiplicity) {
    const uint64_t count = evaluation.count;
    evaluation.multiplicities[index * count + at] = multiplicity.value;
    sum.store(evaluation.folded + uint64_t(index) * degree * count + at, count, degree);
    sum.load(evaluation.shift, degree);
  }
};

// The loop over the rows of a launch: one thread per row, or one after the other.
#if TL_ON_DEVICE
#define TL_FOR_EACH_ROW(at, count)                                     \
  const uint64_t at = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; \
  if (at < (count))
#else
#define TL_FOR_EACH_ROW(at, count) for (uint64_t at = 0; at < (count); ++at)
#endif

template <class Evaluator>
TL_DEVICE void fold_constraints(const TlEvaluation &evaluation) {
  TL_FOR_EACH_ROW(at, evaluation.count) {
    ConstraintFold fold = {evaluation, uint32_t(evaluation.degree), Sum()};
    fold.sum.clear();
    Evaluator::constraints(cells_at(evaluation.domain, evaluation.first + at), fold);
    fold.sum.store(evaluation.folded + at, evaluation.count, fold.degree);
  }
}

template <class Evaluator>
TL_DEVICE void fold_messages(const TlEvaluation &evaluation) {
  TL_FOR_EACH_ROW(at, evaluation.count) {
    MessageFold fold = {evaluation, at, uint32_t(evaluation.degree), Sum()};
    fold.sum.load(evaluation.shift, fold.degree);
    Evaluator::lookups(cells_at(evaluation.domain, evaluation.first + at), fold);
  }
}

}  // namespace traceloom
