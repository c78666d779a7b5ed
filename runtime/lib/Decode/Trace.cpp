//===- Trace.cpp - what each layer computed -------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Trace.h"

#include "quench-rt/Decode/LanguageModel.h"
#include "quench-rt/KVCache/KVCache.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

using namespace qrt;

static constexpr absl::string_view kEntry = "trace";

/// The entry, whose results are rows of f32 with a name each.
static absl::StatusOr<const EntrySpec *> findTrace(const LibraryDescriptor &library) {
  const EntrySpec *entry = library.findEntry(kEntry);
  if (!entry)
    return absl::FailedPreconditionError("the program has no entry 'trace'");
  bool good = entry->args.size() == 2 && describe(entry->args[0]) == "tensor<?xi32>" &&
              entry->args[1].kind == ArgSpec::Cache && !entry->results.empty();
  for (const ArgSpec &result : entry->results)
    good &= result.kind == ArgSpec::Tensor && result.element == ElementType::F32 &&
            result.dims.size() == 2 && result.dims[0] < 0 && result.dims[1] > 0 &&
            !result.name.empty();
  if (!good)
    return absl::FailedPreconditionError(
        "the program's entry 'trace' is not what quench-add-trace makes: expected (tensor<?xi32>, "
        "cache) -> named tensors of rows");
  return entry;
}

absl::StatusOr<Trace> qrt::runTrace(const Executable &executable,
                                    absl::Span<const int32_t> tokens) {
  const LibraryDescriptor &library = executable.descriptor();
  QRT_ASSIGN_OR_RETURN(const EntrySpec *entry, findTrace(library));
  const int64_t vocabulary = entry->results.back().dims[1];
  for (int32_t token : tokens)
    if (token < 0 || token >= vocabulary)
      return absl::InvalidArgumentError(
          absl::StrCat("token ", token, ": expected 0 to ", vocabulary - 1));
  if (tokens.empty())
    return absl::InvalidArgumentError("there are no tokens to trace, expected at least 1");
  const auto length = static_cast<int64_t>(tokens.size());
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<KVCache> cache,
                       KVCache::create(executable.device(),
                                       library.caches[entry->args[1].cache].geometry,
                                       {length, /*maxPages=*/0}));
  Sequence sequence = cache->newSequence();

  const auto most = static_cast<size_t>(library.maxRows);
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Buffer> ids,
                       executable.device().allocate(most * sizeof(int32_t)));
  std::vector<std::unique_ptr<Buffer>> buffers;
  Trace trace;
  for (const ArgSpec &result : entry->results) {
    QRT_ASSIGN_OR_RETURN(
        std::unique_ptr<Buffer> buffer,
        executable.device().allocate(most * static_cast<size_t>(result.dims[1]) * sizeof(float)));
    buffers.push_back(std::move(buffer));
    trace.push_back({result.name, result.dims[1], {}});
  }
  while (!tokens.empty()) {
    auto chunk = tokens.subspan(0, most);
    const auto rows = static_cast<int64_t>(chunk.size());
    std::memcpy(ids->data(), chunk.data(), chunk.size() * sizeof(int32_t));
    QRT_RETURN_IF_ERROR(sequence.reserve(rows));
    std::vector<qrt_tensor> args = {{ids->data(), {rows}}, {sequence.view(), {}}};
    for (const std::unique_ptr<Buffer> &buffer : buffers)
      args.push_back({buffer->data(), {}});
    QRT_RETURN_IF_ERROR(executable.run(library.indexOf(*entry), absl::MakeSpan(args)));
    for (size_t i = 0; i < trace.size(); ++i) {
      if (args[2 + i].dims[0] != rows)
        return misbehaved(kEntry, absl::StrCat("returned ", args[2 + i].dims[0], " rows of ",
                                               quoted(trace[i].name), " for ", rows));
      const auto *values = reinterpret_cast<const float *>(buffers[i]->data());
      trace[i].values.insert(trace[i].values.end(), values, values + rows * trace[i].columns);
    }
    tokens.remove_prefix(chunk.size());
  }
  return trace;
}

static Difference differenceOf(const TracedTensor &first, const TracedTensor &second) {
  Difference difference;
  difference.name = first.name;
  difference.sameBits = std::memcmp(first.values.data(), second.values.data(),
                                    first.values.size() * sizeof(float)) == 0;
  for (size_t i = 0; i < first.values.size(); ++i) {
    const double a = static_cast<double>(first.values[i]),
                 b = static_cast<double>(second.values[i]);
    if (std::isfinite(a))
      difference.largest = std::max(difference.largest, std::abs(a));
    double distance = std::abs(a - b);
    if (!std::isfinite(a) || !std::isfinite(b))
      distance =
          a == b || (std::isnan(a) && std::isnan(b)) ? 0 : std::numeric_limits<double>::infinity();
    if (distance <= difference.most)
      continue;
    difference.most = distance;
    difference.row = static_cast<int64_t>(i) / first.columns;
    difference.column = static_cast<int64_t>(i) % first.columns;
  }
  return difference;
}

absl::StatusOr<std::vector<Difference>> qrt::compareTraces(const Trace &first,
                                                           const Trace &second) {
  std::vector<Difference> differences;
  for (const TracedTensor &tensor : first) {
    auto other = std::find_if(second.begin(), second.end(), [&](const TracedTensor &candidate) {
      return candidate.name == tensor.name;
    });
    if (other == second.end())
      return absl::InvalidArgumentError(absl::StrCat("tensor ", quoted(tensor.name), ": missing"));
    if (other->columns != tensor.columns || other->values.size() != tensor.values.size())
      return absl::InvalidArgumentError(absl::StrCat(
          "tensor ", quoted(tensor.name), ": has ",
          other->values.size() / static_cast<size_t>(other->columns), " rows of ", other->columns,
          " numbers, expected ", tensor.values.size() / static_cast<size_t>(tensor.columns), " of ",
          tensor.columns));
    differences.push_back(differenceOf(tensor, *other));
  }
  return differences;
}
