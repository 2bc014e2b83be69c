// Emitted evaluators: every word they write against the interpreted system, and their
// times beside a loop that only reads the cells.
#pragma once

#include "bench.cuh"

// Threads per block of an evaluator.
constexpr uint32_t FOLD_THREADS = 128;
constexpr int FOLD_ITERATIONS = 11;

// One of the two kernels, the order of rows, and challenges.
struct FoldPart {
  uint64_t part;
  uint64_t step;
  uint64_t bit_reversed;
  uint64_t degree;
  std::vector<uint64_t> powers;
  std::vector<uint64_t> shift;
};

struct Fold {
  FoldPart part;
  uint64_t first;
  uint64_t count;
  std::vector<uint64_t> expected;  // elements, then multiplicities
};

// Rows of a large domain that is measured.
struct Samples {
  FoldPart part;
  uint64_t height;
  std::vector<uint64_t> rows;
  std::vector<uint64_t> expected;  // row by row: elements, then multiplicities
};

struct FoldCircuit {
  std::string program;
  std::string name;
  const FoldKernels *kernels;
  uint64_t num_constraints;
  uint64_t num_lookups;
  uint64_t height;
  uint64_t main_width;
  uint64_t fixed_width;
  std::vector<uint64_t> columns;  // main, fixed, both selectors, each of `height` words
  std::vector<uint64_t> publics;
  std::vector<Fold> folds;
  std::vector<Samples> samples;

  uint64_t num_columns() const { return main_width + fixed_width + 2; }
};

inline FoldPart read_fold_part(Words &words) {
  FoldPart part;
  part.part = words.next();
  part.step = words.next();
  part.bit_reversed = words.next();
  part.degree = words.next();
  part.powers = words.vector(words.next());
  part.shift = words.vector(part.degree);
  return part;
}

inline std::vector<FoldCircuit> read_evaluators(const char *path) {
  Words words(path);
  if (words.next() != 0x00016c76'656b6c74ull) {
    Words::fail("evaluators.bin is of another version");
  }
  std::vector<FoldCircuit> circuits(words.next());
  if (circuits.size() != fold_kernels().size()) {
    Words::fail("evaluators.bin is of other kernels");
  }
  for (size_t i = 0; i < circuits.size(); ++i) {
    FoldCircuit &circuit = circuits[i];
    circuit.kernels = &fold_kernels()[i];
    circuit.program = words.text();
    circuit.name = words.text();
    circuit.num_constraints = words.next();
    circuit.num_lookups = words.next();
    circuit.height = words.next();
    circuit.main_width = words.next();
    circuit.fixed_width = words.next();
    const uint64_t num_publics = words.next();
    circuit.columns = words.vector((circuit.main_width + circuit.fixed_width) * circuit.height);
    circuit.publics = words.vector(num_publics);
    const std::vector<uint64_t> selectors = words.vector(2 * circuit.height);
    circuit.columns.insert(circuit.columns.end(), selectors.begin(), selectors.end());
    circuit.folds.resize(words.next());
    for (Fold &fold : circuit.folds) {
      fold.part = read_fold_part(words);
      fold.first = words.next();
      fold.count = words.next();
      fold.expected = words.vector(words.next());
    }
    circuit.samples.resize(words.next());
    for (Samples &samples : circuit.samples) {
      samples.part = read_fold_part(words);
      samples.height = words.next();
      samples.rows = words.vector(words.next());
      samples.expected = words.vector(words.next());
    }
  }
  if (!words.at_end()) {
    Words::fail("evaluators.bin goes on after its end");
  }
  return circuits;
}

// A domain: `columns` as in FoldCircuit, `stride` words from one to the next.
inline TlDomain domain_of(const FoldCircuit &circuit, const uint64_t *columns,
                          const uint64_t *publics, uint64_t stride, uint64_t height,
                          const FoldPart &part) {
  const uint64_t *const fixed = columns + circuit.main_width * stride;
  const uint64_t *const selectors = fixed + circuit.fixed_width * stride;
  return {columns, fixed,  publics,   selectors,        selectors + stride,
          stride,  height, part.step, part.bit_reversed};
}

// Outputs of a fold, poisoned: canary, elements, canary, multiplicities, canary.
class FoldOutputs {
 public:
  FoldOutputs(const FoldCircuit &circuit, const FoldPart &part, uint64_t count)
      : elements_((part.part == 0 ? 1 : circuit.num_lookups) * part.degree * count),
        multiplicities_(circuit.num_lookups * count),
        memory_(elements_ + multiplicities_ + 3 * CANARY) {
    memory_.fill(0xff);
  }

