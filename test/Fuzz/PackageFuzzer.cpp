//===- PackageFuzzer.cpp - any bytes as a manifest, descriptor, cache entry ===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Fuzz/Input.h"

#include "CacheEntryFormat.h"

#include "quench-rt/Program/Descriptor.h"
#include "quench-rt/Program/Manifest.h"

using namespace qrt;
using namespace qrt::fuzz;

static void readAsManifest(absl::string_view text) {
  auto manifest = parseManifest(text, "input");
  if (!manifest.ok())
    return requireMessage(manifest.status());
  std::string written = formatManifest(*manifest);
  auto again = parseManifest(written, "output");
  require(again.ok() && formatManifest(*again) == written, "a manifest survives writing");
}

static void readAsDescriptor(absl::string_view text) {
  auto library = parseDescriptor(text, "input");
  if (!library.ok())
    return requireMessage(library.status());
  for (const WeightSpec &weight : library->weights)
    require(weight.bytes == packedBytes(weight.format, weight.layout, weight.rows, weight.columns),
            "the size of a weight follows from format, layout and shape");
  for (const EntrySpec &entry : library->entries) {
    require(library->findEntry(entry.name) != nullptr, "each entry is found");
    for (const ArgSpec &arg : entry.args)
      require(!describe(arg).empty() &&
                  (arg.kind != ArgSpec::Cache || arg.cache < library->caches.size()),
              "an argument's cache is there");
  }
}

/// With the key and the kind that it claims to have, since the file's name would say another.
static void readAsCacheEntry(const uint8_t *data, size_t size) {
  InputPath path(data, size);
  constexpr size_t trailer = 128, keyAt = 24;
  absl::string_view key = "00000000000000000000000000000000";
  if (size >= trailer)
    key = {reinterpret_cast<const char *>(data) + size - trailer + keyAt, 32};
  for (ArtifactKind kind : {ArtifactKind::Code, ArtifactKind::Weights}) {
    auto entry = openCacheEntry(path.path(), kind, key);
    if (!entry.ok()) {
      requireMessage(entry.status());
      continue;
    }
    require((*entry)->size() + trailer == size, "an entry is its bytes and a trailer");
    auto bytes = (*entry)->map();
    if (bytes.ok())
      readAll(bytes->data(), bytes->size());
    else
      requireMessage(bytes.status());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  absl::string_view text(reinterpret_cast<const char *>(data), size);
  readAsManifest(text);
  readAsDescriptor(text);
  readAsCacheEntry(data, size);
  return 0;
}
