//===- ChatTurns.h - the turns of a conversation, and their report ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CLI_CHATTURNS_H
#define QUENCH_RT_LIB_CLI_CHATTURNS_H

#include "Output.h"

#include "quench-rt/Model/ChatSession.h"

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

#include <functional>

namespace qrt::cli {

class ChatTurns {
public:
  /// Borrows the conversation and its session. `options.onText`, which may be empty,
  /// receives answers as they are generated, a line end behind each.
  ChatTurns(ChatSession &chat, const TextSession &session, TextOptions options)
      : chat(chat), session(session), options(std::move(options)) {}

  /// Asks and answers. `cancelled` may be empty; once it returns true the answer ends, and
  /// is kept as far as it came.
  absl::Status turn(absl::string_view user, const std::function<bool()> &cancelled);

  void clear() { chat.clear(); }

  /// What `--json` prints.
  Json asJson() const;

private:
  ChatSession &chat;
  const TextSession &session;
  TextOptions options;
  Json turns = Json::array();
};

} // namespace qrt::cli

#endif // QUENCH_RT_LIB_CLI_CHATTURNS_H
