//===- run-step.cpp - every entry point of a language model, a few times ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// usage: run-step LIBRARY.so MODEL.gguf THREADS...
//
// Loads instrumented code, which takes the functions of the sanitizer from this
// program, and runs it in a session: prompts of one step and of several, single tokens,
// rounds whose draft is right in part, wholly, and empty. Prints a line for each number
// of threads. What is wrong, the sanitizer says; what the runtime refuses is printed and
// gives exit status 1.
//
//===----------------------------------------------------------------------===//

#include "quench-rt/Decode/Session.h"
#include "quench-rt/Device/CpuDevice.h"
#include "quench-rt/Program/Executable.h"
#include "quench-rt/Program/WeightSource.h"

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

void require(const absl::Status &status) {
  if (status.ok())
    return;
  std::fprintf(stderr, "run-step: %s\n", status.ToString().c_str());
  std::exit(1);
}

template <typename T> T take(absl::StatusOr<T> value) {
  require(value.status());
  return *std::move(value);
}

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
std::vector<int32_t> decode(Session &session, int32_t pending, int64_t count) {
  const int64_t length = session.length();
  std::vector<int32_t> emitted;
  for (int64_t i = 0; i < count; ++i) {
    pending = take(session.greedy({pending})).ids[0];
    emitted.push_back(pending);
  }
  require(session.truncate(length));
  return emitted;
}

/// One round with a draft of `size` tokens that is right up to token `right`.
int32_t draftRound(Session &session, int32_t pending, int64_t size, int64_t right) {
  std::vector<int32_t> draft = decode(session, pending, size);
  const auto vocabulary = static_cast<int32_t>(session.vocabularySize());
  for (int64_t i = right; i < size; ++i) {
    int32_t &token = draft[static_cast<size_t>(i)];
    token = (token + 1) % vocabulary;
  }
  FixedDraft source(std::move(draft));
  Session::Round round = take(session.round(pending, size, source));
  if (round.drafted != size || round.accepted != right)
    require(absl::InternalError("a round drafted or accepted another number of tokens"));
  return round.emitted.ids.back();
}

void runSteps(const Executable &executable) {
  auto session = take(Session::create(executable, {kContext, 0}));
  const int64_t vocabulary = session->vocabularySize();
  require(session->prefill(someTokens(70, vocabulary, 1)));
  require(session->prefill(someTokens(3, vocabulary, 2)));
  (void)take(session->logits(someTokens(9, vocabulary, 3)));
  int32_t pending = take(session->greedy(someTokens(2, vocabulary, 4))).ids.back();
  pending = draftRound(*session, pending, 3, 2);
  pending = draftRound(*session, pending, 2, 2);
  (void)draftRound(*session, pending, 0, 0);
}

} // namespace

int main(int argc, char **argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: run-step LIBRARY.so MODEL.gguf THREADS...\n");
    return 2;
  }
  const std::string library = argv[1], model = argv[2];
  const std::vector<uint8_t> code = readCode(library);
  for (int i = 3; i < argc; ++i) {
    ThreadTeamOptions team;
    team.numThreads = std::atoi(argv[i]);
    auto device = take(createCpuDevice(team));
    auto compiled = take(CompiledLibrary::load(*device, code, library));
    auto weights = take(WeightStore::load(*device, compiled->descriptor(),
                                          [&] { return openGgufWeights(model); }, {}));
    auto executable = take(Executable::create(*device, std::move(compiled), std::move(weights)));
    runSteps(*executable);
    std::printf("%s: done\n", device->name().c_str());
  }
  return 0;
}
