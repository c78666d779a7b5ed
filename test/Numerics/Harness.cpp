//===- Harness.cpp - runs a job with nothing but the ABI -------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
//   harness LIBRARY.so JOB OUTCOME
//
// For machines that have no runtime: made of the format table, abi.h and the C++
// standard library. One thread.
//
//===----------------------------------------------------------------------===//

#include "Job.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>

using namespace quench::numerics;

static Bytes readFile(const char *path) {
  Bytes bytes;
  if (FILE *file = std::fopen(path, "rb")) {
    uint8_t buffer[65536];
    while (size_t size = std::fread(buffer, 1, sizeof(buffer), file))
      bytes.insert(bytes.end(), buffer, buffer + size);
    std::fclose(file);
  }
  return bytes;
}

int main(int argc, char **argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: harness LIBRARY.so JOB OUTCOME\n");
    return 1;
  }
  void *handle = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
  auto query = handle ? reinterpret_cast<qrt_query>(dlsym(handle, QRT_QUERY_SYMBOL)) : qrt_query();
  if (!query) {
    std::fprintf(stderr, "harness: %s\n", dlerror());
    return 1;
  }
  static const qrt_host host = {
      QRT_ABI_VERSION, sizeof(qrt_host), [](void *, uint64_t) {},
      [](void *, int64_t, const int32_t *, int64_t, int64_t, int32_t *) { return int64_t(0); }};
  const qrt_library *library = query(&host);
  if (!library) {
    std::fprintf(stderr, "harness: the library refuses this ABI\n");
    return 1;
  }

  LibraryShape shape = readDescriptor(library->descriptor);
  Job job = parseJob(readFile(argv[2]));
  std::vector<Bytes> packed = packWeights(shape, job);
  // Kernels may expect the alignment that the runtime gives.
  std::vector<const void *> weights;
  for (const Bytes &bytes : packed) {
    void *memory = std::aligned_alloc(64, (bytes.size() + 127) / 64 * 64);
    std::memcpy(memory, bytes.data(), bytes.size());
    weights.push_back(memory);
  }
  size_t bytes = size_t(shape.workspaceBytes + shape.threadWorkspaceBytes + 127) / 64 * 64;
  void *workspace = std::aligned_alloc(64, bytes);
  std::memset(workspace, 0xff, bytes); // NaN: nothing may be read before it is written
  qrt_context context = {weights.data(), workspace, nullptr, nullptr};
  Outcome outcome = runJob(shape, job, [&](size_t index, std::vector<qrt_tensor> &args) {
    library->entries[index](0, 1, &context, args.data());
  });

  Bytes result = serialize(outcome);
  FILE *file = std::fopen(argv[3], "wb");
  if (!file || std::fwrite(result.data(), 1, result.size(), file) != result.size() ||
      std::fclose(file) != 0) {
    std::fprintf(stderr, "harness: cannot write %s\n", argv[3]);
    return 1;
  }
  return 0;
}
