//===- Sequence.cpp - append, truncate, fork, read ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/KVCache/KVCache.h"
#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstring>

using namespace qrt;

Sequence &Sequence::operator=(Sequence &&other) noexcept {
  if (this == &other)
    return *this;
  clear();
  cache = std::exchange(other.cache, nullptr);
  ids = std::move(other.ids);
  pages = std::move(other.pages);
  state = other.state;
  return *this;
}

absl::Status Sequence::reserve(int64_t count) {
  const int64_t most = cache->maxLength;
  if (count < 0 || count > most - state.length)
    return absl::OutOfRangeError(absl::StrCat("cannot append ", count, " positions to ",
                                              state.length, ": the context has ", most));
  const CacheGeometry &shape = cache->shape;
  const int64_t wanted = state.length + count;
  const size_t first = static_cast<size_t>(state.length / shape.slots());
  const size_t end = count ? static_cast<size_t>(shape.pagesFor(wanted)) : first;

  // Everything that can fail comes before the first change.
  int64_t missing = 0;
  for (size_t i = first; i < end; ++i)
    missing += i >= ids.size() || cache->references[ids[i]] > 1;
  std::vector<uint32_t> fresh;
  QRT_RETURN_IF_ERROR(cache->acquire(missing, fresh));

  size_t next = 0;
  for (size_t i = first; i < end; ++i) {
    if (i >= ids.size()) {
      ids.push_back(fresh[next]);
      pages.push_back(cache->address(fresh[next++]));
      continue;
    }
    if (cache->references[ids[i]] == 1)
      continue;
    uint8_t *copy = cache->address(fresh[next]);
    // Only a page that already holds committed positions has something to keep.
    if (static_cast<int64_t>(i) * shape.slots() < state.length)
      std::memcpy(copy, pages[i], shape.pageBytes());
    cache->release(ids[i]);
    ids[i] = fresh[next++];
    pages[i] = copy;
  }
  state.capacity = wanted;
  return absl::OkStatus();
}

absl::Status Sequence::append(absl::Span<const uint8_t> positions) {
  const CacheGeometry &shape = cache->shape;
  const size_t bytes = shape.positionBytes();
  if (positions.size() % bytes != 0)
    return absl::InvalidArgumentError(
        absl::StrCat("cannot append ", positions.size(), " bytes: a position has ", bytes));
  const int64_t count = static_cast<int64_t>(positions.size() / bytes);
  QRT_RETURN_IF_ERROR(reserve(count));
  for (int64_t i = 0; i < count; ++i, ++state.length)
    shape.writePosition(
        static_cast<uint8_t *>(pages[static_cast<size_t>(state.length / shape.slots())]),
        state.length % shape.slots(), positions.data() + static_cast<size_t>(i) * bytes);
  return absl::OkStatus();
}

absl::Status Sequence::truncate(int64_t length) {
  if (length < 0 || length > state.length)
    return absl::OutOfRangeError(
        absl::StrCat("cannot keep ", length, " positions: there are ", state.length));
  const size_t keep = static_cast<size_t>(cache->shape.pagesFor(length));
  for (size_t i = keep; i < ids.size(); ++i)
    cache->release(ids[i]);
  ids.resize(std::min(ids.size(), keep));
  pages.resize(ids.size());
  state.length = state.capacity = length;
  return absl::OkStatus();
}

Sequence Sequence::fork() {
  Sequence other(cache);
  const size_t shared = static_cast<size_t>(cache->shape.pagesFor(state.length));
  other.ids.assign(ids.begin(), ids.begin() + static_cast<ptrdiff_t>(shared));
  other.pages.assign(pages.begin(), pages.begin() + static_cast<ptrdiff_t>(shared));
  for (uint32_t id : other.ids)
    ++cache->references[id];
  other.state.length = state.length;
  // The last page is no longer this sequence's alone.
  state.capacity = other.state.capacity = state.length;
  return other;
}

void Sequence::clear() {
  for (uint32_t id : ids)
    cache->release(id);
  ids.clear();
  pages.clear();
  state = {nullptr, 0, 0};
}

absl::StatusOr<std::vector<uint8_t>> Sequence::read(int64_t first, int64_t count) const {
  if (first < 0 || count < 0 || first > state.length || count > state.length - first)
    return absl::OutOfRangeError(absl::StrCat("cannot read ", count, " positions from ", first,
                                              ": there are ", state.length));
  const CacheGeometry &shape = cache->shape;
  const size_t bytes = shape.positionBytes();
  std::vector<uint8_t> result(static_cast<size_t>(count) * bytes);
  for (int64_t i = 0; i < count; ++i)
    shape.readPosition(
        static_cast<const uint8_t *>(pages[static_cast<size_t>((first + i) / shape.slots())]),
        (first + i) % shape.slots(), result.data() + static_cast<size_t>(i) * bytes);
  return result;
}

absl::StatusOr<std::string> Sequence::hashCommitted(int64_t count) const {
  ContentHasher hasher;
  // A piece at a time: a long context is too large to copy for this.
  constexpr int64_t kPiece = 64;
  if (count < 0 || count > state.length)
    return read(0, count).status();
  for (int64_t first = 0; first < count; first += kPiece) {
    QRT_ASSIGN_OR_RETURN(std::vector<uint8_t> bytes, read(first, std::min(kPiece, count - first)));
    hasher.update(bytes.data(), bytes.size());
  }
  return hasher.hex();
}
