// A driver library that is none: device memory is host memory, work is done when it is
// queued, and kernels are emitted ones, compiled into this library for the host.
// FAKE_VERSION, FAKE_INIT and FAKE_COUNT set what it answers first.
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include <set>
#include <string>

#include "device_abi.h"

typedef int Result;
typedef unsigned long long Address;

static const Result OK = 0, INVALID_VALUE = 1, NOT_FOUND = 500, ILLEGAL_ADDRESS = 700;

static Result setting(const char *name, Result otherwise) {
  const char *value = getenv(name);
  return value == nullptr ? otherwise : atoi(value);
}

// What was made and not released: a second release, or none, is told at the end.
static std::set<const void *> *live = new std::set<const void *>;

static Result made(void **out, void *what) {
  live->insert(what);
  *out = what;
  return OK;
}

static Result released(void *what) {
  if (live->erase(what) == 0) {
    return INVALID_VALUE;
  }
  free(what);
  return OK;
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
};

extern "C" {

size_t fake_num_live() { return live->size(); }

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
  return OK;
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
  *value = which == 75 ? 9 : 0;
  return OK;
}
Result cuDevicePrimaryCtxRetain(void **context, int) { return made(context, malloc(1)); }
Result cuDevicePrimaryCtxRelease_v2(int) { return OK; }
Result cuCtxSetCurrent(void *context) {
  return live->count(context) != 0 ? OK : INVALID_VALUE;
}

Result cuMemGetInfo_v2(size_t *free_bytes, size_t *total) {
  *free_bytes = *total = size_t(1) << 30;
  return OK;
}
Result cuMemAlloc_v2(Address *address, size_t bytes) {
  void *memory = nullptr;
  const Result result = made(&memory, malloc(bytes));
  *address = Address(memory);
  return bytes == 0 ? INVALID_VALUE : result;
}
Result cuMemFree_v2(Address address) { return released((void *)address); }
Result cuMemHostAlloc(void **memory, size_t bytes, unsigned) { return made(memory, malloc(bytes)); }
Result cuMemFreeHost(void *memory) { return released(memory); }
Result cuMemsetD8Async(Address address, unsigned char byte, size_t count, void *) {
  memset((void *)address, byte, count);
  return OK;
}
Result cuMemcpyHtoDAsync_v2(Address to, const void *from, size_t bytes, void *) {
  memcpy((void *)to, from, bytes);
  return OK;
}
Result cuMemcpy2DAsync_v2(const Copy2d *copy, void *) {
  if (copy->from_type != 2 || copy->to_type != 1 || copy->width > copy->from_pitch) {
    return INVALID_VALUE;
  }
  for (size_t y = 0; y < copy->height; ++y) {
    memcpy(copy->to_host + y * copy->to_pitch,
           (const char *)copy->from_device + y * copy->from_pitch, copy->width);
  }
  return OK;
}

Result cuStreamCreate(void **stream, unsigned) { return made(stream, malloc(1)); }
Result cuStreamDestroy_v2(void *stream) { return released(stream); }
Result cuStreamSynchronize(void *stream) { return live->count(stream) != 0 ? OK : INVALID_VALUE; }
Result cuStreamWaitEvent(void *stream, void *event, unsigned) {
  return live->count(stream) != 0 && live->count(event) != 0 ? OK : INVALID_VALUE;
}
Result cuEventCreate(void **event, unsigned) { return made(event, malloc(1)); }
Result cuEventDestroy_v2(void *event) { return released(event); }
Result cuEventRecord(void *event, void *stream) { return cuStreamWaitEvent(stream, event, 0); }
Result cuEventQuery(void *event) { return cuStreamSynchronize(event); }
Result cuEventSynchronize(void *event) { return cuStreamSynchronize(event); }
Result cuEventElapsedTime_v2(float *millis, void *, void *) {
  *millis = 0.5f;
  return OK;
}

Result cuModuleLoadData(void **module, const void *) { return made(module, malloc(1)); }
Result cuModuleUnload(void *module) { return released(module); }
Result cuModuleGetFunction(void **function, void *, const char *name) {
  void *entry = dlsym(RTLD_DEFAULT, name);
  if (entry == nullptr) {
    Dl_info info;
    dladdr((void *)&cuModuleGetFunction, &info);
    entry = dlsym(dlopen(info.dli_fname, RTLD_NOW | RTLD_NOLOAD), name);
  }
  const std::string text = name;
  const bool is_digest = text.size() > 7 && text.compare(text.size() - 7, 7, "_digest") == 0;
  *function = new Function{entry, is_digest};
  return entry == nullptr ? NOT_FOUND : OK;
}
Result cuFuncGetAttribute(int *value, int which, void *) {
  *value = which;
  return OK;
}
Result cuLaunchKernel(void *function, unsigned blocks, unsigned, unsigned, unsigned threads,
                      unsigned, unsigned, unsigned, void *stream, void **parameters, void **) {
  const Function *kernel = (const Function *)function;
  if (live->count(stream) == 0 || blocks == 0 || threads == 0 || threads > 1024) {
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
