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
// in a register only if it is read later than that. Registers lie in `registers`:
// [register][row of the chunk][block]. Blocks go from chunk to chunk of rows, so that there are
// no more registers than threads at work.
//
// All operands but *last* and selectors are words at base + index * stride + row, with base and
// stride from a table of kinds in shared memory. So nothing branches before a load, and the
// operands of an instruction are loaded while the one before it is computed. What that one
// makes is read as *last*, so no load comes too early.
//
// Floor per row: 8 bytes per column read. Beside that about 25 instructions per operand
// of two rows, and 6 (sums) to 30 (products) for each row.
#pragma once

#include "extension.cuh"

namespace traceloom {

constexpr uint32_t TAPE_THREADS = 128, TAPE_ROWS = 2;
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
  FROM_PUBLIC = 5,
  FROM_CONSTANT = 6,  // of the tape's constants
  FROM_SELECTOR = 7,  // 0 first row, 1 transition
};

// Kinds that operands are loaded by, and the words of their table.
constexpr uint32_t NUM_KINDS = 8, KIND_WORDS = 2 * NUM_KINDS;

struct TapeRows {
  const uint64_t *instructions;
  const uint64_t *constants;
  uint64_t num_instructions;
  uint64_t *registers;  // null: there are none
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
// Selectors lie in shared memory, [selector][row of the chunk], since few instructions read
// them: 0 first row, 1 transition, from 2 on what a sink has there.
struct PackRows {
  uint32_t row[TAPE_ROWS];
  uint32_t next[TAPE_ROWS];
  uint64_t *selectors;  // of the thread

  TL_DEVICE Gl selector(uint32_t index, uint32_t i) const {
    return gl(selectors[index * CHUNK_ROWS + i * TAPE_THREADS]);
  }
  TL_DEVICE void set_selector(uint32_t index, uint32_t i, Gl value) {
    selectors[index * CHUNK_ROWS + i * TAPE_THREADS] = value.value;
  }
};

// Writes base (as an address) and stride (in bytes) of a kind. `last` and selectors have those of
// the constants, and index 0 for their loads; what is loaded there is not used.
TL_DEVICE void write_kind(const TapeRows &tape, uint32_t kind, uint64_t *table) {
  const uint64_t *base = tape.instructions;
  uint64_t stride = 1;
  if (kind == FROM_REGISTER) {
    base = tape.registers == nullptr ? base : tape.registers;
    stride = tape.num_blocks * CHUNK_ROWS;
  } else if (kind == FROM_MAIN || kind == FROM_NEXT) {
    base = tape.main;
    stride = tape.main_stride;
  } else if (kind == FROM_FIXED) {
    base = tape.fixed;
    stride = tape.fixed_stride;
  } else if (kind == FROM_PUBLIC) {
    base = tape.publics;
  } else if (kind == FROM_CONSTANT) {
    base = tape.constants;
  }
  table[2 * kind] = uint64_t(base);
  table[2 * kind + 1] = 8 * stride;
}

// An instruction, and its operands as far as they are in memory.
struct Fetched {
  uint64_t word;
  Pack a, b;
};

struct TapeMachine {
  const TapeRows &tape;
  const PackRows &rows;
  const uint64_t *table;
  uint32_t slot;  // of the thread's first row among those of a register
  Pack last;

  // The words of one kind, or of no meaning.
  TL_DEVICE Pack loaded(uint32_t kind, uint32_t index) const {
    const bool is_row = kind >= FROM_MAIN && kind <= FROM_FIXED;
    const uint64_t stride = table[2 * kind + 1];
    const uint64_t base = table[2 * kind] + stride * index;
    Pack pack;
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      const uint32_t row = kind == FROM_NEXT ? rows.next[i] : rows.row[i];
      const uint32_t other = kind == FROM_REGISTER ? slot + i * TAPE_THREADS : 0;
      const uint64_t address = base + uint64_t(is_row ? row : other) * 8;
      pack.row[i] = gl(*reinterpret_cast<const uint64_t *>(address));
    }
    return pack;
  }