  uint64_t elements() const { return elements_; }
  uint64_t multiplicities() const { return multiplicities_; }
  uint64_t size() const { return memory_.size(); }
  const uint64_t *memory() const { return memory_.data(); }
  uint64_t *folded() const { return memory_.data() + CANARY; }
  uint64_t *multiplicity() const { return folded() + elements_ + CANARY; }
  std::vector<uint64_t> download() const { return memory_.download(); }

 private:
  uint64_t elements_;
  uint64_t multiplicities_;
  Buffer<uint64_t> memory_;
};

inline void launch_fold(const FoldCircuit &circuit, const FoldPart &part, TlEvaluation evaluation,
                        cudaStream_t stream = nullptr) {
  const uint64_t blocks = (evaluation.count + FOLD_THREADS - 1) / FOLD_THREADS;
  void *arguments[] = {&evaluation};
  CHECK(cudaLaunchKernel(circuit.kernels->entries[part.part], dim3(uint32_t(blocks)),
                         dim3(FOLD_THREADS), arguments, 0, stream));
}

class FoldParity {
 public:
  explicit FoldParity(const FoldCircuit &circuit)
      : circuit_(circuit),
        stride_(circuit.height + SLACK),
        host_columns_(strided(circuit)),
        columns_(host_columns_),
        publics_(circuit.publics) {}

  // Number of elements that were compared, all equal; 0 after the first difference,
  // which it prints.
  uint64_t run(bool quick) const {
    uint64_t compared = 0;
    for (const Fold &fold : circuit_.folds) {
      if (quick && fold.count == circuit_.height) {
        continue;
      }
      if (!matches(fold)) {
        return 0;
      }
      compared += fold.expected.size();
    }
    if (columns_.download() != host_columns_ || publics_.download() != circuit_.publics) {
      printf("FAIL %s: its kernels changed the cells that they read\n", circuit_.name.c_str());
      return 0;
    }
    return compared;
  }

 private:
  // Words behind each column that nobody may take for cells.
  static constexpr uint64_t SLACK = 5;

  static std::vector<uint64_t> strided(const FoldCircuit &circuit) {
    std::vector<uint64_t> cells(circuit.num_columns() * (circuit.height + SLACK), POISON);
    for (uint64_t column = 0; column < circuit.num_columns(); ++column) {
      std::copy_n(circuit.columns.begin() + column * circuit.height, circuit.height,
                  cells.begin() + column * (circuit.height + SLACK));
    }
    return cells;
  }

  bool matches(const Fold &fold) const {
    const FoldPart &part = fold.part;
    const FoldOutputs outputs(circuit_, part, fold.count);
    const Buffer<uint64_t> powers(part.powers), shift(part.shift);
    const uint64_t written = part.part == 0 ? 0 : outputs.multiplicities();
    if (fold.expected.size() != outputs.elements() + written) {
      Words::fail("evaluators.bin expects other numbers of elements");
    }
    launch_fold(circuit_, part,
                {domain_of(circuit_, columns_.data(), publics_.data(), stride_, circuit_.height,
                           part),
                 fold.first, fold.count, powers.data(), shift.data(), part.degree,
                 outputs.folded(), outputs.multiplicity()});
    CHECK(cudaDeviceSynchronize());
    // What is not written stays poison: the canaries, and the multiplicities where
    // constraints are folded.
    std::vector<uint64_t> expected(outputs.size(), POISON);
    const auto multiplicities = fold.expected.begin() + outputs.elements();
    std::copy(fold.expected.begin(), multiplicities, expected.begin() + CANARY);
    std::copy(multiplicities, fold.expected.end(),
              expected.begin() + 2 * CANARY + outputs.elements());
    const std::vector<uint64_t> found = outputs.download();
    for (uint64_t word = 0; word < found.size(); ++word) {
      if (found[word] != expected[word]) {
        printf("FAIL %s, %s, step %llu, %s, rows %llu to %llu, degree %llu: %s: expected %llu, "
               "found %llu\n",
               circuit_.name.c_str(), circuit_.kernels->names[part.part].c_str(),
               (unsigned long long)part.step, part.bit_reversed ? "bit-reversed" : "natural",
               (unsigned long long)fold.first, (unsigned long long)(fold.first + fold.count - 1),
               (unsigned long long)part.degree, place(fold, outputs, word).c_str(),
               (unsigned long long)expected[word], (unsigned long long)found[word]);
        return false;
      }
    }
    return true;
  }

