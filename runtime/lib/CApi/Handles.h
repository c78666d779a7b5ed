//===- Handles.h - what the handles of the C API refer to ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_RT_LIB_CAPI_HANDLES_H
#define QUENCH_RT_LIB_CAPI_HANDLES_H

#include "quench-rt/Model/ChatSession.h"
#include "quench-rt/Model/LoadedModel.h"
#include "quench-rt/Model/TextSession.h"
#include "quench-rt/Tokenizer/Tokenizer.h"
#include "quench-rt/quench.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

struct qrt_tokenizer {
  std::unique_ptr<qrt::Tokenizer> tokenizer;
};

namespace qrt::capi {

struct Model {
  std::string path;
  LoadedModel loaded;
  qrt_tokenizer tokenizer;
  int32_t threads = 0;
};

/// Shared by its handle and those made from it.
struct SessionState {
  std::shared_ptr<const Model> model;
  std::unique_ptr<TextSession> text;
  std::atomic<bool> cancel = false;
  qrt_generation *current = nullptr; ///< whose steps are the session's

  /// Whether to stop; asking takes the request away.
  bool takeCancel() { return cancel.load(std::memory_order_relaxed) && cancel.exchange(false); }
  /// Ends the generation in progress, before the session is used in another way.
  void endGeneration();
};
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler sets it");

/// Starts a generation of the session with `begin`; `ended` is called once, when it is over.
/// Made by qrt_session_generate and qrt_chat_ask alike.
qrt_status
startGeneration(const std::shared_ptr<SessionState> &session, const qrt_generate_options *options,
                const std::function<absl::StatusOr<TextGeneration *>(const TextOptions &)> &begin,
                std::function<void(const TextGeneration &)> ended, qrt_generation **generation);

} // namespace qrt::capi

struct qrt_model {
  std::shared_ptr<const qrt::capi::Model> model;
};

struct qrt_session {
  std::shared_ptr<qrt::capi::SessionState> state;
};

#endif // QUENCH_RT_LIB_CAPI_HANDLES_H
