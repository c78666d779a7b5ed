//===- RopeFrequencies.cpp - inverse frequencies of rotary positions -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "HyperParameters.h"

#include "FileErrors.h"

#include "quench-rt/Support/Status.h"

#include <cmath>
#include <cstring>
#include <limits>

using namespace mlir;
using namespace mlir::quench;

static absl::Status checkPositive(const std::string &about, double number) {
  if (std::isfinite(number) && number > 0)
    return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat(about, ": ", number, ", expected a positive finite number"));
}

/// What every frequency is divided by. Files of before the type key existed give a
/// factor alone and mean linear; a factor of 0 means none.
static absl::StatusOr<double> readLinearFactor(const qrt::GgufFile &file,
                                               const std::string &prefix) {
  std::string typeKey = prefix + "rope.scaling.type", factorKey = prefix + "rope.scaling.factor";
  QRT_ASSIGN_OR_RETURN(std::string_view type, file.getStringOr(typeKey, "linear"));
  if (type == "none")
    return 1;
  if (type != "linear")
    return absl::UnimplementedError(absl::StrCat(aboutKey(file, typeKey), ": ", qrt::quoted(type),
                                                 " is not supported, expected 'none' or 'linear'"));
  if (!file.find(factorKey))
    factorKey = prefix + "rope.scale_linear";
  QRT_ASSIGN_OR_RETURN(double factor, file.getFloatOr(factorKey, 0));
  if (factor == 0)
    return 1;
  QRT_RETURN_IF_ERROR(checkPositive(aboutKey(file, factorKey), factor));
  return factor;
}

/// One divisor per frequency; 1 without the tensor.
static absl::StatusOr<std::vector<float>> readDivisors(const qrt::GgufFile &file, int64_t count) {
  std::vector<float> divisors(count, 1.0f);
  const qrt::GgufTensor *tensor = file.findTensor(kRopeDivisorsTensor);
  if (!tensor)
    return divisors;
  std::string about = aboutTensor(file, tensor->name);
  QRT_ASSIGN_OR_RETURN(qrt::Format format, file.formatOf(*tensor));
  if (format != qrt::Format::F32 || tensor->rank != 1 || tensor->columns() != count)
    return absl::InvalidArgumentError(
        absl::StrCat(about, ": ", describeTensor(*tensor), ", expected [", count, "] in F32"));
  std::memcpy(divisors.data(), tensor->data, tensor->bytes);
  for (float divisor : divisors)
    QRT_RETURN_IF_ERROR(checkPositive(about, divisor));
  return divisors;
}

/// `factor` and `divisors` scale the powers of the base that `baseKey` gives.
static absl::StatusOr<std::vector<float>> readFrequencies(const qrt::GgufFile &file,
                                                          const std::string &baseKey,
                                                          double otherwise, double factor,
                                                          const std::vector<float> &divisors) {
  QRT_ASSIGN_OR_RETURN(double base, file.getFloatOr(baseKey, otherwise));
  QRT_RETURN_IF_ERROR(checkPositive(aboutKey(file, baseKey), base));
  std::vector<float> result;
  for (size_t i = 0; i < divisors.size(); ++i) {
    double exponent = -static_cast<double>(i) / static_cast<double>(divisors.size());
    double frequency = std::pow(base, exponent) / (factor * divisors[i]);
    if (frequency > std::numeric_limits<float>::max())
      return absl::InvalidArgumentError(absl::StrCat(aboutKey(file, baseKey), ": ", base,
                                                     " gives frequency ", frequency,
                                                     ", expected one that f32 can hold"));
    result.push_back(static_cast<float>(frequency));
  }
  return result;
}

absl::StatusOr<std::vector<float>>
mlir::quench::readInverseFrequencies(const qrt::GgufFile &file,
                                     const ArchitectureDescription &architecture, int64_t rotated) {
  std::string prefix = (architecture.name + ".").str();
  QRT_ASSIGN_OR_RETURN(double factor, readLinearFactor(file, prefix));
  QRT_ASSIGN_OR_RETURN(std::vector<float> divisors, readDivisors(file, rotated / 2));
  return readFrequencies(file, prefix + "rope.freq_base", 10000, factor, divisors);
}

absl::StatusOr<std::vector<float>>
mlir::quench::readWindowFrequencies(const qrt::GgufFile &file,
                                    const ArchitectureDescription &architecture, double otherwise,
                                    int64_t rotated) {
  return readFrequencies(file, (architecture.name + ".rope.freq_base_swa").str(), otherwise, 1,
                         std::vector<float>(rotated / 2, 1.0f));
}
