//===- VocabularyGguf.cpp - the vocabulary in a GGUF file's metadata -------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// The keys are those of the public specification in the ggml project (docs/gguf.md),
// section "Tokenizer".
//
//===----------------------------------------------------------------------===//

#include "quench-rt/ModelFile/Gguf.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"
#include "quench-rt/Tokenizer/PreTokenizer.h"
#include "quench-rt/Tokenizer/Vocabulary.h"

#include "absl/strings/str_cat.h"

#include <limits>

using namespace qrt;

/// Reads an id; -1 if there is none. Some files write that as the largest uint32.
static absl::Status readId(const GgufFile &file, std::string_view key, int32_t &id) {
  QRT_ASSIGN_OR_RETURN(const int64_t value, file.getIntOr(key, -1));
  id = -1;
  if (value == -1 || value == std::numeric_limits<uint32_t>::max())
    return absl::OkStatus();
  if (value < 0 || value > std::numeric_limits<int32_t>::max())
    return absl::InvalidArgumentError(absl::StrCat(file.path(), ": metadata ", qrt::quoted(key),
                                                   ": expected the id of a token, found ", value));
  id = static_cast<int32_t>(value);
  return absl::OkStatus();
}

static absl::Status readStrings(const GgufFile &file, std::string_view key,
                                std::vector<std::string> &out) {
  QRT_ASSIGN_OR_RETURN(const std::vector<std::string_view> strings, file.getStrings(key));
  out.assign(strings.begin(), strings.end());
  return absl::OkStatus();
}

static absl::Status readTypes(const GgufFile &file, std::vector<int32_t> &types) {
  constexpr std::string_view key = "tokenizer.ggml.token_type";
  if (!file.find(key))
    return absl::OkStatus();
  QRT_ASSIGN_OR_RETURN(const std::vector<int64_t> values, file.getInts(key));
  types.reserve(values.size());
  for (int64_t value : values) {
    // What types there are is checked later; this only keeps the conversion exact.
    const auto type = static_cast<int32_t>(value);
    types.push_back(type == value ? type : -1);
  }
  return absl::OkStatus();
}

/// What only vocabularies of the SentencePiece library have. A file that does not say how
/// spaces are treated has the library's default for adding one, and removes none.
static absl::Status readSentencePiece(const GgufFile &file, Vocabulary &vocabulary) {
  constexpr std::string_view charsmap = "tokenizer.ggml.precompiled_charsmap";
  if (file.find(charsmap))
    return absl::UnimplementedError(
        absl::StrCat(file.path(), ": metadata ", qrt::quoted(charsmap),
                     ": found a table of characters to replace before encoding, which is not "
                     "supported"));
  QRT_ASSIGN_OR_RETURN(vocabulary.scores, file.getFloats("tokenizer.ggml.scores"));
  if (vocabulary.types.empty()) // there is no such key, or nothing in it
    return file.getInts("tokenizer.ggml.token_type").status();
  QRT_ASSIGN_OR_RETURN(vocabulary.addSpacePrefix,
                       file.getBoolOr("tokenizer.ggml.add_space_prefix", true));
  QRT_ASSIGN_OR_RETURN(vocabulary.removeExtraWhitespaces,
                       file.getBoolOr("tokenizer.ggml.remove_extra_whitespaces", false));
  return absl::OkStatus();
}

absl::StatusOr<Vocabulary> qrt::vocabularyFromGguf(const GgufFile &file) {
  Vocabulary vocabulary;
  QRT_ASSIGN_OR_RETURN(vocabulary.model, file.getString("tokenizer.ggml.model"));
  QRT_RETURN_IF_ERROR(readStrings(file, "tokenizer.ggml.tokens", vocabulary.tokens));
  QRT_RETURN_IF_ERROR(readTypes(file, vocabulary.types));
  // That another kind of tokenizer is not supported is for Tokenizer::create to say.
  bool addBosByDefault = false;
  if (vocabulary.model == "gpt2") {
    QRT_RETURN_IF_ERROR(readStrings(file, "tokenizer.ggml.merges", vocabulary.merges));
    QRT_ASSIGN_OR_RETURN(vocabulary.preTokenizer, file.getString("tokenizer.ggml.pre"));
    const PreTokenizerRules *rules = findPreTokenizerRules(vocabulary.preTokenizer);
    addBosByDefault = rules && rules->addBosByDefault;
  } else if (vocabulary.model == "llama") {
    QRT_RETURN_IF_ERROR(readSentencePiece(file, vocabulary));
    addBosByDefault = true;
  }

  QRT_RETURN_IF_ERROR(readId(file, "tokenizer.ggml.bos_token_id", vocabulary.bos));
  QRT_RETURN_IF_ERROR(readId(file, "tokenizer.ggml.eos_token_id", vocabulary.eos));
  QRT_RETURN_IF_ERROR(readId(file, "tokenizer.ggml.unknown_token_id", vocabulary.unk));
  QRT_RETURN_IF_ERROR(readId(file, "tokenizer.ggml.padding_token_id", vocabulary.pad));
  for (std::string_view key : {"tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    int32_t id = -1;
    QRT_RETURN_IF_ERROR(readId(file, key, id));
    if (id >= 0)
      vocabulary.eog.push_back(id);
  }

  QRT_ASSIGN_OR_RETURN(vocabulary.addBos, file.getBoolOr("tokenizer.ggml.add_bos_token",
                                                         addBosByDefault && vocabulary.bos >= 0));
  QRT_ASSIGN_OR_RETURN(vocabulary.addEos, file.getBoolOr("tokenizer.ggml.add_eos_token", false));
  QRT_ASSIGN_OR_RETURN(vocabulary.chatTemplate, file.getStringOr("tokenizer.chat_template", ""));

  if (absl::Status status = checkVocabulary(vocabulary); !status.ok())
    return absl::Status(status.code(), absl::StrCat(file.path(), ": ", status.message()));
  return vocabulary;
}
