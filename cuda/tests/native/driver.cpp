// A driver library that is none: device memory is host memory, work is done when it is
// queued, and kernels are emitted ones, compiled into this library for the host.
// FAKE_VERSION, FAKE_INIT and FAKE_COUNT set what it answers first, FAKE_SILENT is a
// device that it refuses, FAKE_PITCH the largest distance of pieces. A call in another
// context than that of what it is about ends the process: with several devices a driver
// may refuse it, or do it on the wrong one.
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <map>
#include <mutex>
#include <string>

#include "device_abi.h"

typedef int Result;
typedef unsigned long long Address;

static const Result OK = 0, INVALID_VALUE = 1, INVALID_DEVICE = 101, INVALID_CONTEXT = 201,
                    NOT_FOUND = 500,
                    ILLEGAL_ADDRESS = 700;

static Result setting(const char *name, Result otherwise) {
  const char *value = getenv(name);
  return value == nullptr ? otherwise : atoi(value);
}

static const void *const NO_CONTEXT = nullptr;
static thread_local const void *current = NO_CONTEXT;

// What was made and not released, with its size and the context that it was made in.
struct Made {
  size_t bytes;
  const void *context;
};
static std::mutex mutex;
static std::map<Address, Made> *live = new std::map<Address, Made>;
static std::map<const void *, int> *devices = new std::map<const void *, int>;

static Result made(void **out, size_t bytes) {
  if (current == NO_CONTEXT) {
    return INVALID_CONTEXT;
  }
  *out = malloc(bytes);
  const std::lock_guard<std::mutex> guard(mutex);
  (*live)[Address(*out)] = Made{bytes, current};
  return OK;
}

static void must_be_current(const void *context) {
  if (context != current) {
    fprintf(stderr, "a call in the context of another device\n");
    abort();
  }
}

// Whether `what` is alive, or lies in something that is; of the current context.
static Result known(const void *what) {
  const std::lock_guard<std::mutex> guard(mutex);
  auto after = live->upper_bound(Address(what));
  if (after == live->begin()) {
    return INVALID_VALUE;
  }
  const auto &[begin, made] = *--after;
  if (Address(what) >= begin + made.bytes) {
    return INVALID_VALUE;
  }
  must_be_current(made.context);
  return OK;
}

static Result both(const void *one, const void *other) {
  const Result result = known(one);
  return result == OK ? known(other) : result;
}

// A second release is refused.
static Result released(void *what) {
  const Result result = known(what);
  if (result == OK) {
    const std::lock_guard<std::mutex> guard(mutex);
    live->erase(Address(what));
    free(what);
  }
  return result;
}

// Copies have the sizes and places of the structure in cuda.h.
struct Copy2d {
  size_t from_x, from_y;
  int from_type;
  const void *from_host;
  Address from_device;
  void *from_array;
  size_t from_pitch, to_x, to_y;
  int to_type;
  char *to_host;
  Address to_device;
  void *to_array;
  size_t to_pitch, width, height;
};

struct Function {
  void *entry;
  bool is_digest;
  const void *context;
};

extern "C" {

Result cuInit(unsigned) { return setting("FAKE_INIT", OK); }
Result cuDriverGetVersion(int *version) {
  *version = setting("FAKE_VERSION", 13000);
  return OK;
}
Result cuDeviceGetCount(int *count) {
  *count = setting("FAKE_COUNT", 2);
  return OK;
}
Result cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == setting("FAKE_SILENT", -1) ? INVALID_DEVICE : OK;
}
Result cuDeviceGetName(char *name, int length, int) {
  strncpy(name, "fake", length);
  return OK;
}
Result cuDeviceGetUuid_v2(unsigned char *uuid, int device) {
  memset(uuid, 0xf0 + device, 16);
  return OK;
}
Result cuDeviceTotalMem_v2(size_t *bytes, int) {
  *bytes = size_t(1) << 30;
  return OK;
}
Result cuDeviceGetAttribute(int *value, int which, int) {
  switch (which) {
    case 11:
      *value = setting("FAKE_PITCH", 0x7fffffff);
      return OK;
    case 75:
      *value = 9;
      return OK;
    case 76:
      *value = 0;
      return OK;
    default:
      return INVALID_VALUE;
  }
}
Result cuDevicePrimaryCtxRetain(void **context, int device) {
  *context = malloc(1);
  const std::lock_guard<std::mutex> guard(mutex);
  (*devices)[*context] = device;
  return OK;
}
Result cuDevicePrimaryCtxRelease_v2(int) { return OK; }
Result cuCtxSetCurrent(void *context) {
  const std::lock_guard<std::mutex> guard(mutex);
  current = context;
  return devices->count(context) != 0 ? OK : INVALID_VALUE;
}

