//===- HyperParameters.cpp - a model's numbers, checked --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "HyperParameters.h"

#include "FileErrors.h"

#include "quench-rt/KVCache/CacheGeometry.h"
#include "quench-rt/Support/Status.h"

#include <cmath>
#include <optional>

using namespace mlir;
using namespace mlir::quench;

/// Beyond this the dialect's rotary positions lose their accuracy.
static constexpr int64_t kMaxContext = int64_t(1) << 24;
/// Far above any model; keeps products small.
static constexpr int64_t kMaxFeatures = int64_t(1) << 30;
static constexpr int64_t kMaxHeads = 1 << 16;
static constexpr int64_t kMaxLayers = 1 << 16;

namespace {
class Reader {
public:
  Reader(const qrt::GgufFile &file, const ArchitectureDescription &architecture)
      : file(file), architecture(architecture) {}

  absl::StatusOr<HyperParameters> read();

private:
  std::string key(StringRef suffix) const { return (architecture.name + "." + suffix).str(); }

  /// An integer from 1 to `most`; `otherwise` if it may be absent.
  absl::Status readCount(StringRef suffix, int64_t most, int64_t &result,
                         std::optional<int64_t> otherwise = std::nullopt);
  absl::Status readHeads(HyperParameters &result);
  absl::Status readRotated(HyperParameters &result);
  absl::Status checkFeedForward(const HyperParameters &result);
  absl::Status readEpsilon(HyperParameters &result);
  absl::Status readAttentionKinds(HyperParameters &result);
  absl::Status readWindows(const WindowedLayers &layers, HyperParameters &result);
  absl::Status refuseUnsupported();

  const qrt::GgufFile &file;
  const ArchitectureDescription &architecture;
};
} // namespace

absl::Status Reader::readCount(StringRef suffix, int64_t most, int64_t &result,
                               std::optional<int64_t> otherwise) {
  std::string name = key(suffix);
  if (otherwise && !file.find(name)) {
    result = *otherwise;
    return absl::OkStatus();
  }
  QRT_ASSIGN_OR_RETURN(result, file.getInt(name));
  if (result < 1 || result > most)
    return absl::InvalidArgumentError(
        absl::StrCat(aboutKey(file, name), ": ", result, ", expected 1 to ", most));
  return absl::OkStatus();
}

absl::Status Reader::readHeads(HyperParameters &result) {
  QRT_RETURN_IF_ERROR(readCount("attention.head_count", kMaxHeads, result.heads));
  QRT_RETURN_IF_ERROR(
      readCount("attention.head_count_kv", kMaxHeads, result.cacheHeads, result.heads));
  if (result.heads % result.cacheHeads != 0)
    return absl::InvalidArgumentError(
        absl::StrCat(aboutKey(file, key("attention.head_count_kv")), ": ", result.cacheHeads,
                     ", expected a divisor of the ", result.heads, " heads"));

  QRT_RETURN_IF_ERROR(readCount("attention.key_length", kMaxHeads, result.headDim, 0));
  std::string source = key("attention.key_length");
  if (result.headDim == 0) {
    source = key("attention.head_count");
    if (result.embedding % result.heads != 0)
      return absl::InvalidArgumentError(
          absl::StrCat(aboutKey(file, source), ": ", result.heads,
                       ", expected a divisor of the embedding length ", result.embedding));
    result.headDim = result.embedding / result.heads;
  }
  if (result.headDim % 8 != 0)
    return absl::UnimplementedError(absl::StrCat(aboutKey(file, source), ": heads of ",
                                                 result.headDim,
                                                 " elements, expected a multiple of 8"));

  absl::StatusOr<qrt::CacheGeometry> pages = qrt::CacheGeometry::create(
      result.layers, result.cacheHeads, result.headDim, kPageSlots, sizeof(float));
  if (!pages.ok())
    return absl::InvalidArgumentError(absl::StrCat(
        aboutKey(file, key("block_count")), ": a cache of ", result.layers, " layers with ",
        result.cacheHeads, " heads of ", result.headDim, " elements: ", pages.status().message()));

  int64_t valueLength;
  QRT_RETURN_IF_ERROR(readCount("attention.value_length", kMaxHeads, valueLength, result.headDim));
  if (valueLength != result.headDim)
    return absl::UnimplementedError(absl::StrCat(aboutKey(file, key("attention.value_length")),
                                                 ": ", valueLength, ", expected the ",
                                                 result.headDim, " elements of a key's head"));
  return absl::OkStatus();
}

absl::Status Reader::readRotated(HyperParameters &result) {
  StringRef suffix = "rope.dimension_count";
  QRT_RETURN_IF_ERROR(readCount(suffix, kMaxHeads, result.rotated, result.headDim));
  if (result.rotated == result.headDim)
    return absl::OkStatus();
  std::string about = absl::StrCat(aboutKey(file, key(suffix)), ": ", result.rotated);
  if (!architecture.partialRotation)
    return absl::UnimplementedError(
        absl::StrCat(about, ", expected all ", result.headDim, " elements of a head"));
  if (result.rotated > result.headDim || result.rotated % 2 != 0)
    return absl::InvalidArgumentError(absl::StrCat(about, ", expected an even number, at most the ",
                                                   result.headDim, " elements of a head"));
  return absl::OkStatus();
}

