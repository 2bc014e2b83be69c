// Serves jobs: words from the standard input to words on the standard output.
// The layouts of jobs are in job.rs.
#include <stdio.h>
#include <stdlib.h>

#include <vector>

#include "evaluate.cuh"
#include "launch.cuh"

typedef void (*RowKernel)(TlRows);

// Keeps every value of one row.
struct Sink {
  uint64_t *constraints;
  uint64_t *multiplicities;
  uint64_t *arguments;
  const uint64_t *first_arguments;
  uint64_t current = 0;

  void constraint(uint32_t index, traceloom::Gl value) { constraints[index] = value.value; }
  void argument(uint32_t position, traceloom::Gl value) {
    arguments[first_arguments[current] + position] = value.value;
  }
  void constant(uint32_t position, uint64_t word) {
    arguments[first_arguments[current] + position] = word;
  }
  void lookup(uint32_t index, traceloom::Gl multiplicity) {
    multiplicities[index] = multiplicity.value;
    current = index + 1;
  }
};

typedef void (*EvaluatorKernel)(const traceloom::Cells &, Sink &);
typedef void (*FoldKernel)(TlEvaluation);

static bool read_words(uint64_t *words, size_t count) {
  return fread(words, sizeof(uint64_t), count, stdin) == count;
}

static std::vector<uint64_t> read_vector(size_t count) {
  std::vector<uint64_t> words(count);
  if (!read_words(words.data(), count)) {
    fprintf(stderr, "a job ends early\n");
    _Exit(2);
  }
  return words;
}

static uint64_t read_word() { return read_vector(1)[0]; }

static void write_words(const std::vector<uint64_t> &words) {
  fwrite(words.data(), sizeof(uint64_t), words.size(), stdout);
}

// The seeds as 32-bit words.
static std::vector<uint32_t> read_seeds() {
  const std::vector<uint64_t> words = read_vector(read_word());
  std::vector<uint32_t> halves;
  for (uint64_t word : words) {
    halves.push_back(uint32_t(word));
    halves.push_back(uint32_t(word >> 32));
  }
  return halves;
}

static void rows_job(const RowKernel *kernels) {
  const std::vector<uint64_t> head = read_vector(7);
  const uint64_t canary = head[5];
  std::vector<uint64_t> memory(head[0] * head[1] + 2 * canary, ~uint64_t(0));
  const TlWindow window = {memory.data() + canary, head[1], head[2], head[3], head[4]};
  for (uint64_t launch = 0; launch < head[6]; ++launch) {
    const std::vector<uint64_t> spec = read_vector(6);
    const std::vector<uint32_t> seeds = read_seeds();
    TlRows rows;
    rows.seeds = seeds.data();
    rows.first_row = spec[1];
    rows.num_rows = spec[2];
    rows.bases = {uint32_t(spec[3]), uint32_t(spec[4]), uint32_t(spec[5]), uint32_t(head[0])};
    rows.window = window;
    kernels[spec[0]](rows);
  }
  write_words(memory);
}

static void evaluate_job(const EvaluatorKernel *evaluators) {
  const std::vector<uint64_t> head = read_vector(8);
  const uint64_t height = head[1];
  const std::vector<uint64_t> main_values = read_vector(head[2] * height);
  const std::vector<uint64_t> fixed_values = read_vector(head[3] * height);
  const std::vector<uint64_t> public_values = read_vector(head[4]);
  const std::vector<uint64_t> selectors = read_vector(2 * height);
  for (uint64_t row = 0; row < height; ++row) {
    std::vector<uint64_t> out(head[5] + head[6] + head[7], ~uint64_t(0));
    Sink sink;
    sink.constraints = out.data();
    sink.multiplicities = out.data() + head[5];
    sink.arguments = out.data() + head[5] + head[6];
    sink.first_arguments = nullptr;
    const traceloom::Cells cells = {main_values.data(),
                                    fixed_values.data(),
                                    public_values.data(),
                                    height,
                                    row,
                                    (row + 1) % height,
                                    traceloom::gl(selectors[2 * row]),
                                    traceloom::gl(selectors[2 * row + 1])};
    evaluators[head[0]](cells, sink);
    write_words(out);
  }
}