  TL_DEVICE Fetched fetched(uint64_t word) const {
    Fetched result{word, {}, {}};
    result.a = loaded(uint32_t(word >> 4) & 7u, uint32_t(word >> 26) & 0x7ffffu);
    if ((uint32_t(word) & 15u) <= OP_MUL_SUB) {
      result.b = loaded(uint32_t(word >> 7) & 7u, uint32_t(word >> 45));
    }
    return result;
  }

  // What was loaded, or what an operand is instead.
  TL_DEVICE Pack operand(uint32_t kind, uint32_t index, const Pack &of) const {
    Pack pack;
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      pack.row[i] = kind == FROM_LAST ? last.row[i] : of.row[i];
    }
    if (kind == FROM_SELECTOR) {
      TL_UNROLL
      for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
        pack.row[i] = rows.selector(index, i);
      }
    }
    return pack;
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
        Dot sum = dot_of_product(x, y);
        add_to(sum, operation == OP_ADD_MUL ? last.row[i] : gl(0));
        const Gl product = reduced(sum);
        pack.row[i] = operation <= OP_ADD_MUL   ? product
                      : operation == OP_SUB_MUL ? last.row[i] - product
                                                : product - last.row[i];
      }
    }
    return pack;
  }

  template <class Sink>
  TL_DEVICE void execute(const Fetched &at, Sink &sink) {
    const uint32_t operation = uint32_t(at.word) & 15u;
    const uint32_t index = uint32_t(at.word >> 10) & 0xffffu;
    // Selectors have few bits; what the index of another kind is does not matter.
    const Pack a = operand(uint32_t(at.word >> 4) & 7u, uint32_t(at.word >> 26) & 1u, at.a);
    if (operation <= OP_MUL_SUB) {
      const Pack b = operand(uint32_t(at.word >> 7) & 7u, uint32_t(at.word >> 45) & 1u, at.b);
      last = made(operation, a, b);
      if (index != NO_REGISTER) {
        uint64_t *to = tape.registers + index * (tape.num_blocks * CHUNK_ROWS) + slot;
        TL_UNROLL
        for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
          to[i * TAPE_THREADS] = last.row[i].value;
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

  // Sends constraints, arguments and multiplicities to the sink, in the order of the tape, which
  // has two words behind its last instruction.
  template <class Sink>
  TL_DEVICE void run(Sink &sink) {
    const uint64_t count = tape.num_instructions;
    if (count == 0) {
      return;
    }
    uint64_t ahead = shared_word(tape.instructions, 1);
    Fetched next = fetched(shared_word(tape.instructions, 0));
    for (uint64_t at = 0; at < count; ++at) {
      const Fetched current = next;
      next = fetched(ahead);
      ahead = shared_word(tape.instructions, at + 2 < count ? at + 2 : count);
      execute(current, sink);
    }
  }
};

// Messages of lookups: the sum of arguments times powers of gamma, one lookup after another.
template <uint32_t D>
struct MessageFold {
  const TapeRows &tape;
  uint32_t lookup_index;
  ExtDot<D> message[TAPE_ROWS];

  TL_DEVICE MessageFold(const TapeRows &tape) : tape(tape), lookup_index(0) { begin(); }

  TL_DEVICE void begin() {
    const Ext<D> start = shared_element<D>(tape.starts, lookup_index);
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      message[i] = ext_dot<D>(start);
    }
  }

  TL_DEVICE void argument(uint32_t index, const Pack &value) {
    const Ext<D> power = shared_element<D>(tape.gammas, index);
    TL_UNROLL
    for (uint32_t i = 0; i < TAPE_ROWS; ++i) {
      add_product(message[i], power, value.row[i]);
    }
  }

  TL_DEVICE void next() {
    ++lookup_index;
    begin();
  }
};

}  // namespace traceloom
