// Times of emitted kernels beside what the machine can do, one line per figure:
//
//   bench=CIRCUIT/KERNEL rows=N figure=NAME value=X unit=U
//
// Absolute times depend on the machine; compare figures of one run.
#pragma once

#include <algorithm>
#include <functional>

#include "expect.cuh"

constexpr int ITERATIONS = 20;
constexpr int CHUNKS = 4;
// Kernels of a function that is measured briefly.
constexpr int BRIEF_RUNS = 2;

// The limit: every cell stored once, neighbouring threads neighbouring words, and
// nothing else done.
static __global__ void write_only(uint64_t *cells, uint64_t rows, uint32_t width) {
  const uint64_t row = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (row < rows) {
    for (uint32_t column = 0; column < width; ++column) {
      cells[column * rows + row] = row + column;
    }
  }
}

// seeds[i] = recorded[i mod their number], in units of seeds.
static __global__ void repeat_seeds(uint32_t *seeds, const uint32_t *recorded, uint64_t words,
                                    uint64_t recorded_words) {
  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x;
  for (uint64_t i = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < words; i += threads) {
    seeds[i] = recorded[i % recorded_words];
  }
}

class Event {
 public:
  Event() { CHECK(cudaEventCreate(&event_)); }
  Event(const Event &) = delete;
  Event &operator=(const Event &) = delete;
  ~Event() { cudaEventDestroy(event_); }
  operator cudaEvent_t() const { return event_; }

 private:
  cudaEvent_t event_;
};

class Stream {
 public:
  Stream() { CHECK(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking)); }
  Stream(const Stream &) = delete;
  Stream &operator=(const Stream &) = delete;
  ~Stream() { cudaStreamDestroy(stream_); }
  operator cudaStream_t() const { return stream_; }

 private:
  cudaStream_t stream_;
};

// One side of a comparison.
struct Side {
  std::string name;
  std::function<void(cudaStream_t)> work;
  std::vector<double> milliseconds = {};

  double quantile(double q) const {
    std::vector<double> sorted = milliseconds;
    std::sort(sorted.begin(), sorted.end());
    return sorted[size_t(q * double(sorted.size() - 1) + 0.5)];
  }
  double median() const { return quantile(0.5); }
};

// Runs the sides in turn, forwards and backwards, so that drift falls on all alike.
inline void measure(std::vector<Side> &sides, cudaStream_t stream, int repeats,
                    int iterations = ITERATIONS) {
  const Event start, stop;
  for (int iteration = -2; iteration < iterations; ++iteration) {
    for (size_t i = 0; i < sides.size(); ++i) {
      Side &side = sides[iteration % 2 == 0 ? i : sides.size() - 1 - i];
      CHECK(cudaEventRecord(start, stream));
      for (int repeat = 0; repeat < repeats; ++repeat) {
        side.work(stream);
      }
      CHECK(cudaEventRecord(stop, stream));
      CHECK(cudaEventSynchronize(stop));
      float milliseconds;
      CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
      if (iteration >= 0) {
        side.milliseconds.push_back(milliseconds / repeats);
      }
    }
  }
}

inline void print_figure(const std::string &name, uint64_t rows, const std::string &figure,
                         double value, const char *unit) {
  printf("bench=%s rows=%llu figure=%s value=%.5g unit=%s\n", name.c_str(),
         (unsigned long long)rows, figure.c_str(), value, unit);
  fflush(stdout);
}

inline void print_times(const std::string &name, uint64_t rows, const Side &side) {
  print_figure(name, rows, side.name + "_ms", side.median(), "ms");
  print_figure(name, rows, side.name + "_ms_p10", side.quantile(0.1), "ms");
  print_figure(name, rows, side.name + "_ms_p90", side.quantile(0.9), "ms");
}

class Bench {
 public:
  Bench(const Circuit &circuit, uint64_t rows)
      : circuit_(circuit), num_rows_(rows), reference_(circuit.cells), cells_(circuit.width, rows) {
    window_ = {cells_.data(), rows, 0, rows, rows};
    repeats_ = rows <= (1u << 17) ? 4 : 1;
  }

  // Whether all measured kernels wrote what they should.
  bool run() {
    int measured = 0;
    for (const Run &run : circuit_.encodings[0]) {
      if (circuit_.detail == Detail::FULL) {
        path(run);
        upload(run);
      } else if (measured++ < BRIEF_RUNS) {
        path(run);
      }
    }
    if (circuit_.detail == Detail::FULL) {
      mixed();
    }
    return ok_;
  }

 private:
  // Seeds of one kernel for rows first … first + count - 1.
  struct Work {
    const Run *run;
    const uint32_t *seeds;
    uint64_t first;
    uint64_t count;
  };

  double cell_bytes() const { return double(circuit_.width) * double(num_rows_) * 8; }

