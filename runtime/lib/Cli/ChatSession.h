//===- ChatSession.h - a conversation with a model ------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_CHATSESSION_H
#define QUENCH_RT_LIB_CLI_CHATSESSION_H

#include "Output.h"

#include "quench-rt/Chat/Conversation.h"
#include "quench-rt/Decode/Speculator.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace qrt::cli {

struct ChatOptions {
  SamplingOptions sampling;
  DraftOptions draft;
  int64_t maxTokens = 0; ///< of an answer; 0: until the model ends it
  /// Receives an answer as it is generated, a line end behind it. May be empty.
  std::function<void(absl::string_view piece)> show;
};

/// Turns of question and answer. The cache keeps what it has: only new tokens are
/// processed.
class ChatSession {
public:
  /// Borrows session and tokenizer, and the draft source of the options.
  ChatSession(Session &session, const Tokenizer &tokenizer, const ChatTemplate &chatTemplate,
              const std::string &system, const ChatOptions &options);

  /// Asks and answers. `cancelled` may be empty; once it returns true the answer ends, and
  /// is kept as far as it came. Fails, and changes nothing, if the conversation does not fit
  /// the context.
  absl::Status turn(absl::string_view user, const std::function<bool()> &cancelled);

  void clear() { conversation.clear(); }

  /// What `--json` prints.
  Json asJson() const;

private:
  Session &session;
  const Tokenizer &tokenizer;
  ChatOptions options;
  Conversation conversation;
  bool joinsText; ///< whether an answer starts after white space of the template
  std::vector<int32_t> endTokens;
  std::vector<int32_t> inCache; ///< the tokens at the positions of the cache
  Json turns = Json::array();
};

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_CHATSESSION_H
