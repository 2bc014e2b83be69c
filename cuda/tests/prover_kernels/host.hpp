// Runs launches of kernels on the host, block after block, from a list of words on standard
// input; see host.rs for the list. Memory of a launch is flat, and all of it comes back.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <vector>

#include "block.cuh"
#include "columns.cu"
#include "constraints.cu"
#include "extend.cu"
#include "folding.cu"
#include "messages.cu"
#include "points.cu"
#include "queries.cu"
#include "tree.cu"

// A parameter is a structure of words; the longest has this many.
constexpr size_t MOST_WORDS = 32;

struct Parameter {
  uint64_t word[MOST_WORDS];
};

using Kernel = void (*)(const Parameter &);

template <class Argument, void (*FUNCTION)(Argument)>
void call(const Parameter &parameter) {
  static_assert(sizeof(Argument) <= sizeof(Parameter), "MOST_WORDS is too small");
  Argument argument;
  memcpy(&argument, &parameter, sizeof argument);
  FUNCTION(argument);
}

struct Entry {
  const char *name;
  Kernel kernel;
};

#define COLUMNS(LOG)                                                               \
  {"tl_inverse_columns_" #LOG, &call<traceloom::Columns, tl_inverse_columns_##LOG>}, \
      {"tl_forward_columns_" #LOG, &call<traceloom::Columns, tl_forward_columns_##LOG>}
#define STAGES(D)                                                                      \
  {"tl_messages_fractions_" #D, &call<traceloom::Messages, tl_messages_fractions_##D>},  \
      {"tl_messages_chunks_" #D, &call<traceloom::Chunks, tl_messages_chunks_##D>},      \
      {"tl_messages_add_" #D, &call<traceloom::AddRows, tl_messages_add_##D>},           \
      {"tl_constraints_values_" #D, &call<traceloom::Constraints, tl_constraints_values_##D>}
#define OPENINGS(D)                                                                    \
  {"tl_inverses_" #D, &call<traceloom::Inverses, tl_inverses_##D>},                    \
      {"tl_values_" #D, &call<traceloom::Values, tl_values_##D>},                      \
      {"tl_reduction_" #D, &call<traceloom::Reduction, tl_reduction_##D>},             \
      {"tl_fold_" #D "_1", &call<traceloom::Fold, tl_fold_##D##_1>},                   \
      {"tl_fold_" #D "_2", &call<traceloom::Fold, tl_fold_##D##_2>},                   \
      {"tl_fold_" #D "_3", &call<traceloom::Fold, tl_fold_##D##_3>},                   \
      {"tl_fold_" #D "_4", &call<traceloom::Fold, tl_fold_##D##_4>}
#define EXTEND(LOG) {"tl_extend_" #LOG, &call<traceloom::Extend, tl_extend_##LOG>}

static const Entry KERNELS[] = {
    COLUMNS(1), COLUMNS(2), COLUMNS(3), COLUMNS(4), COLUMNS(5), COLUMNS(6),
    COLUMNS(7), COLUMNS(8), COLUMNS(9), COLUMNS(10), COLUMNS(11), COLUMNS(12),
    EXTEND(0), EXTEND(1), EXTEND(2), EXTEND(3), EXTEND(4), EXTEND(5), EXTEND(6),
    EXTEND(7), EXTEND(8), EXTEND(9), EXTEND(10), EXTEND(11), EXTEND(12),
    {"tl_extend_rows", &call<traceloom::Extend, tl_extend_rows>},
    {"tl_extend_factors", &call<traceloom::Factors, tl_extend_factors>},
    {"tl_extend_powers", &call<traceloom::Powers, tl_extend_powers>},
    STAGES(2), STAGES(3),
    {"tl_messages_clear", &call<traceloom::Clear, tl_messages_clear>},
    {"tl_constraints_slices", &call<traceloom::Slices, tl_constraints_slices>},
    OPENINGS(2), OPENINGS(3),
    {"tl_value_sums", &call<traceloom::ValueSums, tl_value_sums>},
    {"tl_layer_leaves", &call<traceloom::LayerLeaves, tl_layer_leaves>},
    {"tl_gather", &call<traceloom::Gather, tl_gather>},
    {"tl_grind", &call<traceloom::Grind, tl_grind>},
    {"tl_transpose", &call<traceloom::Transposition, tl_transpose>},
    {"tl_tree_leaves", &call<traceloom::Leaves, tl_tree_leaves>},
    {"tl_tree_wide_leaves", &call<traceloom::Leaves, tl_tree_wide_leaves>},
    {"tl_tree_nodes", &call<traceloom::Nodes, tl_tree_nodes>},
};

static bool read_words(void *words, size_t count) {
  return fread(words, 8, count, stdin) == count;
}

static uint64_t read_word() {
  uint64_t word;
  if (!read_words(&word, 1)) {
    fprintf(stderr, "the list ends early\n");
    exit(2);
  }
  return word;
}

static void run_launch(const char *memory, bool is_descending) {
  char name[64] = {};
  if (!read_words(name, sizeof name / 8)) {
    exit(2);
  }
  const uint64_t blocks = read_word(), threads = read_word(), shared_bytes = read_word();
  const uint64_t num_words = read_word();
  Parameter parameter{};
  for (uint64_t i = 0; i < num_words; ++i) {
    const bool is_address = read_word() != 0;
    const uint64_t word = read_word();
    parameter.word[i] = is_address ? uint64_t(memory) + word : word;
  }
  for (const Entry &entry : KERNELS) {
    if (strcmp(entry.name, name) != 0) {
      continue;
    }
    // One allocation per block, so that a sanitizer sees what lies outside.
    for (uint64_t block = 0; block < blocks; ++block) {
      std::vector<uint64_t> shared(shared_bytes / 8, ~uint64_t(0));
      traceloom::host_block = {block, uint32_t(threads), is_descending, shared.data()};
      entry.kernel(parameter);
    }
    return;
  }
  fprintf(stderr, "there is no kernel %s\n", name);
  exit(2);
}

int main() {
  uint64_t num_words;
  while (read_words(&num_words, 1)) {
    const bool is_descending = read_word() != 0;
    std::vector<uint64_t> memory(num_words);
    if (!read_words(memory.data(), num_words)) {
      return 2;
    }
    const uint64_t num_launches = read_word();
    for (uint64_t i = 0; i < num_launches; ++i) {
      run_launch(reinterpret_cast<const char *>(memory.data()), is_descending);
    }
    if (fwrite(memory.data(), 8, num_words, stdout) != num_words) {
      return 2;
    }
    fflush(stdout);
  }
  return 0;
}