  void figure(const std::string &name, const std::string &figure, double value,
              const char *unit) const {
    print_figure(name, num_rows_, figure, value, unit);
  }

  void times(const std::string &name, const Side &side) const {
    print_times(name, num_rows_, side);
  }

  std::string bench_name(const Run &run) const {
    return circuit_.name + "/" + run.kernel->name.substr(run.kernel->name.rfind('_') + 1);
  }

  static const Kernel *find(const std::string &name) {
    for (const Kernel &kernel : kernels()) {
      if (kernel.name == name) {
        return &kernel;
      }
    }
    return nullptr;
  }

  // `count` seeds that repeat `recorded`.
  Buffer<uint32_t> seeds(const std::vector<uint32_t> &recorded, uint32_t words,
                         uint64_t count) const {
    Buffer<uint32_t> seeds(count * words);
    const Buffer<uint32_t> source(recorded);
    repeat_seeds<<<1024, 256>>>(seeds.data(), source.data(), seeds.size(), source.size());
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return seeds;
  }

  std::function<void(cudaStream_t)> rows(const Kernel *kernel, const Work &work) const {
    const TlRows rows = {work.seeds, work.first, work.count,
                         {circuit_.first_selector, work.run->first_member_selector,
                          circuit_.first_auxiliary, circuit_.width},
                         window_};
    return [=](cudaStream_t stream) { launch(*kernel, rows, stream); };
  }

  Side limit() const {
    uint64_t *const cells = cells_.data();
    const uint64_t count = num_rows_;
    const uint32_t width = circuit_.width;
    return {"write_only", [=](cudaStream_t stream) {
              write_only<<<uint32_t((count + 255) / 256), 256, 0, stream>>>(cells, count, width);
            }};
  }

  // Runs one side over poison and compares, where there is something to compare with.
  void verify(const Side &side, const std::vector<uint32_t> &map) {
    if (circuit_.num_rows == 0) {
      return;
    }
    cells_.poison();
    CHECK(cudaDeviceSynchronize());
    side.work(stream_);
    CHECK(cudaDeviceSynchronize());
    const Buffer<uint32_t> device_map(map);
    const Expectation expected = {reference_.data(), device_map.data(), map.size(), num_rows_,
                                  circuit_.width};
    const Differences differences = cells_.compare(window_, expected);
    if (differences.count != 0) {
      printf("FAIL %s, %s: %llu words differ\n", circuit_.name.c_str(), side.name.c_str(),
             differences.count);
      ok_ = false;
    }
  }

  static std::vector<uint32_t> rows_of(const Run &run) {
    std::vector<uint32_t> rows(run.num_rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      rows[i] = uint32_t(run.first_row + i);
    }
    return rows;
  }

  // Kernel alone, in its forms, against the limit.
  void path(const Run &run) {
    const std::string name = bench_name(run);
    const Buffer<uint32_t> all = seeds(run.seeds, run.kernel->seed_words, num_rows_);
    const Work work = {&run, all.data(), 0, num_rows_};
    std::vector<Side> sides = {limit(), {"staged", rows(run.kernel, work)}};
    for (const char *variant : {"direct", "bounded"}) {
      if (const Kernel *kernel = find(std::string(variant) + "_" + run.kernel->name)) {
        sides.push_back({variant, rows(kernel, work)});
      }
    }
    for (size_t i = 1; i < sides.size(); ++i) {
      verify(sides[i], rows_of(run));
    }
    measure(sides, stream_, repeats_);
    const double limit = sides[0].median();
    for (const Side &side : sides) {
      times(name, side);
    }
    figure(name, "columns", circuit_.width, "columns");
    figure(name, "seed", run.kernel->seed_words * 4, "bytes");
    figure(name, "write_only_rate", cell_bytes() / limit / 1e6, "GB/s");
    figure(name, "floor_ms", limit * (cell_bytes() + double(all.bytes())) / cell_bytes(), "ms");
    for (size_t i = 1; i < sides.size(); ++i) {
      figure(name, sides[i].name + "_rate", cell_bytes() / sides[i].median() / 1e6,
             "GB/s");
      figure(name, sides[i].name + "_of_limit", limit / sides[i].median(), "fraction");
    }
  }

