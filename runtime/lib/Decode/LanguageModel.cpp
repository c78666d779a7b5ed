//===- LanguageModel.cpp - the entry points of one model of a program -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/LanguageModel.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <cmath>
#include <cstring>

using namespace qrt;

static constexpr absl::string_view kTokens = "tensor<?xi32>", kScores = "tensor<?xf32>",
                                   kCache = "cache";

absl::Status qrt::misbehaved(absl::string_view entry, absl::string_view what) {
  return absl::InternalError(absl::StrCat("the program's entry '", entry, "' ", what));
}

LanguageModel::LanguageModel(const Executable &executable, std::unique_ptr<KVCache> given)
    : executable(&executable), cache(std::move(given)), sequence(cache->newSequence()) {}

absl::StatusOr<std::unique_ptr<LanguageModel>> LanguageModel::create(const Executable &executable,
                                                                     absl::string_view prefix,
                                                                     int64_t contextLength) {
  const LibraryDescriptor &library = executable.descriptor();
  auto find = [&](absl::string_view name, absl::Span<const absl::string_view> args,
                  absl::Span<const absl::string_view> results) -> absl::StatusOr<Entry> {
    Entry entry;
    entry.name = absl::StrCat(prefix, name);
    QRT_ASSIGN_OR_RETURN(entry.index, executable.entry(entry.name, args, results));
    return entry;
  };
  QRT_ASSIGN_OR_RETURN(Entry prefill, find("prefill", {kTokens, kCache}, {}));
  QRT_ASSIGN_OR_RETURN(Entry logits, find("logits", {kTokens, kCache}, {"tensor<?x*xf32>"}));
  QRT_ASSIGN_OR_RETURN(Entry greedy, find("greedy", {kTokens, kCache}, {kTokens, kScores}));
  const size_t number = library.entries[prefill.index].args[1].cache;
  for (const Entry &entry : {logits, greedy})
    if (library.entries[entry.index].args[1].cache != number)
      return absl::FailedPreconditionError(absl::StrCat("the program's entries '", prefill.name,
                                                        "' and '", entry.name,
                                                        "' have different caches, expected one"));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<KVCache> cache,
                       KVCache::create(executable.device(), library.caches[number].geometry,
                                       {contextLength, /*maxPages=*/0}));
  std::unique_ptr<LanguageModel> model(new LanguageModel(executable, std::move(cache)));
  model->vocabulary = library.entries[logits.index].results[0].dims[1];
  if (model->vocabulary <= 0 || model->vocabulary > INT32_MAX)
    return absl::FailedPreconditionError(
        absl::StrCat("the program's vocabulary has ", model->vocabulary, " tokens"));
  model->prefillEntry = std::move(prefill);
  model->logitsEntry = std::move(logits);
  model->greedyEntry = std::move(greedy);
  QRT_RETURN_IF_ERROR(model->allocate());
  return model;
}

absl::Status LanguageModel::allocate() {
  const size_t rows = static_cast<size_t>(maxRows());
  for (std::unique_ptr<Buffer> *buffer : {&tokenBuffer, &idBuffer, &scoreBuffer}) {
    static_assert(sizeof(int32_t) == sizeof(float), "one size for all");
    QRT_ASSIGN_OR_RETURN(*buffer, executable->device().allocate(rows * sizeof(int32_t)));
  }
  return absl::OkStatus();
}

absl::Status LanguageModel::setTokens(absl::Span<const int32_t> tokens) {
  if (tokens.empty() || static_cast<int64_t>(tokens.size()) > maxRows())
    return absl::InvalidArgumentError(
        absl::StrCat("a step of ", tokens.size(), " tokens: expected 1 to ", maxRows()));
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i] < 0 || tokens[i] >= vocabulary)
      return absl::InvalidArgumentError(absl::StrCat("token ", tokens[i], " at position ",
                                                     length() + static_cast<int64_t>(i),
                                                     ": expected 0 to ", vocabulary - 1));
  std::memcpy(tokenBuffer->data(), tokens.data(), tokens.size() * sizeof(int32_t));
  return absl::OkStatus();
}

qrt_tensor LanguageModel::tokensArg(size_t count) const {
  return {tokenBuffer->data(), {static_cast<int64_t>(count)}};
}

