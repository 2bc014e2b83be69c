// What memory must hold after rows were written: reference cells in the window,
// poison everywhere else.
#pragma once

#include "device.cuh"

// Words in front of and behind the cells that nothing may write.
constexpr uint64_t CANARY = 64;
constexpr uint64_t POISON = ~uint64_t(0);

// Row r of the circuit is reference row map[r % map_length]; rows from `num_rows`
// on are padding.
struct Expectation {
  const uint64_t *reference;
  const uint32_t *map;
  uint64_t map_length;
  uint64_t num_rows;
  uint64_t width;

  // Word `index` of a buffer of canary, cells, canary.
  __host__ __device__ uint64_t word(const TlWindow &window, uint64_t index) const {
    if (index < CANARY || index - CANARY >= width * window.stride) {
      return POISON;
    }
    const uint64_t column = (index - CANARY) / window.stride;
    const uint64_t position = (index - CANARY) % window.stride;
    if (position >= window.count) {
      return POISON;
    }
    const uint64_t row = (window.first + position) % window.height;
    return row < num_rows ? reference[map[row % map_length] * width + column] : 0;
  }
};

struct Differences {
  unsigned long long count;
  unsigned long long first;
};

static __global__ void find_differences(const uint64_t *memory, uint64_t size, TlWindow window,
                                        Expectation expected, Differences *differences) {
  const uint64_t threads = uint64_t(gridDim.x) * blockDim.x;
  const uint64_t start = uint64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  for (uint64_t index = start; index < size; index += threads) {
    if (memory[index] != expected.word(window, index)) {
      atomicAdd(&differences->count, 1ull);
      atomicMin(&differences->first, (unsigned long long)index);
    }
  }
}

// The same on the host, over downloaded memory: the two comparisons check each
// other.
inline Differences find_differences_on_host(const std::vector<uint64_t> &memory,
                                            const TlWindow &window, const Expectation &expected) {
  Differences differences = {0, POISON};
  for (uint64_t index = memory.size(); index-- > 0;) {
    if (memory[index] != expected.word(window, index)) {
      differences.count += 1;
      differences.first = index;
    }
  }
  return differences;
}

// The cells of a window with canaries around them, poisoned.
class Cells {
 public:
  Cells(uint64_t width, uint64_t stride) : memory_(width * stride + 2 * CANARY) { poison(); }

  void poison() const { memory_.fill(0xff); }
  uint64_t *data() const { return memory_.data() + CANARY; }
  std::vector<uint64_t> download() const { return memory_.download(); }

  Differences compare(const TlWindow &window, const Expectation &expected) const {
    Buffer<Differences> result(std::vector<Differences>{{0, POISON}});
    find_differences<<<1024, 256>>>(memory_.data(), memory_.size(), window, expected,
                                    result.data());
    CHECK(cudaGetLastError());
    return result.download()[0];
  }

  // What is at `index` and what should be.
  void explain(const TlWindow &window, const Expectation &host, uint64_t index) const {
    uint64_t found;
    CHECK(cudaMemcpy(&found, memory_.data() + index, sizeof(found), cudaMemcpyDeviceToHost));
    const uint64_t cell = index - CANARY;
    printf("  first difference: word %llu, column %lld, position %lld: found %llx, expected %llx\n",
           (unsigned long long)index, (long long)(int64_t(cell) / int64_t(window.stride)),
           (long long)(int64_t(cell) % int64_t(window.stride)), (unsigned long long)found,
           (unsigned long long)host.word(window, index));
  }

 private:
  Buffer<uint64_t> memory_;
};
