// What emitted evaluators read and where their values go.
//
// A sink is a class with
//   void constraint(uint32_t index, Gl value)        in order of the system
//   void argument(uint32_t position, Gl value)       of the current lookup, in order
//   void constant(uint32_t position, uint64_t word)  an argument that never changes
//   void lookup(uint32_t index, Gl multiplicity)     ends lookup `index`
#pragma once

#include "goldilocks.cuh"

namespace traceloom {

// One row of an evaluation domain, column-major: column c of row r is
// values[c * height + r].
struct Cells {
  const uint64_t *main_values;
  const uint64_t *fixed_values;
  const uint64_t *public_values;
  uint64_t height;
  uint64_t row;
  uint64_t next_row;  // the row one step of the trace further
  Gl is_first_row;
  Gl is_transition;

  TL_DEVICE Gl main(uint32_t column) const { return gl(main_values[column * height + row]); }
  TL_DEVICE Gl next(uint32_t column) const { return gl(main_values[column * height + next_row]); }
  TL_DEVICE Gl fixed(uint32_t column) const { return gl(fixed_values[column * height + row]); }
  TL_DEVICE Gl publics(uint32_t index) const { return gl(public_values[index]); }
};

}  // namespace traceloom
