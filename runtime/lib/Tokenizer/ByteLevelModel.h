//===- ByteLevelModel.h - byte-pair encoding inside of words ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_TOKENIZER_BYTELEVELMODEL_H
#define QUENCH_RT_LIB_TOKENIZER_BYTELEVELMODEL_H

#include "BytePairEncoder.h"
#include "TextModel.h"
#include "quench-rt/Tokenizer/PreTokenizer.h"
#include "quench-rt/Tokenizer/Vocabulary.h"

#include "absl/types/span.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace qrt {

/// The kind `gpt2`: a pre-tokenizer cuts text into words, merges of bytes stay inside.
class ByteLevelModel final : public TextModel {
public:
  /// `bytes` are what the vocabulary's tokens stand for; they are borrowed. There is a
  /// type for each.
  static absl::StatusOr<std::unique_ptr<TextModel>> create(const Vocabulary &vocabulary,
                                                           absl::Span<const std::string> bytes);

  absl::StatusOr<int64_t> encode(absl::string_view text, std::vector<int32_t> &ids) const override;
  bool keepsAllBytes() const override;
  LeadingSpaces dropsLeadingSpaces() const override { return LeadingSpaces::None; }
  bool findsUserDefined() const override { return false; }

private:
  ByteLevelModel(PreTokenizer preTokenizer, BytePairEncoder encoder)
      : preTokenizer(std::move(preTokenizer)), encoder(std::move(encoder)) {}

  PreTokenizer preTokenizer;
  BytePairEncoder encoder;
};

} // namespace qrt

#endif // QUENCH_RT_LIB_TOKENIZER_BYTELEVELMODEL_H