/// Parts of tensors are cut between groups of 8 rows, and heads are such groups.
absl::Status Reader::checkFeedForward(const HyperParameters &result) {
  if (!architecture.has(LayerRole::GateUp) || result.feedForward % 8 == 0)
    return absl::OkStatus();
  return absl::UnimplementedError(
      absl::StrCat(aboutKey(file, key("feed_forward_length")), ": ", result.feedForward,
                   ", expected a multiple of 8 in architecture '", toAbsl(architecture.name), "'"));
}

absl::Status Reader::readEpsilon(HyperParameters &result) {
  std::string name = key(architecture.epsilonKey);
  QRT_ASSIGN_OR_RETURN(double epsilon, file.getFloat(name));
  // Written so that a NaN fails.
  if (!(epsilon >= 0 && epsilon <= 1))
    return absl::InvalidArgumentError(
        absl::StrCat(aboutKey(file, name), ": ", epsilon, ", expected 0 to 1"));
  result.epsilon = static_cast<float>(epsilon);
  return absl::OkStatus();
}

absl::Status Reader::readAttentionKinds(HyperParameters &result) {
  AttentionKind plain;
  if (architecture.positions == PositionKind::Rotary) {
    QRT_RETURN_IF_ERROR(readRotated(result));
    QRT_ASSIGN_OR_RETURN(plain.inverseFrequencies,
                         readInverseFrequencies(file, architecture, result.rotated));
  }
  result.attentionKinds = {std::move(plain)};
  result.attentionOfLayer.assign(result.layers, 0);
  return architecture.windowedLayers ? readWindows(*architecture.windowedLayers, result)
                                     : absl::OkStatus();
}

absl::Status Reader::readWindows(const WindowedLayers &layers, HyperParameters &result) {
  StringRef windowKey = "attention.sliding_window";
  if (layers.period == 0) {
    // The window of a file without one is 0, or is not there.
    QRT_ASSIGN_OR_RETURN(int64_t window, file.getIntOr(key(windowKey), 0));
    if (window != 0)
      QRT_RETURN_IF_ERROR(readCount(windowKey, kMaxContext, window));
    result.attentionKinds[0].window = window;
    return absl::OkStatus();
  }
  AttentionKind windowed = result.attentionKinds[0];
  int64_t period;
  QRT_RETURN_IF_ERROR(readCount(windowKey, kMaxContext, windowed.window));
  QRT_RETURN_IF_ERROR(
      readCount("attention.sliding_window_pattern", kMaxLayers, period, layers.period));
  if (layers.base != 0) {
    QRT_ASSIGN_OR_RETURN(windowed.inverseFrequencies,
                         readWindowFrequencies(file, architecture, layers.base, result.rotated));
  }
  result.attentionKinds.push_back(std::move(windowed));
  for (int64_t layer = 0; layer < result.layers; ++layer)
    result.attentionOfLayer[layer] = (layer + 1) % period != 0;
  return absl::OkStatus();
}

absl::Status Reader::refuseUnsupported() {
  for (const RefusedKey &refused : architecture.refusedKeys) {
    std::string name = key(refused.key);
    const qrt::GgufValue *value = file.find(name);
    if (!value)
      continue;
    std::optional<double> number = value->asFloat();
    if (std::optional<bool> flag = value->asBool())
      number = *flag ? 1 : 0;
    if (number && *number == refused.neutral)
      continue;
    return absl::UnimplementedError(absl::StrCat(
        aboutKey(file, name), ": ", number ? absl::StrCat(*number) : value->describeType(),
        " is not supported, expected ", refused.neutral, " or no such key"));
  }
  return absl::OkStatus();
}

absl::StatusOr<HyperParameters> Reader::read() {
  HyperParameters result;
  QRT_RETURN_IF_ERROR(refuseUnsupported());
  QRT_RETURN_IF_ERROR(readCount("block_count", kMaxLayers, result.layers));
  QRT_RETURN_IF_ERROR(readCount("context_length", kMaxContext, result.context));
  QRT_RETURN_IF_ERROR(readCount("embedding_length", kMaxFeatures, result.embedding));
  QRT_RETURN_IF_ERROR(readCount("feed_forward_length", kMaxFeatures, result.feedForward));
  QRT_RETURN_IF_ERROR(checkFeedForward(result));
  QRT_RETURN_IF_ERROR(readHeads(result));
  QRT_RETURN_IF_ERROR(readEpsilon(result));
  QRT_RETURN_IF_ERROR(readAttentionKinds(result));
  double scaleDim = static_cast<double>(result.headDim);
  if (result.layers == architecture.layersScaledByEmbedding)
    scaleDim = static_cast<double>(result.embedding) / static_cast<double>(result.heads);
  result.attentionScale = static_cast<float>(1 / std::sqrt(scaleDim));
  if (architecture.scaledEmbedding)
    result.embeddingScale = std::sqrt(static_cast<float>(result.embedding));
  return result;
}

absl::StatusOr<HyperParameters>
mlir::quench::readHyperParameters(const qrt::GgufFile &file,
                                  const ArchitectureDescription &architecture) {
  return Reader(file, architecture).read();
}