  // What word `word` of the outputs is.
  static std::string place(const Fold &fold, const FoldOutputs &outputs, uint64_t word) {
    const uint64_t degree = fold.part.degree;
    const uint64_t element = word - CANARY;
    const uint64_t multiplicity = word - 2 * CANARY - outputs.elements();
    char text[128];
    if (word >= CANARY && element < outputs.elements()) {
      const uint64_t column = element / fold.count;
      snprintf(text, sizeof(text), "row %llu, coefficient %llu of element %llu",
               (unsigned long long)(fold.first + element % fold.count),
               (unsigned long long)(column % degree), (unsigned long long)(column / degree));
    } else if (word >= 2 * CANARY + outputs.elements() &&
               multiplicity < outputs.multiplicities()) {
      snprintf(text, sizeof(text), "row %llu, multiplicity %llu",
               (unsigned long long)(fold.first + multiplicity % fold.count),
               (unsigned long long)(multiplicity / fold.count));
    } else {
      snprintf(text, sizeof(text), "word %llu, outside of all outputs", (unsigned long long)word);
    }
    return text;
  }

  const FoldCircuit &circuit_;
  uint64_t stride_;
  std::vector<uint64_t> host_columns_;
  Buffer<uint64_t> columns_;
  Buffer<uint64_t> publics_;
};

// The row of the small domain that row `row` of the large one repeats; as the exporter
// computes it.
__host__ __device__ inline uint64_t tile_row(uint64_t row, uint64_t height) {
  const uint64_t hash = row * 0x9e3779b97f4a7c15ull;
  uint32_t bits = 0;
  while ((uint64_t(1) << bits) < height) {
    bits += 1;
  }
  return hash >> (64 - bits);
}

static __global__ void repeat_rows(uint64_t *cells, const uint64_t *tile, uint64_t columns,
                                   uint64_t rows, uint64_t height) {
  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x;
  const uint64_t start = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (uint64_t index = start; index < columns * rows; index += threads) {
    cells[index] = tile[index / rows * height + tile_row(index % rows, height)];
  }
}

// The limit: every main cell of a row loaded once, and one word per row stored so that
// the loads have a use.
static __global__ void read_only(const uint64_t *cells, uint64_t *sums, uint64_t rows,
                                 uint64_t width) {
  const uint64_t row = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < rows) {
    uint64_t sum = 0;
#pragma unroll 16
    for (uint64_t column = 0; column < width; ++column) {
      sum += cells[column * rows + row];
    }
    sums[row] = sum;
  }
}

static __global__ void count_poison(const uint64_t *memory, uint64_t size,
                                    unsigned long long *count) {
  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x;
  const uint64_t start = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (uint64_t index = start; index < size; index += threads) {
    if (memory[index] == POISON) {
      atomicAdd(count, 1ull);
    }
  }
}

class FoldBench {
 public:
  explicit FoldBench(const FoldCircuit &circuit)
      : circuit_(circuit),
        rows_(circuit.samples.at(0).height),
        columns_(circuit.num_columns() * rows_),
        publics_(circuit.publics),
        sums_(rows_) {
    const Buffer<uint64_t> tile(circuit.columns);
    repeat_rows<<<1024, 256>>>(columns_.data(), tile.data(), circuit.num_columns(), rows_,
                               circuit.height);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }

