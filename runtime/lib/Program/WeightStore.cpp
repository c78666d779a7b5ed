//===- WeightStore.cpp - packed weights in memory -------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/WeightStore.h"

#include "WeightPacker.h"

#include "quench-rt/Device/Poison.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

using namespace qrt;

namespace {

/// Weights start at multiples of this and are kept apart by as much, so that a kernel
/// that reads past the end of one is caught by the sanitizer.
constexpr size_t kAlign = 64;

std::string entryKey(const std::string &sourceHash, const std::vector<WeightSpec> &weights) {
  // Raise the number when the arrangement of an entry changes.
  std::string text = absl::StrCat("packed weights 1\n", sourceHash, "\n");
  for (const WeightSpec &weight : weights)
    absl::StrAppend(
        &text, weight.key, " ",
        absl::string_view(layoutName(weight.layout).data(), layoutName(weight.layout).size()), " ",
        weightMetadata(weight.format, weight.rows, weight.columns, weight.vector), "\n");
  return contentHash(text);
}

absl::Status writeArena(ArtifactCache &cache, const std::string &key, const Buffer &arena) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CacheEntryWriter> writer,
                       cache.create(ArtifactKind::Weights, key));
  QRT_RETURN_IF_ERROR(writer->write(arena.data(), arena.size()));
  return writer->commit();
}

/// Packs straight into the cache, one weight in memory at a time.
absl::Status packIntoCache(ArtifactCache &cache, const std::string &key, const WeightPacker &packer,
                           const std::vector<WeightSpec> &weights,
                           const std::vector<size_t> &offsets, size_t total) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CacheEntryWriter> writer,
                       cache.create(ArtifactKind::Weights, key));
  for (size_t i = 0; i < weights.size(); ++i) {
    std::vector<uint8_t> bytes((i + 1 < weights.size() ? offsets[i + 1] : total) - offsets[i]);
    packer.packOne(i, bytes.data());
    QRT_RETURN_IF_ERROR(writer->write(bytes.data(), bytes.size()));
  }
  return writer->commit();
}

} // namespace

std::vector<size_t> WeightStore::place(const std::vector<WeightSpec> &weights) {
  std::vector<size_t> offsets;
  for (const WeightSpec &weight : weights) {
    offsets.push_back(total);
    total += (weight.bytes + kAlign - 1) / kAlign * kAlign + kAlign;
  }
  return offsets;
}

void WeightStore::setBase(const uint8_t *base, const std::vector<WeightSpec> &weights,
                          const std::vector<size_t> &offsets) {
  for (size_t i = 0; i < weights.size(); ++i) {
    addresses.push_back(base + offsets[i]);
    size_t end = offsets[i] + weights[i].bytes;
    size_t next = i + 1 < weights.size() ? offsets[i + 1] : total;
    if (arena)
      poisonMemory(base + end, next - end);
  }
}

absl::StatusOr<std::unique_ptr<WeightStore>> WeightStore::load(Device &device,
                                                               const LibraryDescriptor &library,
                                                               OpenSource openSource,
                                                               const WeightStoreOptions &options) {
  const std::vector<WeightSpec> &weights = library.weights;
  ArtifactCache *cache = options.cache;
  std::unique_ptr<WeightStore> store(new WeightStore());
  const std::vector<size_t> offsets = store->place(weights);
  if (weights.empty())
    return store;

  if (!options.map || !cache) {
    absl::StatusOr<std::unique_ptr<Buffer>> arena = device.allocate(store->total);
    if (arena.ok())
      store->arena = *std::move(arena);
    else if (!cache)
      return arena.status();
  }
  const bool mapped = !store->arena;

  std::unique_ptr<WeightSource> source;
  std::string sourceHash = options.sourceHash;
  if (sourceHash.empty() && cache) {
    QRT_ASSIGN_OR_RETURN(source, openSource());
    QRT_ASSIGN_OR_RETURN(sourceHash, cache->sourceHash(source->path()));
  }
  const std::string key = cache ? entryKey(sourceHash, weights) : "";

  /// Whether the entry was there and in order.
  auto fromEntry = [&]() -> bool {
    std::unique_ptr<CacheEntry> entry = cache ? cache->find(ArtifactKind::Weights, key) : nullptr;
    if (!entry)
      return false;
    absl::Status status;
    const uint8_t *base = nullptr;
    if (entry->size() != store->total) {
      status = absl::DataLossError(
          absl::StrCat(entry->path(), ": has ", entry->size(), " bytes, expected ", store->total));
    } else if (mapped) {
      auto bytes = entry->map();
      status = bytes.status();
      base = bytes.ok() ? bytes->data() : nullptr;
    } else {
      base = store->arena->data();
      status = entry->read(store->arena->data(), options.threads);
    }
    if (!status.ok()) {
      cache->note(absl::StrCat("cache: ", status.message(), "; ignored"));
      return false;
    }
    if (mapped)
      store->entry = std::move(entry);
    store->setBase(base, weights, offsets);
    return true;
  };
  if (fromEntry()) {
    store->cached = true;
    return store;
  }

  if (!source) {
    QRT_ASSIGN_OR_RETURN(source, openSource());
  }
  if (!options.sourceHash.empty()) {
    QRT_ASSIGN_OR_RETURN(std::string found, source->contentHash());
    if (found != options.sourceHash)
      return absl::DataLossError(
          absl::StrCat(source->path(),
                       ": not the weights that the program was compiled for, or "
                       "damaged: content hash ",
                       found, ", expected ", options.sourceHash));
  }
  QRT_ASSIGN_OR_RETURN(WeightPacker packer, WeightPacker::create(*source, weights));
  if (mapped) {
    QRT_RETURN_IF_ERROR(packIntoCache(*cache, key, packer, weights, offsets, store->total));
    if (!fromEntry())
      return absl::ResourceExhaustedError(
          absl::StrCat("the weights need ", store->total,
                       " bytes, which can neither be allocated nor mapped from the cache"));
    return store;
  }
  packer.packAll(store->arena->data(), offsets, options.threads);
  if (cache && cache->keeps())
    if (absl::Status status = writeArena(*cache, key, *store->arena); !status.ok())
      cache->notKept(status);
  store->setBase(store->arena->data(), weights, offsets);
  return store;
}
