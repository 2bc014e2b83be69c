// Memory, launches and times of a device. Every error ends the program: a check
// that cannot run must not look like one that passed.
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include <utility>
#include <vector>

#include "jobs.hpp"
#include "launch.cuh"

#define CHECK(call) check((call), #call, __FILE__, __LINE__)

inline void check(cudaError_t status, const char *call, const char *file, int line) {
  if (status != cudaSuccess) {
    fprintf(stderr, "%s:%d: %s: %s\n", file, line, call, cudaGetErrorString(status));
    exit(2);
  }
}

// Device memory of exactly `size` elements, so that a memory checker sees the
// first access beyond them. No element is no allocation.
template <class T>
class Buffer {
 public:
  explicit Buffer(size_t size) : size_(size) {
    if (size != 0) {
      CHECK(cudaMalloc((void **)&data_, size * sizeof(T)));
    }
  }
  explicit Buffer(const std::vector<T> &host) : Buffer(host.size()) {
    CHECK(cudaMemcpy(data_, host.data(), bytes(), cudaMemcpyHostToDevice));
  }
  Buffer(Buffer &&other) : data_(other.data_), size_(other.size_) { other.data_ = nullptr; }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { cudaFree(data_); }

  T *data() const { return data_; }
  size_t size() const { return size_; }
  size_t bytes() const { return size_ * sizeof(T); }
  void fill(int byte) const { CHECK(cudaMemset(data_, byte, bytes())); }

  std::vector<T> download() const {
    std::vector<T> host(size_);
    CHECK(cudaMemcpy(host.data(), data_, bytes(), cudaMemcpyDeviceToHost));
    return host;
  }

 private:
  T *data_ = nullptr;
  size_t size_;
};

// Host memory that the device reads without a copy in between.
class Pinned {
 public:
  explicit Pinned(size_t bytes) { CHECK(cudaMallocHost(&data_, bytes)); }
  Pinned(const Pinned &) = delete;
  Pinned &operator=(const Pinned &) = delete;
  ~Pinned() { cudaFreeHost(data_); }
  char *data() const { return (char *)data_; }

 private:
  void *data_ = nullptr;
};

// Launches one of the emitted kernels, found by address.
inline void launch(const Kernel &kernel, TlRows rows, cudaStream_t stream = nullptr) {
  if (rows.num_rows == 0) {
    return;
  }
  const uint32_t threads = traceloom::block_threads(kernel.seed_words);
  const uint64_t blocks = (rows.num_rows + 31 + threads - 1) / threads;  // 31: the longest lead
  void *arguments[] = {&rows};
  CHECK(cudaLaunchKernel(kernel.entry, dim3(uint32_t(blocks)), dim3(threads), arguments, 0, stream));
}