static void fold_job(const FoldKernel (*kernels)[2]) {
  const std::vector<uint64_t> spec = read_vector(7);
  const uint64_t part = spec[0];
  const uint64_t degree = spec[5];
  const std::vector<uint64_t> powers = read_vector(spec[6] * degree);
  const std::vector<uint64_t> shift = read_vector(degree);
  const std::vector<uint64_t> head = read_vector(9);
  const uint64_t height = head[2];
  const std::vector<uint64_t> main_values = read_vector(head[3] * height);
  const std::vector<uint64_t> fixed_values = read_vector(head[4] * height);
  const std::vector<uint64_t> public_values = read_vector(head[5]);
  const std::vector<uint64_t> selectors = read_vector(2 * height);
  std::vector<uint64_t> is_first_row;
  std::vector<uint64_t> is_transition;
  for (uint64_t row = 0; row < height; ++row) {
    is_first_row.push_back(selectors[2 * row]);
    is_transition.push_back(selectors[2 * row + 1]);
  }
  const uint64_t count = spec[4];
  std::vector<uint64_t> folded((part == 0 ? 1 : head[7]) * degree * count, ~uint64_t(0));
  std::vector<uint64_t> multiplicities((part == 0 ? 0 : head[7]) * count, ~uint64_t(0));
  TlEvaluation evaluation;
  evaluation.domain = {main_values.data(),
                       fixed_values.data(),
                       public_values.data(),
                       is_first_row.data(),
                       is_transition.data(),
                       height,
                       height,
                       spec[1],
                       spec[2]};
  evaluation.first = spec[3];
  evaluation.count = count;
  evaluation.powers = powers.data();
  evaluation.shift = shift.data();
  evaluation.degree = degree;
  evaluation.folded = folded.data();
  evaluation.multiplicities = multiplicities.data();
  kernels[head[1]][part](evaluation);
  write_words(folded);
  write_words(multiplicities);
}

// All binary byte operations, then all unary ones on a, in the order of job.rs.
static void bytes_job() {
  using namespace traceloom;
  std::vector<uint64_t> out;
  for (uint32_t a = 0; a < 256; ++a) {
    for (uint32_t b = 0; b < 256; ++b) {
      const uint32_t x = a ^ b;
      const uint32_t packed = permute(x * 0x01010101u, 0, 0x3210u);
      for (uint32_t value :
           {byte_shift_left(a), byte_shift_right(a), byte_less_than(a, b), byte_add(a, b),
            byte_add_carry(a, b), byte_sub(a, b), byte_sub_borrow(a, b), byte_split_high(x, 7),
            byte_split_low(x, 7), byte_split_high(x, 4), byte_split_low(x, 4),
            byte_of(packed_shift_right(packed, 7), a % 4),
            byte_of(packed_shift_left(packed, 1), b % 4),
            byte_of(packed_shift_right(packed, 4), a % 4),
            byte_of(packed_shift_left(packed, 4), b % 4)}) {
        out.push_back(value);
      }
    }
  }
  write_words(out);
}

static void field_job() {
  using namespace traceloom;
  const std::vector<uint64_t> pairs = read_vector(2 * read_word());
  std::vector<uint64_t> out;
  for (size_t i = 0; i < pairs.size(); i += 2) {
    const Gl a = gl(pairs[i]);
    const Gl b = gl(pairs[i + 1]);
    Gl inverses[3] = {a, b, a};
    invert_or_zero(inverses);
    for (Gl value : {a + b, a - b, a * b, inverse_or_zero(a), inverses[0], inverses[1],
                     inverses[2]}) {
      out.push_back(value.value);
    }
  }
  write_words(out);
}

static int serve(const RowKernel *kernels, const EvaluatorKernel *evaluators,
                 const FoldKernel (*folds)[2]) {
  uint64_t kind;
  while (read_words(&kind, 1)) {
    switch (kind) {
      case 1: rows_job(kernels); break;
      case 2: evaluate_job(evaluators); break;
      case 3: bytes_job(); break;
      case 4: field_job(); break;
      case 5: fold_job(folds); break;
      default: return 3;
    }
  }
  return 0;
}
