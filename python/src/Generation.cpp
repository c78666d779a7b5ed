//===- Generation.cpp - sampling options, generations ----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Generation.h"

#include "Errors.h"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace quench;

GenerateOptions::GenerateOptions(std::optional<int64_t> maxTokens, std::vector<std::string> stop,
                                 double temperature, int64_t topK, double topP, double minP,
                                 int64_t repeatLastN, double repeatPenalty, double frequencyPenalty,
                                 double presencePenalty, const std::map<int32_t, double> &logitBias,
                                 uint64_t seed, bool logprobs, const std::string &speculate,
                                 int32_t draftTokens, bool rejection, bool ignoreEnd)
    : stopTexts(std::move(stop)) {
  for (const std::string &text : stopTexts)
    stopPointers.push_back(text.c_str());
  for (const auto &[token, bias] : logitBias)
    biases.push_back({token, bias});
  if (maxTokens && *maxTokens < 0)
    throw UsageError("max_tokens: found " + std::to_string(*maxTokens) + ", expected 0 or more");
  options.max_tokens = maxTokens.value_or(-1);
  options.ignore_end = ignoreEnd;
  options.logprobs = logprobs;
  options.stops = stopPointers.data();
  options.num_stops = stopPointers.size();
  options.temperature = temperature;
  options.top_k = topK;
  options.top_p = topP;
  options.min_p = minP;
  options.repeat_last_n = repeatLastN;
  options.repeat_penalty = repeatPenalty;
  options.frequency_penalty = frequencyPenalty;
  options.presence_penalty = presencePenalty;
  options.biases = biases.data();
  options.num_biases = biases.size();
  options.seed = seed;
  options.draft_tokens = draftTokens;
  options.rejection = rejection;
  if (speculate == "lookup")
    options.speculation = QRT_SPECULATION_LOOKUP;
  else if (speculate == "off")
    options.speculation = QRT_SPECULATION_OFF;
  else if (speculate != "auto")
    throw UsageError("speculate: found '" + speculate + "', expected 'auto', 'lookup' or 'off'");
}

Generation::Generation(qrt_generation *generation, std::shared_ptr<qrt_session> session)
    : session(std::move(session)), generation(generation) {}

bool Generation::step(std::string &text) {
  if (done)
    return false;
  qrt_piece piece = QRT_PIECE_INIT;
  Outcome outcome = [&] {
    nb::gil_scoped_release release;
    return Outcome(qrt_generation_next(generation.get(), &piece));
  }();
  if (outcome.status == QRT_OK) {
    text.assign(piece.text, piece.text_size);
    this->text += text;
    tokens.insert(tokens.end(), piece.tokens, piece.tokens + piece.num_tokens);
    if (piece.logprobs)
      logprobs.insert(logprobs.end(), piece.logprobs, piece.logprobs + piece.num_tokens);
  }
  done = outcome.status != QRT_OK || piece.done;
  try {
    check(outcome);
  } catch (nb::python_error &) {
    // Ctrl-C: what follows would never be asked for.
    if (!done) {
      qrt_session_cancel(session.get());
      qrt_generation_next(generation.get(), &piece);
      done = true;
    }
    throw;
  }
  return true;
}

nb::str Generation::next() {
  std::string piece;
  while (step(piece))
    if (!piece.empty())
      return textOf(piece.data(), piece.size());
  throw nb::stop_iteration();
}

nb::str Generation::read() {
  std::string piece;
  while (step(piece)) {
  }
  return textOf(text.data(), text.size());
}

qrt_generation_stats Generation::stats() const {
  qrt_generation_stats stats = QRT_GENERATION_STATS_INIT;
  check(qrt_generation_get_stats(generation.get(), &stats));
  return stats;
}

static nb::object stopName(const qrt_generation_stats &stats) {
  static const char *const kNames[] = {nullptr, "end", "stop", "length", "context", "cancelled"};
  const char *name = kNames[stats.stop];
  return name ? nb::object(nb::str(name)) : nb::none();
}

void quench::addGeneration(nb::module_ &module) {
  nb::class_<qrt_generation_stats>(module, "Stats", "What a generation has done so far.")
      .def_prop_ro(
          "stop", stopName, nb::sig("def stop(self) -> str | None"),
          "Why it ended: 'end', 'stop', 'length', 'context' or 'cancelled'; None: it has not.")
      .def_ro("prompt_tokens", &qrt_generation_stats::prompt_tokens)
      .def_ro("cached_tokens", &qrt_generation_stats::cached_tokens,
              "Tokens of the prompt that were in the session's cache.")
      .def_ro("tokens", &qrt_generation_stats::tokens, "Tokens that were generated.")
      .def_ro("rounds", &qrt_generation_stats::rounds, "Steps after the prompt.")
      .def_ro("drafted", &qrt_generation_stats::drafted)
      .def_ro("accepted", &qrt_generation_stats::accepted, "Tokens that were drafted and accepted.")
      .def_ro("prompt_seconds", &qrt_generation_stats::prompt_seconds)
      .def_ro("decode_seconds", &qrt_generation_stats::decode_seconds)
      .def("__repr__", [](const qrt_generation_stats &stats) {
        return nb::str("Stats(stop={}, prompt_tokens={}, cached_tokens={}, tokens={}, rounds={}, "
                       "drafted={}, accepted={}, prompt_seconds={:.3f}, decode_seconds={:.3f})")
            .format(stopName(stats), stats.prompt_tokens, stats.cached_tokens, stats.tokens,
                    stats.rounds, stats.drafted, stats.accepted, stats.prompt_seconds,
                    stats.decode_seconds);
      });

  nb::class_<Generation>(module, "Generation",
                         "A text that is being generated: an iterator of its pieces, which work is "
                         "done for as they are "
                         "asked for. Ctrl-C ends it.")
      .def(
          "__iter__", [](nb::handle self) { return self; },
          nb::sig("def __iter__(self) -> Generation"))
      .def("__next__", &Generation::next)
      .def("read", &Generation::read, "Generates to the end. Returns the whole text.")
      .def_prop_ro(
          "text", [](const Generation &self) { return textOf(self.text.data(), self.text.size()); },
          "The text so far.")
      .def_ro("tokens", &Generation::tokens, "The tokens so far.")
      .def_ro("logprobs", &Generation::logprobs,
              "The log-probability of each token so far, if they were asked for.")
      .def_prop_ro("stats", &Generation::stats);
}
