// Checks and measures emitted row writers on a GPU:
//
//   kit parity [--quick] [--only TEXT]…   every cell against the reference
//   kit bench [--only TEXT]…              times, one line per figure
//   kit probe                             one launch, for tools to attach to
//
// TEXT selects the circuits whose names contain it. Exit status 1: a cell is wrong;
// 2: something could not run.
#include "bench.cuh"
#include "parity.cuh"

struct Options {
  std::string mode;
  ParityOptions parity;
  std::vector<std::string> only;

  bool takes(const Circuit &circuit) const {
    for (const std::string &text : only) {
      if (circuit.name.find(text) != std::string::npos) {
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

static int parity(const Options &options, const std::vector<Circuit> &circuits) {
  int passed = 0, failed = 0;
  for (const Circuit &circuit : circuits) {
    if (!options.takes(circuit) || circuit.num_rows == 0) {
      continue;
    }
    for (int encoding : {0, 1}) {
      Parity(circuit, options.parity).encoding(encoding) ? ++passed : ++failed;
    }
  }
  printf("%d passed, %d failed\n", passed, failed);
  return failed == 0 && passed > 0 ? 0 : 1;
}

static int bench(const Options &options, const std::vector<Circuit> &circuits) {
  int measured = 0, failed = 0;
  for (const Circuit &circuit : circuits) {
    if (!options.takes(circuit) || circuit.detail == Detail::NONE) {
      continue;
    }
    for (uint64_t rows : {uint64_t(1) << 16, uint64_t(1) << 20}) {
      measured += 1;
      failed += Bench(circuit, rows).run() ? 0 : 1;
    }
  }
  printf("%d measured, %d failed\n", measured, failed);
  return failed == 0 && measured > 0 ? 0 : 1;
}

static int probe(const std::vector<Circuit> &circuits) {
  ParityOptions quick;
  quick.quick = true;
  return Parity(circuits.at(0), quick).encoding(0) ? 0 : 1;
}

int main(int argc, char **argv) {
  const Options options = read_options(argc, argv);
  const std::vector<Circuit> circuits = read_jobs("jobs.bin");
  if (options.mode == "parity") {
    return parity(options, circuits);
  }
  if (options.mode == "bench") {
    return bench(options, circuits);
  }
  if (options.mode == "probe") {
    return probe(circuits);
  }
  Words::fail("usage: kit parity|bench|probe [--quick] [--only TEXT]...");
}