// Device 0 has 1 GiB free, device 1 has 2.
Result cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  const std::lock_guard<std::mutex> guard(mutex);
  const auto device = devices->find(current);
  if (device == devices->end()) {
    return INVALID_CONTEXT;
  }
  *free_bytes = *total = size_t(1 + device->second) << 30;
  return OK;
}
Result cuMemAlloc_v2(Address *address, size_t bytes) {
  void *memory = nullptr;
  const Result result = bytes == 0 ? INVALID_VALUE : made(&memory, bytes);
  *address = Address(memory);
  return result;
}
Result cuMemFree_v2(Address address) { return released((void *)address); }
Result cuMemHostAlloc(void **memory, size_t bytes, unsigned) { return made(memory, bytes); }
Result cuMemFreeHost(void *memory) { return released(memory); }
Result cuMemsetD8Async(Address address, unsigned char byte, size_t count, void *stream) {
  const Result result = both((void *)address, stream);
  if (result == OK) {
    memset((void *)address, byte, count);
  }
  return result;
}
Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *stream) {
  const Result places = both((void *)to, from), result = places == OK ? known(stream) : places;
  if (result == OK) {
    memcpy((void *)to, from, bytes);
  }
  return result;
}
Result cuMemcpyDtoHAsync_v2(void *to, Address from, size_t bytes, void *stream) {
  const Result places = both(to, (void *)from), result = places == OK ? known(stream) : places;
  if (result == OK) {
    memcpy(to, (const void *)from, bytes);
  }
  return result;
}
Result cuMemcpy2DAsync_v2(const Copy2d *copy, void *stream) {
  const bool is_far = copy->from_pitch > size_t(setting("FAKE_PITCH", 0x7fffffff));
  if (copy->from_type != 2 || copy->to_type != 1 || copy->width > copy->from_pitch || is_far) {
    return INVALID_VALUE;
  }
  const Result places = both((void *)copy->from_device, copy->to_host);
  const Result result = places == OK ? known(stream) : places;
  if (result != OK) {
    return result;
  }
  for (size_t y = 0; y < copy->height; ++y) {
    memcpy(copy->to_host + y * copy->to_pitch,
           (const char *)copy->from_device + y * copy->from_pitch, copy->width);
  }
  return OK;
}

Result cuStreamCreate(void **stream, unsigned) { return made(stream, 1); }
Result cuStreamDestroy_v2(void *stream) { return released(stream); }
Result cuStreamSynchronize(void *stream) { return known(stream); }
Result cuStreamWaitEvent(void *stream, void *event, unsigned) { return both(stream, event); }
Result cuEventCreate(void **event, unsigned) { return made(event, 1); }
Result cuEventDestroy_v2(void *event) { return released(event); }
Result cuEventRecord(void *event, void *stream) { return cuStreamWaitEvent(stream, event, 0); }
Result cuEventQuery(void *event) { return cuStreamSynchronize(event); }
Result cuEventSynchronize(void *event) { return cuStreamSynchronize(event); }
Result cuEventElapsedTime_v2(float *millis, void *from, void *to) {
  *millis = 0.5f;
  return both(from, to);
}

Result cuModuleLoadData(void **module, const void *) { return made(module, 1); }
Result cuModuleUnload(void *module) { return released(module); }
Result cuModuleGetFunction(void **function, void *module, const char *name) {
  const Result result = known(module);
  if (result != OK) {
    return result;
  }
  void *entry = dlsym(RTLD_DEFAULT, name);
  if (entry == nullptr) {
    Dl_info info;
    dladdr((void *)&cuModuleGetFunction, &info);
    entry = dlsym(dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD), name);
  }
  const std::string text = name;
  const bool is_digest = text.size() > 7 && text.compare(text.size() - 7, 7, "_digest") == 0;
  *function = new Function{entry, is_digest, current};
  return entry == nullptr ? NOT_FOUND : OK;
}
Result cuFuncGetAttribute(int *value, int which, void *) {
  *value = which;
  return OK;
}
Result cuFuncSetAttribute(void *, int, int) { return OK; }
Result cuLaunchKernel(void *function, unsigned blocks, unsigned, unsigned, unsigned threads,
                      unsigned, unsigned, unsigned, void *stream, void **parameters, void **) {
  const Function *kernel = (const Function *)function;
  if (blocks == 0 || threads == 0 || threads > 1024) {
    return INVALID_VALUE;
  }
  must_be_current(kernel->context);
  if (known(stream) != OK) {
    return INVALID_VALUE;
  }
  if (kernel->is_digest) {
    ((void (*)(uint64_t *))kernel->entry)(*(uint64_t **)parameters[0]);
    return OK;
  }
  const TlRows rows = *(const TlRows *)parameters[0];
  if (uint64_t(blocks) * threads < rows.num_rows) {
    return ILLEGAL_ADDRESS;
  }
  ((void (*)(TlRows))kernel->entry)(rows);
  return OK;
}

}  // extern "C"
