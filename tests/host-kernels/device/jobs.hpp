// The jobs of a kit, as written by the exporter, which owns the layouts.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <string>
#include <vector>

struct Kernel {
  std::string name;
  const void *entry;
  uint32_t seed_words;
};

// The table that is compiled with the kernels.
const std::vector<Kernel> &kernels();

// The kernels of an evaluator: constraints, lookups. Compiled likewise.
struct FoldKernels {
  std::string names[2];
  const void *entries[2];
};

const std::vector<FoldKernels> &fold_kernels();

struct Run {
  const Kernel *kernel;
  uint64_t first_row;
  uint64_t num_rows;
  uint32_t first_member_selector;
  std::vector<uint32_t> seeds;
};

enum class Detail : uint64_t { NONE, BRIEF, FULL };

struct Circuit {
  std::string name;
  uint32_t width;
  uint32_t first_selector;
  uint32_t first_auxiliary;
  const Kernel *padding;
  Detail detail;
  uint64_t num_rows;
  std::vector<uint64_t> cells;  // row by row; none if the seeds are made up
  std::vector<Run> encodings[2];
};

inline const char *const ENCODINGS[] = {"typed", "full"};

// Reads words and stops the program where the file ends early.
class Words {
 public:
  explicit Words(const char *path) {
    FILE *file = fopen(path, "rb");
    if (file == nullptr) {
      fail("a file of jobs cannot be opened");
    }
    uint64_t word;
    while (fread(&word, sizeof(word), 1, file) == 1) {
      words_.push_back(word);
    }
    fclose(file);
  }

  uint64_t next() { return *take(1); }
  std::vector<uint64_t> vector(uint64_t count) {
    const uint64_t *words = take(count);
    return std::vector<uint64_t>(words, words + count);
  }
  std::string text() {
    const uint64_t length = next();
    return std::string((const char *)take((length + 7) / 8), length);
  }
  bool at_end() const { return position_ == words_.size(); }

  [[noreturn]] static void fail(const char *message) {
    fprintf(stderr, "%s\n", message);
    exit(2);
  }

 private:
  const uint64_t *take(uint64_t count) {
    if (count > words_.size() - position_) {
      fail("a file of jobs ends early");
    }
    position_ += count;
    return words_.data() + position_ - count;
  }

  std::vector<uint64_t> words_;
  size_t position_ = 0;
};

inline Run read_run(Words &words) {
  Run run;
  run.kernel = &kernels().at(words.next());
  run.first_row = words.next();
  run.num_rows = words.next();
  run.first_member_selector = uint32_t(words.next());
  for (uint64_t word : words.vector(words.next())) {
    run.seeds.push_back(uint32_t(word));
    run.seeds.push_back(uint32_t(word >> 32));
  }
  if (run.seeds.size() != run.num_rows * run.kernel->seed_words) {
    Words::fail("seeds and rows of a run disagree");
  }
  return run;
}

inline std::vector<Circuit> read_jobs(const char *path) {
  Words words(path);
  if (words.next() != 0x00017469'6b5f6c74ull) {
    Words::fail("jobs.bin is of another version");
  }
  std::vector<Circuit> circuits(words.next());
  for (Circuit &circuit : circuits) {
    circuit.name = words.text();
    circuit.width = uint32_t(words.next());
    circuit.first_selector = uint32_t(words.next());
    circuit.first_auxiliary = uint32_t(words.next());
    circuit.padding = &kernels().at(words.next());
    circuit.detail = Detail(words.next());
    circuit.num_rows = words.next();
    circuit.cells = words.vector(circuit.num_rows * circuit.width);
    for (std::vector<Run> &runs : circuit.encodings) {
      const uint64_t count = words.next();
      for (uint64_t i = 0; i < count; ++i) {
        runs.push_back(read_run(words));
      }
    }
  }
  if (!words.at_end()) {
    Words::fail("jobs.bin goes on after its end");
  }
  return circuits;
}
