//===- Session.cpp - a program and the state of one sequence --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Session.h"

#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cmath>
#include <cstring>

using namespace qrt;

namespace {

constexpr absl::string_view kTokens = "tensor<?xi32>", kScores = "tensor<?xf32>", kCache = "cache",
                            kScalar = "i64";

absl::Status misbehaved(absl::string_view entry, absl::string_view what) {
  return absl::InternalError(absl::StrCat("the program's entry '", entry, "' ", what));
}

} // namespace

Session::Session(const Executable &executable, std::unique_ptr<KVCache> given)
    : executable(&executable), cache(std::move(given)), sequence(cache->newSequence()) {}

Session::~Session() = default;

absl::StatusOr<std::unique_ptr<Session>> Session::create(const Executable &executable,
                                                         const SessionOptions &options) {
  const LibraryDescriptor &library = executable.descriptor();
  if (library.caches.size() != 1)
    return absl::FailedPreconditionError(
        absl::StrCat("the program has ", library.caches.size(),
                     " caches, a language model as this session runs it has 1"));
  if (options.prefillRows < 0 || options.prefillRows > library.maxRows)
    return absl::InvalidArgumentError(absl::StrCat("prefill of ", options.prefillRows,
                                                   " rows: expected at most ", library.maxRows));
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<KVCache> cache,
                       KVCache::create(executable.device(), library.caches[0].geometry,
                                       {options.contextLength, /*maxPages=*/0}));
  std::unique_ptr<Session> session(new Session(executable, std::move(cache)));
  session->prefillRows = options.prefillRows ? options.prefillRows : library.maxRows;

  auto find = [&](absl::string_view name, absl::Span<const absl::string_view> args,
                  absl::Span<const absl::string_view> results) -> absl::StatusOr<Entry> {
    QRT_ASSIGN_OR_RETURN(size_t index, executable.entry(name, args, results));
    return Entry{index, name};
  };
  QRT_ASSIGN_OR_RETURN(session->prefillEntry, find("prefill", {kTokens, kCache}, {}));
  QRT_ASSIGN_OR_RETURN(session->logitsEntry,
                       find("logits", {kTokens, kCache}, {"tensor<?x*xf32>"}));
  QRT_ASSIGN_OR_RETURN(session->greedyEntry, find("greedy", {kTokens, kCache}, {kTokens, kScores}));
  if (!library.drafts.empty()) {
    QRT_ASSIGN_OR_RETURN(session->roundEntry, find("round", {kTokens, kScalar, kCache},
                                                   {kTokens, kScores, kScalar, kTokens}));
    if (library.drafts[0].max >= library.maxRows)
      return absl::FailedPreconditionError(
          absl::StrCat("the program drafts up to ", library.drafts[0].max,
                       " tokens, but takes only ", library.maxRows, " rows"));
  }
  session->vocabulary = library.entries[session->logitsEntry.index].results[0].dims[1];
  if (session->vocabulary <= 0 || session->vocabulary > INT32_MAX)
    return absl::FailedPreconditionError(
        absl::StrCat("the program's vocabulary has ", session->vocabulary, " tokens"));
  QRT_RETURN_IF_ERROR(session->allocate());
  return session;
}

absl::Status Session::allocate() {
  const size_t rows = static_cast<size_t>(maxRows());
  for (std::unique_ptr<Buffer> *buffer : {&tokenBuffer, &idBuffer, &scoreBuffer, &pendingBuffer}) {
    static_assert(sizeof(int32_t) == sizeof(float), "one size for all");
    QRT_ASSIGN_OR_RETURN(*buffer, executable->device().allocate(rows * sizeof(int32_t)));
  }
  return absl::OkStatus();
}

absl::optional<int64_t> Session::maxDraft() const {
  if (!roundEntry)
    return absl::nullopt;
  return executable->descriptor().drafts[0].max;
}

int64_t Session::draft(int64_t source, absl::Span<const int32_t> pending,
                       absl::Span<int32_t> candidates) {
  if (!drafter || source != 0)
    return 0;
  int64_t count = drafter->propose(pending, candidates);
  count = std::min(std::max<int64_t>(count, 0), static_cast<int64_t>(candidates.size()));
  // A candidate becomes an index into the embedding, so it has to be a token.
  auto wrong = std::find_if(candidates.begin(), candidates.begin() + count,
                            [&](int32_t id) { return id < 0 || id >= vocabulary; });
  drafted = wrong - candidates.begin();
  return drafted;
}