  // Whether all measured kernels wrote what they should.
  bool run() {
    std::vector<Side> sides = {{"read_only", [this](cudaStream_t stream) {
                                  read_only<<<uint32_t((rows_ + 255) / 256), 256, 0, stream>>>(
                                      columns_.data(), sums_.data(), rows_, circuit_.main_width);
                                }}};
    bool ok = sums_match(sides[0]);
    std::vector<Buffer<uint64_t>> challenges;
    std::vector<FoldOutputs> outputs;
    outputs.reserve(circuit_.samples.size());
    for (const Samples &samples : circuit_.samples) {
      const FoldPart &part = samples.part;
      challenges.emplace_back(part.powers);
      const uint64_t *const powers = challenges.back().data();
      challenges.emplace_back(part.shift);
      const uint64_t *const shift = challenges.back().data();
      outputs.emplace_back(circuit_, part, rows_);
      const TlEvaluation evaluation = {
          domain_of(circuit_, columns_.data(), publics_.data(), rows_, rows_, part),
          0,
          rows_,
          powers,
          shift,
          part.degree,
          outputs.back().folded(),
          outputs.back().multiplicity()};
      const std::string name = part.part == 0 ? "constraints" : "lookups";
      sides.push_back({name + (part.bit_reversed ? "_bit_reversed" : "_natural"),
                       [=, &samples](cudaStream_t stream) {
                         launch_fold(circuit_, samples.part, evaluation, stream);
                       }});
      ok = samples_match(samples, outputs.back(), sides.back()) && ok;
    }
    measure(sides, stream_, 1, FOLD_ITERATIONS);
    const double bytes = double(circuit_.main_width) * double(rows_) * 8;
    figure("columns", double(circuit_.main_width), "columns");
    figure("num_constraints", double(circuit_.num_constraints), "constraints");
    figure("num_lookups", double(circuit_.num_lookups), "lookups");
    for (const Side &side : sides) {
      print_times(circuit_.name, rows_, side);
      figure(side.name + "_rate", bytes / side.median() / 1e6, "GB/s");
      figure(side.name + "_of_limit", sides[0].median() / side.median(), "fraction");
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      const bool is_lookups = circuit_.samples[i].part.part != 0;
      const uint64_t words = outputs[i].elements() + (is_lookups ? outputs[i].multiplicities() : 0);
      figure(sides[i + 1].name + "_written", double(words) * 8, "bytes");
    }
    return ok;
  }

 private:
  void figure(const std::string &figure, double value, const char *unit) const {
    print_figure(circuit_.name, rows_, figure, value, unit);
  }

  void run_once(const Side &side) const {
    CHECK(cudaDeviceSynchronize());
    side.work(stream_);
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
  }

  bool sums_match(const Side &side) const {
    sums_.fill(0xff);
    run_once(side);
    std::vector<uint64_t> expected(circuit_.height, 0);
    for (uint64_t cell = 0; cell < circuit_.main_width * circuit_.height; ++cell) {
      expected[cell % circuit_.height] += circuit_.columns[cell];
    }
    const std::vector<uint64_t> found = sums_.download();
    for (uint64_t row = 0; row < rows_; ++row) {
      if (found[row] != expected[tile_row(row, circuit_.height)]) {
        printf("FAIL %s, %s: row %llu\n", circuit_.name.c_str(), side.name.c_str(),
               (unsigned long long)row);
        return false;
      }
    }
    return true;
  }

  // The sampled rows are right, every other element is there, and nothing else is
  // written: no element is poison.
  bool samples_match(const Samples &samples, const FoldOutputs &outputs, const Side &side) const {
    run_once(side);
    const uint64_t multiplicities = samples.part.part == 0 ? 0 : outputs.multiplicities();
    const uint64_t untouched = outputs.size() - outputs.elements() - multiplicities;
    const Buffer<unsigned long long> poison(std::vector<unsigned long long>{0});
    count_poison<<<1024, 256>>>(outputs.memory(), outputs.size(), poison.data());
    CHECK(cudaGetLastError());
    const unsigned long long count = poison.download()[0];
    if (count != untouched) {
      printf("FAIL %s, %s: %llu words are unwritten, expected %llu\n", circuit_.name.c_str(),
             side.name.c_str(), count, (unsigned long long)untouched);
      return false;
    }
    const std::vector<uint64_t> found = outputs.download();
    const uint64_t elements = outputs.elements() / rows_;
    const uint64_t words = elements + multiplicities / rows_;
    if (samples.expected.size() != samples.rows.size() * words) {
      Words::fail("evaluators.bin expects other numbers of sampled elements");
    }
    for (size_t sample = 0; sample < samples.rows.size(); ++sample) {
      for (uint64_t word = 0; word < words; ++word) {
        const uint64_t row = samples.rows[sample];
        const uint64_t at = CANARY + (word < elements ? 0 : CANARY) + word * rows_ + row;
        const uint64_t expected = samples.expected[sample * words + word];
        if (found[at] != expected) {
          printf("FAIL %s, %s: row %llu, word %llu: expected %llu, found %llu\n",
                 circuit_.name.c_str(), side.name.c_str(), (unsigned long long)row,
                 (unsigned long long)word, (unsigned long long)expected,
                 (unsigned long long)found[at]);
          return false;
        }
      }
    }
    return true;
  }

  const FoldCircuit &circuit_;
  uint64_t rows_;
  Buffer<uint64_t> columns_;
  Buffer<uint64_t> publics_;
  Buffer<uint64_t> sums_;
  Stream stream_;
};