absl::StatusOr<int64_t> LanguageModel::run(const Entry &entry, int64_t rows,
                                           absl::Span<qrt_tensor> args, HostCallbacks *callbacks) {
  const int64_t before = length();
  QRT_RETURN_IF_ERROR(executable->run(entry.index, args, callbacks));
  const int64_t committed = length() - before;
  if (committed < 1 || committed > rows) {
    restoreLength(before);
    return misbehaved(entry.name,
                      absl::StrCat("committed ", committed, " positions, expected 1 to ", rows));
  }
  return committed;
}

absl::StatusOr<Step> LanguageModel::takeStep(const Entry &entry, int64_t count) const {
  Step step;
  step.ids = {reinterpret_cast<const int32_t *>(idBuffer->data()), static_cast<size_t>(count)};
  step.logits = {reinterpret_cast<const float *>(scoreBuffer->data()), static_cast<size_t>(count)};
  for (size_t i = 0; i < step.ids.size(); ++i) {
    if (!std::isfinite(step.logits[i]))
      return misbehaved(entry.name, absl::StrCat("computed a winning logit of ", step.logits[i],
                                                 " in row ", i, ": the numbers overflowed"));
    if (step.ids[i] < 0 || step.ids[i] >= vocabulary)
      return misbehaved(entry.name, absl::StrCat("emitted token ", step.ids[i], " in row ", i,
                                                 ", expected 0 to ", vocabulary - 1));
  }
  return step;
}

absl::Status LanguageModel::prefill(absl::Span<const int32_t> tokens, int64_t most) {
  while (!tokens.empty()) {
    auto chunk = tokens.subspan(0, static_cast<size_t>(most));
    const auto rows = static_cast<int64_t>(chunk.size());
    QRT_RETURN_IF_ERROR(setTokens(chunk));
    QRT_RETURN_IF_ERROR(sequence.reserve(rows));
    qrt_tensor args[] = {tokensArg(chunk.size()), cacheArg()};
    QRT_ASSIGN_OR_RETURN(int64_t committed, run(prefillEntry, rows, absl::MakeSpan(args)));
    if (committed != rows)
      return misbehaved(prefillEntry.name,
                        absl::StrCat("committed ", committed, " of ", rows, " rows"));
    tokens.remove_prefix(chunk.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<Step> LanguageModel::greedy(absl::Span<const int32_t> tokens) {
  const auto rows = static_cast<int64_t>(tokens.size());
  QRT_RETURN_IF_ERROR(setTokens(tokens));
  QRT_RETURN_IF_ERROR(sequence.reserve(rows));
  qrt_tensor args[] = {
      tokensArg(tokens.size()), cacheArg(), {idBuffer->data(), {}}, {scoreBuffer->data(), {}}};
  QRT_ASSIGN_OR_RETURN(int64_t committed, run(greedyEntry, rows, absl::MakeSpan(args)));
  if (committed != rows || args[2].dims[0] != rows || args[3].dims[0] != rows)
    return misbehaved(greedyEntry.name,
                      absl::StrCat("committed ", committed, " positions and returned ",
                                   args[2].dims[0], " ids and ", args[3].dims[0], " logits for ",
                                   rows, " rows"));
  return takeStep(greedyEntry, rows);
}

absl::StatusOr<absl::Span<const float>> LanguageModel::logits(absl::Span<const int32_t> tokens) {
  const auto rows = static_cast<int64_t>(tokens.size());
  QRT_RETURN_IF_ERROR(setTokens(tokens));
  // Most sessions never ask for all logits. What is not touched takes no memory.
  if (!logitsBuffer) {
    QRT_ASSIGN_OR_RETURN(logitsBuffer, executable->device().allocate(
                                           static_cast<size_t>(maxRows()) *
                                           static_cast<size_t>(vocabulary) * sizeof(float)));
  }
  QRT_RETURN_IF_ERROR(sequence.reserve(rows));
  qrt_tensor args[] = {tokensArg(tokens.size()), cacheArg(), {logitsBuffer->data(), {}}};
  QRT_ASSIGN_OR_RETURN(int64_t committed, run(logitsEntry, rows, absl::MakeSpan(args)));
  if (committed != rows || args[2].dims[0] != rows)
    return misbehaved(logitsEntry.name,
                      absl::StrCat("committed ", committed, " positions and returned ",
                                   args[2].dims[0], " rows for ", rows, " rows"));
  return absl::MakeConstSpan(reinterpret_cast<const float *>(logitsBuffer->data()),
                             static_cast<size_t>(rows * vocabulary));
}