  // Seeds in pinned memory to finished rows, against the upload alone.
  void upload(const Run &run) {
    const std::string name = bench_name(run);
    const uint64_t words = run.kernel->seed_words;
    const Buffer<uint32_t> device = seeds(run.seeds, uint32_t(words), num_rows_);
    const Pinned host(device.bytes());
    CHECK(cudaMemcpy(host.data(), device.data(), device.bytes(), cudaMemcpyDeviceToHost));
    device.fill(0);
    const Stream copies;
    const Event begun;
    const Event arrived[CHUNKS];
    const auto copy = [&](uint64_t first, uint64_t count, cudaStream_t stream) {
      CHECK(cudaMemcpyAsync(device.data() + first * words, host.data() + 4 * first * words,
                            4 * count * words, cudaMemcpyHostToDevice, stream));
    };
    std::vector<Side> sides;
    sides.push_back({"upload", [&](cudaStream_t stream) { copy(0, num_rows_, stream); }});
    sides.push_back({"pipelined", [&](cudaStream_t stream) {
                       CHECK(cudaEventRecord(begun, stream));
                       CHECK(cudaStreamWaitEvent(copies, begun, 0));
                       const uint64_t count = num_rows_ / CHUNKS;
                       for (int chunk = 0; chunk < CHUNKS; ++chunk) {
                         const uint64_t first = chunk * count;
                         copy(first, count, copies);
                         CHECK(cudaEventRecord(arrived[chunk], copies));
                         CHECK(cudaStreamWaitEvent(stream, arrived[chunk], 0));
                         rows(run.kernel, {&run, device.data() + first * words, first, count})(
                             stream);
                       }
                     }});
    sides.push_back({"sequential", [&](cudaStream_t stream) {
                       copy(0, num_rows_, stream);
                       rows(run.kernel, {&run, device.data(), 0, num_rows_})(stream);
                     }});
    verify(sides[1], rows_of(run));
    measure(sides, stream_, 1);
    for (const Side &side : sides) {
      times(name, side);
    }
    const double alone = sides[0].median();
    figure(name, "upload_bytes", double(device.bytes()), "bytes");
    figure(name, "upload_rate", double(device.bytes()) / alone / 1e6, "GB/s");
    figure(name, "pipelined_of_upload", sides[1].median() / alone, "ratio");
  }

  // All paths in equal parts: the generic writer on rows in turn and grouped, and
  // the writers of the paths on grouped rows.
  void mixed() {
    const std::vector<Run> &full = circuit_.encodings[1];
    const std::vector<Run> &typed = circuit_.encodings[0];
    const uint64_t share = num_rows_ / full.size();
    if (share * full.size() != num_rows_) {
      printf("%s: %zu paths do not share %llu rows evenly, mixed rows left out\n",
             circuit_.name.c_str(), full.size(), (unsigned long long)num_rows_);
      return;
    }
    const std::string name = circuit_.name + "/mixed";
    const uint32_t words = full[0].kernel->seed_words;
    // One seed of each run in turn, as often as the longest run needs.
    uint64_t turns = 0;
    for (const Run &run : full) {
      turns = std::max(turns, run.num_rows);
    }
    std::vector<uint32_t> in_turn, map;
    for (uint64_t turn = 0; turn < turns; ++turn) {
      for (const Run &run : full) {
        const auto seed = run.seeds.begin() + (turn % run.num_rows) * words;
        in_turn.insert(in_turn.end(), seed, seed + words);
        map.push_back(uint32_t(run.first_row + turn % run.num_rows));
      }
    }
    const Buffer<uint32_t> mixed_seeds = seeds(in_turn, words, num_rows_);
    std::vector<Buffer<uint32_t>> buffers;
    std::vector<Work> full_works, typed_works;
    std::vector<uint32_t> grouped_map;
    for (size_t i = 0; i < full.size(); ++i) {
      buffers.push_back(seeds(full[i].seeds, words, share));
      full_works.push_back({&full[i], buffers.back().data(), i * share, share});
      buffers.push_back(seeds(typed[i].seeds, typed[i].kernel->seed_words, share));
      typed_works.push_back({&typed[i], buffers.back().data(), i * share, share});
      for (uint64_t row = 0; row < share; ++row) {
        grouped_map.push_back(uint32_t(full[i].first_row + row % full[i].num_rows));
      }
    }
    const auto all = [&](const std::vector<Work> &works) {
      return [&, this](cudaStream_t stream) {
        for (const Work &work : works) {
          rows(work.run->kernel, work)(stream);
        }
      };
    };
    std::vector<Side> sides = {
        limit(),
        {"generic_mixed", rows(full[0].kernel, {&full[0], mixed_seeds.data(), 0, num_rows_})},
        {"generic_grouped", all(full_works)},
        {"paths_grouped", all(typed_works)}};
    verify(sides[1], map);
    verify(sides[2], grouped_map);
    verify(sides[3], grouped_map);
    measure(sides, stream_, repeats_);
    figure(name, "full_seed", words * 4, "bytes");
    for (const Side &side : sides) {
      times(name, side);
      figure(name, side.name + "_of_limit", sides[0].median() / side.median(),
             "fraction");
    }
  }

  const Circuit &circuit_;
  uint64_t num_rows_;
  Buffer<uint64_t> reference_;
  Cells cells_;
  TlWindow window_;
  Stream stream_;
  int repeats_;
  bool ok_ = true;
};
