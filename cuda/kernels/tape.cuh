// Values of a circuit's expressions, one row after the other, from a tape of instructions:
// every circuit has a tape, and none has code of its own. The same instruction is at work in
// all threads, so nothing diverges, and tape, constants and powers come from the L1 as one
// word for all.
//
// A thread takes TAPE_ROWS rows that are TAPE_THREADS apart, so that the work of decoding
// is shared and loads are coalesced. An instruction is a word, low bits first:
//
//   4 operation | 3 kind of a | 3 kind of b | 16 register or index | 19 a | 19 b
//
// What an operation makes is the *last* value until another one makes the next, and is kept
// in a register only if it is read later than that. Registers lie in local memory, or in
// `registers` if there are more than LOCAL_REGISTERS: [register][row][thread]. Blocks go from
// chunk to chunk of rows, so that there are no more registers than threads at work.
//
// Floor per row: 8 bytes per column read. Beside that about 30 instructions per operation
// of two rows for decoding, and 6 (sums) to 20 (products) for each row.
#pragma once

#include "extension.cuh"

namespace traceloom {

constexpr uint32_t TAPE_THREADS = 128, TAPE_ROWS = 2, LOCAL_REGISTERS = 64;
constexpr uint32_t CHUNK_ROWS = TAPE_THREADS * TAPE_ROWS;
constexpr uint32_t NO_REGISTER = 0xffffu;

enum Operation : uint32_t {
  OP_ADD = 0,
  OP_SUB = 1,
  OP_MUL = 2,
  OP_ADD_MUL = 3,   // last + a b
  OP_SUB_MUL = 4,   // last - a b
  OP_MUL_SUB = 5,   // a b - last
  OP_FOLD = 6,      // constraint `index` is a
  OP_ARGUMENT = 7,  // argument `index` of the current lookup is a
  OP_LOOKUP = 8,    // a is the multiplicity of the current lookup; index: flags
};

// Flags of OP_LOOKUP.
constexpr uint32_t LOOKUP_PULLS = 1, LOOKUP_BEGINS_GROUP = 2, LOOKUP_ENDS_GROUP = 4;

enum Operand : uint32_t {
  FROM_REGISTER = 0,
  FROM_LAST = 1,
  FROM_MAIN = 2,
  FROM_NEXT = 3,
  FROM_FIXED = 4,
  FROM_SMALL = 5,     // the number itself
  FROM_CONSTANT = 6,  // of the tape's constants
  FROM_ROW = 7,       // 0 first-row selector, 1 transition selector, from 2 on public values
};

struct TapeRows {
  const uint64_t *instructions;
  const uint64_t *constants;
  uint64_t num_instructions;
  uint64_t *registers;  // null: local memory
  uint64_t num_blocks;  // of the launch
  const uint64_t *main;
  uint64_t main_stride;
  const uint64_t *fixed;
  uint64_t fixed_stride;
  const uint64_t *publics;
  const uint64_t *starts;  // per lookup beta and its constant arguments
  const uint64_t *gammas;  // powers of gamma
  const uint64_t *roots;   // 32 words w^(2^k), w the root of the domain; then 1/g
  uint64_t num_rows;    // of the domain
  uint64_t log_height;  // of the trace
};

// A word that all threads read and none writes.
TL_DEVICE uint64_t shared_word(const uint64_t *words, uint64_t index) {
#if TL_ON_DEVICE
  return __ldg(reinterpret_cast<const unsigned long long *>(words) + index);
#else
  return words[index];
#endif
}

template <uint32_t D>
TL_DEVICE Ext<D> shared_element(const uint64_t *words, uint64_t index) {
  Ext<D> element;
  TL_UNROLL
  for (uint32_t k = 0; k < D; ++k) {
    element.c[k] = gl(shared_word(words, index * D + k));
  }
  return element;
}

// w^exponent.
TL_DEVICE Gl root_power(const uint64_t *roots, uint64_t exponent) {
  Gl result = gl(1);
  for (uint32_t k = 0; exponent != 0; ++k, exponent >>= 1) {
    const Gl factor = gl(shared_word(roots, k));
    result = exponent & 1 ? result * factor : result;
  }
  return result;
}

// The same quantity of all rows of a thread.
struct Pack {
  Gl row[TAPE_ROWS];
};

// The rows of a thread. Those outside of the domain are other rows again, and not stored.
struct PackRows {
  uint64_t row[TAPE_ROWS];
  uint64_t next[TAPE_ROWS];
  Pack is_first;
  Pack is_transition;
};

struct LocalRegisters {
  uint64_t words[LOCAL_REGISTERS * TAPE_ROWS];

  TL_DEVICE LocalRegisters(const TapeRows &, uint64_t) {}
  TL_DEVICE uint64_t &at(uint32_t index, uint32_t row) { return words[index * TAPE_ROWS + row]; }
};

struct ScratchRegisters {
  uint64_t *words;
  uint64_t stride;

  TL_DEVICE ScratchRegisters(const TapeRows &tape, uint64_t thread)
      : words(tape.registers + thread), stride(tape.num_blocks * TAPE_THREADS) {}
  TL_DEVICE uint64_t &at(uint32_t index, uint32_t row) {
    return words[(uint64_t(index) * TAPE_ROWS + row) * stride];
  }
};

template <class Registers>
struct TapeMachine {
  const TapeRows &tape;
  const PackRows &rows;
  Registers &registers;
  Pack last;

