//===- run-step.cpp - every entry point of a language model, a few times ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// usage: run-step LIBRARY.so MODEL.gguf THREADS...
//
// Loads instrumented code, which takes the functions of the sanitizer from this
// program, and runs it in a session: prompts of one step and of several, single tokens,
// rounds whose draft is right in part, wholly, and empty. All that several times over:
// of two accesses at the very same moment the thread sanitizer may miss both.
//
// What is wrong, the sanitizer says. What the runtime refuses is printed and gives exit
// status 1, but does not end the program before the sanitizer has had all its chances.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Session.h"
#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Program/Executable.h"
#include "quench-rt/Program/WeightSource.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

using namespace qrt;

namespace {

constexpr int64_t kContext = 112; // more than three pages
constexpr int kRepetitions = 4;

std::vector<uint8_t> readCode(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// Proposes the tokens that it was given.
class FixedDraft final : public DraftSource {
public:
  explicit FixedDraft(std::vector<int32_t> tokens) : tokens(std::move(tokens)) {}

  void begin(absl::Span<const int32_t>) override {}
  void append(absl::Span<const int32_t>) override {}
  int64_t propose(absl::Span<const int32_t>, absl::Span<int32_t> candidates) override {
    size_t count = std::min(tokens.size(), candidates.size());
    std::copy_n(tokens.begin(), count, candidates.begin());
    return static_cast<int64_t>(count);
  }

private:
  std::vector<int32_t> tokens;
};

/// Tokens that a generator of small period makes of `seed`.
std::vector<int32_t> someTokens(int64_t count, int64_t vocabulary, int64_t seed) {
  std::vector<int32_t> tokens;
  for (int64_t i = 0; i < count; ++i)
    tokens.push_back(static_cast<int32_t>((seed + i * (i + 7)) % vocabulary));
  return tokens;
}

/// What plain decoding emits after `pending`; the session is as before.
absl::StatusOr<std::vector<int32_t>> decode(Session &session, int32_t pending, int64_t count) {
  const int64_t length = session.length();
  std::vector<int32_t> emitted;
  for (int64_t i = 0; i < count; ++i) {
    QRT_ASSIGN_OR_RETURN(Session::Step step, session.greedy({pending}));
    pending = step.ids[0];
    emitted.push_back(pending);
  }
  QRT_RETURN_IF_ERROR(session.truncate(length));
  return emitted;
}

/// One round with a draft of `size` tokens that is right up to token `right`; returns
/// the next pending token.
absl::StatusOr<int32_t> draftRound(Session &session, int32_t pending, int64_t size, int64_t right) {
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> draft, decode(session, pending, size));
  const auto vocabulary = static_cast<int32_t>(session.vocabularySize());
  for (int64_t i = right; i < size; ++i) {
    int32_t &token = draft[static_cast<size_t>(i)];
    token = (token + 1) % vocabulary;
  }
  FixedDraft source(std::move(draft));
  QRT_ASSIGN_OR_RETURN(Session::Round round, session.round(pending, size, source));
  if (round.drafted != size || round.accepted != right)
    return absl::InternalError(absl::StrCat("a round drafted ", round.drafted, " tokens of ", size,
                                            " and accepted ", round.accepted, " of ", right));
  return round.emitted.ids.back();
}

/// Rounds of a program with a draft model, which is the same model and so always right.
absl::Status modelRounds(Session &session, absl::Span<const int32_t> prompt) {
  DraftSource &source = *session.draftModel();
  QRT_RETURN_IF_ERROR(session.truncate(0));
  QRT_RETURN_IF_ERROR(session.prefill(prompt.first(prompt.size() - 1)));
  source.begin(prompt);
  int32_t pending = prompt.back();
  for (int64_t size : {3, 2, 0, 1}) {
    QRT_ASSIGN_OR_RETURN(Session::Round round, session.round(pending, size, source));
    if (round.drafted != size || round.accepted != size)
      return absl::InternalError(absl::StrCat("a round drafted ", round.drafted, " tokens of ",
                                              size, " and accepted ", round.accepted));
    source.append(round.emitted.ids);
    pending = round.emitted.ids.back();
  }
  return source.status();
}

absl::Status runSteps(const Executable &executable) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                       Session::create(executable, {kContext, 0}));
  const int64_t vocabulary = session->vocabularySize();
  QRT_RETURN_IF_ERROR(session->prefill(someTokens(70, vocabulary, 1)));
  QRT_RETURN_IF_ERROR(session->prefill(someTokens(3, vocabulary, 2)));
  QRT_RETURN_IF_ERROR(session->logits(someTokens(9, vocabulary, 3)).status());
  QRT_ASSIGN_OR_RETURN(Session::Step step, session->greedy(someTokens(2, vocabulary, 4)));
  int32_t pending = step.ids.back();
  if (session->draftModel()) {
    QRT_ASSIGN_OR_RETURN(std::unique_ptr<LanguageModel> draft,
                         LanguageModel::create(executable, kDraftPrefix, kContext));
    QRT_RETURN_IF_ERROR(draft->prefill(someTokens(70, vocabulary, 1), draft->maxRows()));
    QRT_RETURN_IF_ERROR(draft->logits(someTokens(9, vocabulary, 3)).status());
    QRT_RETURN_IF_ERROR(draft->greedy(someTokens(2, vocabulary, 4)).status());
    return modelRounds(*session, someTokens(37, vocabulary, 5));
  }
  QRT_ASSIGN_OR_RETURN(pending, draftRound(*session, pending, 3, 2));
  QRT_ASSIGN_OR_RETURN(pending, draftRound(*session, pending, 2, 2));
  return draftRound(*session, pending, 0, 0).status();
}

absl::StatusOr<std::unique_ptr<Executable>> load(Device &device, const std::string &library,
                                                 const std::string &model) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<CompiledLibrary> code,
                       CompiledLibrary::load(device, readCode(library), library));
  // A draft, if there is one, is the same model.
  auto open = [&]() -> absl::StatusOr<std::unique_ptr<WeightSource>> {
    QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightSource> own, openGgufWeights(model));
    QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightSource> draft, openGgufWeights(model));
    return joinWeights(std::move(own), std::move(draft));
  };
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<WeightStore> weights,
                       WeightStore::load(device, code->descriptor(), open, {}));
  return Executable::create(device, std::move(code), std::move(weights));
}

/// Whether all went well.
bool report(const std::string &what, const absl::Status &status) {
  std::fprintf(stderr, "%s: %s\n", what.c_str(), status.ok() ? "done" : status.ToString().c_str());
  return status.ok();
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: run-step LIBRARY.so MODEL.gguf THREADS...\n");
    return 2;
  }
  bool good = true;
  for (int i = 3; i < argc; ++i) {
    ThreadTeamOptions team;
    team.numThreads = std::atoi(argv[i]);
    team.adapt = false; // a race needs all of them
    auto device = createCpuDevice(team);
    if (!report("threads", device.status()))
      return 1;
    auto executable = load(**device, argv[1], argv[2]);
    if (!report("load", executable.status()))
      return 1;
    for (int repetition = 0; repetition < kRepetitions; ++repetition)
      good &= report((*device)->name(), runSteps(**executable));
  }
  return good ? 0 : 1;
}
