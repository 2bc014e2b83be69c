// Checks and measures emitted row writers and evaluators on a GPU:
//
//   kit parity [--quick] [--only TEXT]…   every cell against the reference,
//                                         every element of the evaluators
//   kit bench [--only TEXT]…              times, one line per figure
//   kit probe                             one launch, for tools to attach to
//
// TEXT selects the circuits whose names contain it, PROGRAM/FUNCTION for row writers
// and PROGRAM/c_FUNCTION for evaluators. Exit status 1: a cell is wrong;
// 2: something could not run.
#include "bench.cuh"
#include "evaluators.cuh"
#include "parity.cuh"

struct Options {
  std::string mode;
  ParityOptions parity;
  std::vector<std::string> only;

  bool takes(const std::string &name) const {
    for (const std::string &text : only) {
      if (name.find(text) != std::string::npos) {
        return true;
      }
    }
    return only.empty();
  }
};

static Options read_options(int argc, char **argv) {
  Options options;
  options.mode = argc > 1 ? argv[1] : "";
  for (int i = 2; i < argc; ++i) {
    if (strcmp(argv[i], "--quick") == 0) {
      options.parity.quick = true;
    } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      options.only.push_back(argv[++i]);
    } else {
      Words::fail("usage: kit parity|bench|probe [--quick] [--only TEXT]...");
    }
  }
  return options;
}

// How many were checked or measured, and whether all of it was right. With --only,
// one of the two kinds may have none.
struct Outcome {
  size_t done = 0;
  bool ok = true;

  int status(const Outcome &other) const {
    return ok && other.ok && done + other.done > 0 ? 0 : 1;
  }
};

static Outcome parity(const Options &options, const std::vector<Circuit> &circuits) {
  int passed = 0, failed = 0;
  for (const Circuit &circuit : circuits) {
    if (!options.takes(circuit.name) || circuit.num_rows == 0) {
      continue;
    }
    for (int encoding : {0, 1}) {
      Parity(circuit, options.parity).encoding(encoding) ? ++passed : ++failed;
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return {size_t(passed), failed == 0};
}

static Outcome bench(const Options &options, const std::vector<Circuit> &circuits) {
  int measured = 0, failed = 0;
  for (const Circuit &circuit : circuits) {
    if (!options.takes(circuit.name) || circuit.detail == Detail::NONE) {
      continue;
    }
    for (uint64_t rows : {uint64_t(1) << 16, uint64_t(1) << 20}) {
      measured += 1;
      failed += Bench(circuit, rows).run() ? 0 : 1;
    }
  }
  printf("%d measured, %d failed\n", measured, failed);
  return {size_t(measured), failed == 0};
}

// One line per program; stops at the first difference.
static Outcome evaluator_parity(const Options &options, const std::vector<FoldCircuit> &circuits) {
  size_t taken = 0;
  for (size_t i = 0; i < circuits.size();) {
    const std::string &program = circuits[i].program;
    unsigned long long count = 0, elements = 0;
    for (; i < circuits.size() && circuits[i].program == program; ++i) {
      if (!options.takes(circuits[i].name)) {
        continue;
      }
      const uint64_t compared = FoldParity(circuits[i]).run(options.parity.quick);
      if (compared == 0) {
        return {taken, false};
      }
      count += 1;
      elements += compared;
    }
    if (count != 0) {
      printf("ok   evaluators of %s: %llu circuits, %llu kernels, %llu elements, equal\n",
             program.c_str(), count, 2 * count, elements);
      fflush(stdout);
    }
    taken += count;
  }
  printf("%zu circuits evaluated\n", taken);
  return {taken, true};
}

static Outcome evaluator_bench(const Options &options, const std::vector<FoldCircuit> &circuits) {
  int measured = 0, failed = 0;
  for (const FoldCircuit &circuit : circuits) {
    if (options.takes(circuit.name) && !circuit.samples.empty()) {
      measured += 1;
      failed += FoldBench(circuit).run() ? 0 : 1;
    }
  }
  printf("%d pairs of evaluators measured, %d failed\n", measured, failed);
  return {size_t(measured), failed == 0};
}

static int probe(const std::vector<Circuit> &circuits) {
  ParityOptions quick;
  quick.quick = true;
  return Parity(circuits.at(0), quick).encoding(0) ? 0 : 1;
}

int main(int argc, char **argv) {
  const Options options = read_options(argc, argv);
  const std::vector<Circuit> circuits = read_jobs("jobs.bin");
  const std::vector<FoldCircuit> evaluators = read_evaluators("evaluators.bin");
  if (options.mode == "parity") {
    const Outcome rows = parity(options, circuits);
    return rows.status(evaluator_parity(options, evaluators));
  }
  if (options.mode == "bench") {
    const Outcome rows = bench(options, circuits);
    return rows.status(evaluator_bench(options, evaluators));
  }
  if (options.mode == "probe") {
    return probe(circuits);
  }
  Words::fail("usage: kit parity|bench|probe [--quick] [--only TEXT]...");
}
