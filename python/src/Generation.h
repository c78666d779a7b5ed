//===- Generation.h - sampling options, generations ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_PYTHON_GENERATION_H
#define QUENCH_PYTHON_GENERATION_H

#include "quench-rt/quench.h"

#include <nanobind/nanobind.h>

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace quench {

/// A structure of the C API with what it points to. Not movable.
struct GenerateOptions {
  GenerateOptions(std::optional<int64_t> maxTokens, std::vector<std::string> stop,
                  double temperature, int64_t topK, double topP, double minP, int64_t repeatLastN,
                  double repeatPenalty, double frequencyPenalty, double presencePenalty,
                  const std::map<int32_t, double> &logitBias, uint64_t seed, bool logprobs,
                  const std::string &speculate, int32_t draftTokens, bool rejection,
                  bool ignoreEnd);
  GenerateOptions(const GenerateOptions &) = delete;

  qrt_generate_options options = QRT_GENERATE_OPTIONS_INIT;

private:
  std::vector<std::string> stopTexts;
  std::vector<const char *> stopPointers;
  std::vector<qrt_logit_bias> biases;
};

class Generation {
public:
  /// Takes over the generation; `session` is what cancels it.
  Generation(qrt_generation *generation, std::shared_ptr<qrt_session> session);

  /// The next text; throws StopIteration at the end.
  nanobind::str next();
  /// All that is left, and what there was.
  nanobind::str read();
  qrt_generation_stats stats() const;

  std::string text;
  std::vector<int32_t> tokens;
  std::vector<double> logprobs;

private:
  /// False at the end; `piece` is text that may be empty.
  bool step(std::string &piece);

  struct Release {
    void operator()(qrt_generation *generation) const { qrt_generation_free(generation); }
  };
  std::shared_ptr<qrt_session> session; ///< freed last
  std::unique_ptr<qrt_generation, Release> generation;
  bool done = false;
};

void addGeneration(nanobind::module_ &module);

} // namespace quench

#endif // QUENCH_PYTHON_GENERATION_H
