//===- Tokenizer.cpp - tokenizers in the C API -----------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Handles.h"

#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Support/Status.h"

using namespace qrt;
using namespace qrt::capi;

/// A usage error for bits that mean nothing.
static absl::Status checkFlags(uint32_t flags, uint32_t known) {
  if ((flags & ~known) == 0)
    return absl::OkStatus();
  return usageError(
      absl::StrCat("flags: found ", flags, ", expected a sum of flags up to ", known));
}

extern "C" {

qrt_status qrt_tokenizer_load(const char *path, qrt_tokenizer **tokenizer) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(path, "path"));
    QRT_RETURN_IF_ERROR(checkPointer(tokenizer, "tokenizer"));
    QRT_ASSIGN_OR_RETURN(std::unique_ptr<Tokenizer> loaded, loadTokenizer(path));
    *tokenizer = new qrt_tokenizer{std::move(loaded)};
    return absl::OkStatus();
  });
}

void qrt_tokenizer_free(qrt_tokenizer *tokenizer) { delete tokenizer; }

int32_t qrt_tokenizer_size(const qrt_tokenizer *tokenizer) { return tokenizer->tokenizer->size(); }

int32_t qrt_tokenizer_is_end(const qrt_tokenizer *tokenizer, int32_t token) {
  return token >= 0 && token < tokenizer->tokenizer->size() &&
         tokenizer->tokenizer->isEndOfGeneration(token);
}

qrt_status qrt_tokenizer_encode(const qrt_tokenizer *tokenizer, const char *text, size_t size,
                                uint32_t flags, int32_t **tokens, size_t *count) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(tokenizer, "tokenizer"));
    QRT_RETURN_IF_ERROR(size == 0 ? absl::OkStatus() : checkPointer(text, "text"));
    QRT_RETURN_IF_ERROR(checkPointer(tokens, "tokens"));
    QRT_RETURN_IF_ERROR(checkPointer(count, "count"));
    QRT_RETURN_IF_ERROR(checkFlags(flags, QRT_ENCODE_NO_BOS | QRT_ENCODE_NO_SPECIAL));
    EncodeOptions options = promptEncoding();
    options.addBos = !(flags & QRT_ENCODE_NO_BOS);
    options.parseSpecial = !(flags & QRT_ENCODE_NO_SPECIAL);
    QRT_ASSIGN_OR_RETURN(std::vector<int32_t> ids,
                         encodePrompt(*tokenizer->tokenizer, {text, size}, options, {}));
    QRT_ASSIGN_OR_RETURN(void *copy, copyOut(ids.data(), ids.size() * sizeof(int32_t)));
    *tokens = static_cast<int32_t *>(copy);
    *count = ids.size();
    return absl::OkStatus();
  });
}

qrt_status qrt_tokenizer_decode(const qrt_tokenizer *tokenizer, const int32_t *tokens, size_t count,
                                uint32_t flags, char **text, size_t *size) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(tokenizer, "tokenizer"));
    QRT_RETURN_IF_ERROR(count == 0 ? absl::OkStatus() : checkPointer(tokens, "tokens"));
    QRT_RETURN_IF_ERROR(checkPointer(text, "text"));
    QRT_RETURN_IF_ERROR(checkPointer(size, "size"));
    QRT_RETURN_IF_ERROR(checkFlags(flags, QRT_DECODE_SPECIAL | QRT_DECODE_CONTINUES));
    QRT_RETURN_IF_ERROR(tokenizer->tokenizer->checkIds({tokens, count}));
    DecodeOptions options;
    options.renderSpecial = flags & QRT_DECODE_SPECIAL;
    options.continues = flags & QRT_DECODE_CONTINUES;
    const std::string decoded = tokenizer->tokenizer->decode({tokens, count}, options);
    QRT_ASSIGN_OR_RETURN(void *copy, copyOut(decoded.data(), decoded.size()));
    *text = static_cast<char *>(copy);
    *size = decoded.size();
    return absl::OkStatus();
  });
}

} // extern "C"