  TL_DEVICE Pack all(uint64_t word) const {
    Pack pack;
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      pack.row[i] = gl(word);
    }
    return pack;
  }

  TL_DEVICE Pack column(const uint64_t *column, const uint64_t (&at)[TAPE_ROWS]) const {
    Pack pack;
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      pack.row[i] = gl(column[at[i]]);
    }
    return pack;
  }

  TL_DEVICE Pack operand(uint32_t kind, uint32_t index) {
    switch (kind) {
      case FROM_REGISTER: {
        Pack pack;
        TL_UNROLL
        for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
          pack.row[i] = gl(registers.at(index, i));
        }
        return pack;
      }
      case FROM_LAST:
        return last;
      case FROM_MAIN:
        return column(tape.main + index * tape.main_stride, rows.row);
      case FROM_NEXT:
        return column(tape.main + index * tape.main_stride, rows.next);
      case FROM_FIXED:
        return column(tape.fixed + index * tape.fixed_stride, rows.row);
      case FROM_SMALL:
        return all(index);
      case FROM_CONSTANT:
        return all(shared_word(tape.constants, index));
      default:
        return index == 0   ? rows.is_first
               : index == 1 ? rows.is_transition
                            : all(shared_word(tape.publics, index - 2));
    }
  }

  TL_DEVICE Pack made(uint32_t operation, const Pack &a, const Pack &b) const {
    Pack pack;
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      const Gl x = a.row[i], y = b.row[i];
      if (operation == OP_ADD) {
        pack.row[i] = x + y;
      } else if (operation == OP_SUB) {
        pack.row[i] = x - y;
      } else {
        const Gl product = x * y;
        pack.row[i] = operation == OP_MUL       ? product
                      : operation == OP_ADD_MUL ? last.row[i] + product
                      : operation == OP_SUB_MUL ? last.row[i] - product
                                                : product - last.row[i];
      }
    }
    return pack;
  }

  // Sends constraints, arguments and multiplicities to the sink, in the order of the tape.
  template <class Sink>
  TL_DEVICE void run(Sink &sink) {
    const uint64_t count = tape.num_instructions;
    uint64_t ahead = count == 0 ? 0 : shared_word(tape.instructions, 0);
    for (uint64_t at = 0; at < count; ++at) {
      const uint64_t instruction = ahead;
      ahead = at + 1 < count ? shared_word(tape.instructions, at + 1) : 0;
      const uint32_t operation = uint32_t(instruction) & 15u;
      const uint32_t index = uint32_t(instruction >> 10) & 0xffffu;
      const Pack a = operand(uint32_t(instruction >> 4) & 7u,
                             uint32_t(instruction >> 26) & 0x7ffffu);
      if (operation <= OP_MUL_SUB) {
        const Pack b = operand(uint32_t(instruction >> 7) & 7u, uint32_t(instruction >> 45));
        last = made(operation, a, b);
        if (index != NO_REGISTER) {
          TL_UNROLL
          for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
            registers.at(index, i) = last.row[i].value;
          }
        }
      } else if (operation == OP_ARGUMENT) {
        sink.argument(index, a);
      } else if (operation == OP_FOLD) {
        sink.constraint(index, a);
      } else {
        sink.lookup(index, a);
      }
    }
  }
};

// Lookups become numerators and denominators of groups, as fractions are added:
// n/d + m/e = (n e + d m)/(d e). `Sink::group(n, d)` takes those of a row's groups in order.
template <uint32_t D>
struct GroupFold {
  const TapeRows &tape;
  uint32_t lookup_index;
  Ext<D> numerator[TAPE_ROWS];
  Ext<D> denominator[TAPE_ROWS];
  Dot message[TAPE_ROWS][D];

  TL_DEVICE GroupFold(const TapeRows &tape) : tape(tape), lookup_index(0) { begin(); }

  TL_DEVICE void begin() {
    const Ext<D> start = shared_element<D>(tape.starts, lookup_index);
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      TL_UNROLL
      for (uint32_t k = 0; k < D; ++k) {
        message[i][k] = dot_of(start.c[k]);
      }
    }
  }

  TL_DEVICE void argument(uint32_t index, const Pack &value) {
    const Ext<D> power = shared_element<D>(tape.gammas, index);
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      TL_UNROLL
      for (uint32_t k = 0; k < D; ++k) {
        add_product(message[i][k], power.c[k], value.row[i]);
      }
    }
  }

  // Whether a group is complete.
  TL_DEVICE bool lookup(uint32_t flags, const Pack &multiplicity) {
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      Ext<D> next;
      TL_UNROLL
      for (uint32_t k = 0; k < D; ++k) {
        next.c[k] = reduced(message[i][k]);
      }
      const Gl m = multiplicity.row[i];
      const Gl sign = flags & LOOKUP_PULLS ? gl(0) - m : m;
      if (flags & LOOKUP_BEGINS_GROUP) {
        numerator[i] = ext_of<D>(sign);
        denominator[i] = next;
      } else {
        numerator[i] = numerator[i] * next + denominator[i] * sign;
        denominator[i] = denominator[i] * next;
      }
    }
    ++lookup_index;
    begin();
    return (flags & LOOKUP_ENDS_GROUP) != 0;
  }
};

}  // namespace traceloom
