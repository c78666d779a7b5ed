//===- Conversation.cpp - the tokens of a conversation ---------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Chat/Conversation.h"

#include "quench-rt/Support/Status.h"

using namespace qrt;

absl::StatusOr<std::vector<int32_t>> Conversation::ask(absl::string_view user) const {
  const Vocabulary &vocabulary = tokenizer->vocabulary();
  const std::vector<ChatTemplate::Piece> pieces = tokens.empty()
                                                      ? chatTemplate.firstTurn(systemPrompt, user)
                                                      : chatTemplate.nextTurn(vocabulary, user);
  std::vector<TextPart> parts;
  for (const ChatTemplate::Piece &piece : pieces)
    parts.push_back({piece.text, piece.isMarkup});
  EncodeOptions options;
  options.addBos = false;
  options.addEos = false;
  QRT_ASSIGN_OR_RETURN(const std::vector<int32_t> turn, tokenizer->encodeParts(parts, options));

  std::vector<int32_t> prompt = tokens;
  if (tokens.empty() && chatTemplate.beginsWithBos(vocabulary))
    prompt.push_back(vocabulary.bos);
  prompt.insert(prompt.end(), turn.begin(), turn.end());
  return prompt;
}

void Conversation::answer(absl::Span<const int32_t> prompt, absl::Span<const int32_t> answer) {
  tokens.assign(prompt.begin(), prompt.end());
  tokens.insert(tokens.end(), answer.begin(), answer.end());
  if (!answer.empty() && tokenizer->isEndOfGeneration(tokens.back()))
    tokens.pop_back();
}