absl::Status Session::setTokens(absl::Span<const int32_t> tokens) {
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

qrt_tensor Session::tokensArg(size_t count) const {
  return {tokenBuffer->data(), {static_cast<int64_t>(count)}};
}

qrt_tensor Session::cacheArg() { return {sequence.view(), {}}; }

absl::StatusOr<int64_t> Session::run(const Entry &entry, int64_t rows,
                                     absl::Span<qrt_tensor> args) {
  const int64_t before = length();
  QRT_RETURN_IF_ERROR(executable->run(entry.index, args, this));
  const int64_t committed = length() - before;
  if (committed < 1 || committed > rows) {
    sequence.view()->length = before;
    return misbehaved(entry.name,
                      absl::StrCat("committed ", committed, " positions, expected 1 to ", rows));
  }
  return committed;
}

absl::StatusOr<Session::Step> Session::takeStep(const Entry &entry, int64_t count) const {
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

absl::Status Session::prefill(absl::Span<const int32_t> tokens) {
  while (!tokens.empty()) {
    auto chunk = tokens.subspan(0, static_cast<size_t>(prefillRows));
    const auto rows = static_cast<int64_t>(chunk.size());
    QRT_RETURN_IF_ERROR(setTokens(chunk));
    QRT_RETURN_IF_ERROR(sequence.reserve(rows));
    qrt_tensor args[] = {tokensArg(chunk.size()), cacheArg()};
    QRT_ASSIGN_OR_RETURN(int64_t committed, run(prefillEntry, rows, absl::MakeSpan(args)));
    if (committed != rows)
      return misbehaved("prefill", absl::StrCat("committed ", committed, " of ", rows, " rows"));
    tokens.remove_prefix(chunk.size());
  }
  return absl::OkStatus();
}

absl::StatusOr<Session::Step> Session::greedy(absl::Span<const int32_t> tokens) {
  const auto rows = static_cast<int64_t>(tokens.size());
  QRT_RETURN_IF_ERROR(setTokens(tokens));
  QRT_RETURN_IF_ERROR(sequence.reserve(rows));
  qrt_tensor args[] = {
      tokensArg(tokens.size()), cacheArg(), {idBuffer->data(), {}}, {scoreBuffer->data(), {}}};
  QRT_ASSIGN_OR_RETURN(int64_t committed, run(greedyEntry, rows, absl::MakeSpan(args)));
  if (committed != rows || args[2].dims[0] != rows || args[3].dims[0] != rows)
    return misbehaved("greedy", absl::StrCat("committed ", committed, " positions and returned ",
                                             args[2].dims[0], " ids and ", args[3].dims[0],
                                             " logits for ", rows, " rows"));
  return takeStep(greedyEntry, rows);
}

absl::StatusOr<absl::Span<const float>> Session::logits(absl::Span<const int32_t> tokens) {
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
    return misbehaved("logits", absl::StrCat("committed ", committed, " positions and returned ",
                                             args[2].dims[0], " rows for ", rows, " rows"));
  return absl::MakeConstSpan(reinterpret_cast<const float *>(logitsBuffer->data()),
                             static_cast<size_t>(rows * vocabulary));
}

absl::StatusOr<Session::Round> Session::round(int32_t pending, int64_t limit, DraftSource &source) {
  if (!roundEntry)
    return absl::FailedPreconditionError(
        "the program was compiled without a draft source, so it cannot speculate");
  if (limit < 0 || limit > *maxDraft())
    return absl::InvalidArgumentError(
        absl::StrCat("a draft of ", limit, " tokens: expected 0 to ", *maxDraft()));
  QRT_RETURN_IF_ERROR(setTokens({&pending, 1}));
  QRT_RETURN_IF_ERROR(sequence.reserve(1 + limit));
  int64_t accepted = -1;
  qrt_tensor args[] = {tokensArg(1),
                       {&limit, {}},
                       cacheArg(),
                       {idBuffer->data(), {}},
                       {scoreBuffer->data(), {}},
                       {&accepted, {}},
                       {pendingBuffer->data(), {}}};
  drafter = &source;
  drafted = 0;
  absl::StatusOr<int64_t> committed = run(*roundEntry, 1 + limit, absl::MakeSpan(args));
  drafter = nullptr;
  QRT_RETURN_IF_ERROR(committed.status());
  if (accepted < 0 || accepted > drafted || args[3].dims[0] != accepted + 1 ||
      args[4].dims[0] != accepted + 1 || *committed != accepted + 1)
    return misbehaved("round", absl::StrCat("accepted ", accepted, " of ", drafted,
                                            " candidates, emitted ", args[3].dims[0],
                                            " tokens and committed ", *committed, " positions"));
  Round round;
  QRT_ASSIGN_OR_RETURN(round.emitted, takeStep(*roundEntry, accepted + 1));
  round.drafted = drafted;
  round.accepted = accepted;
  const auto *next = reinterpret_cast<const int32_t *>(pendingBuffer->data());
  if (args[6].dims[0] != 1 || next[0] != round.emitted.ids.back())
    return misbehaved("round", "did not return its last token as the pending one");
  return round;
}
