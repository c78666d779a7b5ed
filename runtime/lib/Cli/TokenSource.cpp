//===- TokenSource.cpp - tokens from the command line ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TokenSource.h"

#include "Errors.h"
#include "ModelFlags.h"

#include "quench-rt/Model/LoadedModel.h"
#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"

using namespace qrt;
using namespace qrt::cli;

void TokenSource::addTo(Command &command) {
  idsOption = command.text("--tokens", "IDS", ids, "Token ids, such as 1,2,3");
  text.addTo(command);
}

absl::StatusOr<std::vector<int32_t>> TokenSource::tokensOf(const std::string &model) const {
  if (idsOption.given())
    return parseIds(ids, "--tokens");
  QRT_ASSIGN_OR_RETURN(std::string content, text.read());
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Tokenizer> tokenizer, loadTokenizer(model));
  return encodePrompt(*tokenizer, content, promptEncoding(), commandLineListener());
}

absl::StatusOr<std::vector<int32_t>> TokenSource::read(const std::string &model) const {
  if (idsOption.given() && text.given())
    return usageError("--tokens gives the ids, so -p and -f cannot be given as well");
  if (!idsOption.given() && !text.given())
    return usageError("there are no tokens: give --tokens IDS, -p TEXT or -f FILE");
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> tokens, tokensOf(model));
  if (tokens.empty())
    return absl::InvalidArgumentError("there are no tokens, expected at least one");
  QRT_ASSIGN_OR_RETURN(int64_t context, contextOf(model));
  if (static_cast<int64_t>(tokens.size()) > context)
    return absl::InvalidArgumentError(
        absl::StrCat(tokens.size(), " tokens exceed the model's context of ", context, " tokens"));
  return tokens;
}
