// Emitted kernels against reference rows: every cell and every canary.
#pragma once

#include <algorithm>

#include "expect.cuh"

struct ParityOptions {
  bool quick = false;  // few row counts and windows, for slow tools
};

// Part of a launch list: `count` rows from row `first` of the circuit on.
struct Piece {
  const Kernel *kernel;
  uint32_t first_member_selector;
  const uint32_t *seeds;
  uint64_t first;
  uint64_t count;
};

struct Reference {
  explicit Reference(const Circuit &circuit) : circuit(circuit), cells(circuit.cells) {}
  const Circuit &circuit;
  Buffer<uint64_t> cells;
};

class Parity {
 public:
  Parity(const Circuit &circuit, ParityOptions options)
      : circuit_(circuit), options_(options), reference_(circuit) {}

  // Whether all rows of an encoding are right; prints one line.
  bool encoding(int encoding) {
    const std::vector<Run> &runs = circuit_.encodings[encoding];
    recorded(runs);
    for (const Run &run : runs) {
      for (uint64_t count : counts()) {
        repeated(run, count);
      }
    }
    printf("%s %s %s: %zu runs, %llu rows, %d windows, %d failed\n", failed_ == 0 ? "ok  " : "FAIL",
           circuit_.name.c_str(), ENCODINGS[encoding], runs.size(),
           (unsigned long long)circuit_.num_rows, checked_, failed_);
    fflush(stdout);
    return failed_ == 0 && checked_ > 0;
  }

 private:
  struct Shape {
    uint64_t first, count, slack;
  };

  std::vector<uint64_t> counts() const {
    return options_.quick ? std::vector<uint64_t>{1, 257}
                          : std::vector<uint64_t>{1, 2, 3, 255, 256, 257, 1024, 1025};
  }

  // Whole, the first row, some rows, wrapping, wrapping by all rows but some.
  std::vector<Shape> shapes(uint64_t height) const {
    std::vector<Shape> shapes = {{0, height, 0}};
    if (height >= 4) {
      shapes.push_back({height / 2 + 1, height, 5});
    }
    if (!options_.quick) {
      shapes.push_back({0, 1, 3});
      if (height >= 4) {
        shapes.push_back({1, height / 2, 1});
        shapes.push_back({height - 1, 3, 0});
      }
    }
    return shapes;
  }

  // The circuit as it was recorded.
  void recorded(const std::vector<Run> &runs) {
    std::vector<uint32_t> map(circuit_.num_rows);
    for (size_t row = 0; row < map.size(); ++row) {
      map[row] = uint32_t(row);
    }
    std::vector<Buffer<uint32_t>> seeds;
    std::vector<Piece> pieces;
    for (const Run &run : runs) {
      seeds.emplace_back(run.seeds);
      pieces.push_back({run.kernel, run.first_member_selector, seeds.back().data(), run.first_row,
                        run.num_rows});
    }
    check_windows(pieces, map, circuit_.num_rows, "recorded", true);
  }

  // `count` rows of one run, over and over, in two launches where possible: the
  // second begins at an odd row and seed.
  void repeated(const Run &run, uint64_t count) {
    const uint32_t words = run.kernel->seed_words;
    std::vector<uint32_t> map(std::min(run.num_rows, count));
    for (size_t row = 0; row < map.size(); ++row) {
      map[row] = uint32_t(run.first_row + row);
    }
    std::vector<uint32_t> seeds(count * words);
    for (size_t i = 0; i < seeds.size(); ++i) {
      seeds[i] = run.seeds[i % (map.size() * words)];
    }
    const uint64_t split = count % 2 == 0 ? count / 2 - (count / 2) % 2 + 1 : count;
    const Buffer<uint32_t> first(std::vector<uint32_t>(seeds.begin(), seeds.begin() + split * words));
    const Buffer<uint32_t> second(std::vector<uint32_t>(seeds.begin() + split * words, seeds.end()));
    const std::vector<Piece> pieces = {
        {run.kernel, run.first_member_selector, first.data(), 0, split},
        {run.kernel, run.first_member_selector, second.data(), split, count - split}};
    check_windows(pieces, map, count, run.kernel->name.c_str(), false);
  }

  void check_windows(const std::vector<Piece> &pieces, const std::vector<uint32_t> &map,
                     uint64_t num_rows, const char *what, bool download) {
    uint64_t height = 1;
    while (height < num_rows) {
      height *= 2;
    }
    const Buffer<uint32_t> device_map(map);
    const Expectation on_host = {circuit_.cells.data(), map.data(), map.size(), num_rows,
                                 circuit_.width};
    Expectation on_device = on_host;
    on_device.reference = reference_.cells.data();
    on_device.map = device_map.data();
    for (const Shape &shape : shapes(height)) {
      const uint64_t stride = shape.count + shape.slack;
      const Cells cells(circuit_.width, stride);
      const TlWindow window = {cells.data(), stride, shape.first, shape.count, height};
      for (const Piece &piece : pieces) {
        launch(*piece.kernel, rows(window, piece.seeds, piece.first, piece.count,
                                   piece.first_member_selector));
      }
      launch(*circuit_.padding,
             rows(window, nullptr, num_rows, height - num_rows, circuit_.first_selector));
      Differences differences = cells.compare(window, on_device);
      // Every cell of the recorded rows also goes to the host.
      if (differences.count == 0 && download) {
        differences = find_differences_on_host(cells.download(), window, on_host);
      }
      checked_ += 1;
      if (differences.count != 0) {
        failed_ += 1;
        printf("%s, %s: %llu rows, window from %llu, %llu of %llu: %llu words differ\n",
               circuit_.name.c_str(), what, (unsigned long long)num_rows,
               (unsigned long long)shape.first, (unsigned long long)shape.count,
               (unsigned long long)height, differences.count);
        cells.explain(window, on_host, differences.first);
      }
    }
  }

  TlRows rows(const TlWindow &window, const uint32_t *seeds, uint64_t first, uint64_t count,
              uint32_t member_selector) const {
    return {seeds, first, count,
            {circuit_.first_selector, member_selector, circuit_.first_auxiliary, circuit_.width},
            window};
  }

  const Circuit &circuit_;
  ParityOptions options_;
  Reference reference_;
  int checked_ = 0;
  int failed_ = 0;
};
