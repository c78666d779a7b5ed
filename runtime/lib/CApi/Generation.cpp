//===- Generation.cpp - generations and conversations in the C API ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "GenerateOptions.h"
#include "Handles.h"

#include "quench-rt/Support/Status.h"

#include <utility>
#include <vector>

using namespace qrt;
using namespace qrt::capi;

struct qrt_generation {
  std::shared_ptr<SessionState> session;
  TextGeneration *steps = nullptr; ///< the session's; null once that does something else
  std::function<void(const TextGeneration &)> ended;
  qrt_generation_stats stats = QRT_GENERATION_STATS_INIT;
  bool done = false;
  std::string piece; ///< text that has not been handed out
  std::string text;  ///< and that has been, in the last piece
  std::vector<int32_t> tokens;
  std::vector<double> logprobs;

  ~qrt_generation() {
    if (session->current == this)
      session->endGeneration();
  }
  void readStats();
  void finish();
};

struct qrt_chat {
  std::shared_ptr<SessionState> session;
  std::shared_ptr<ChatSession> chat;
};

static qrt_stop stopOf(StopReason reason) {
  switch (reason) {
  case StopReason::End:
    return QRT_STOP_END;
  case StopReason::Stop:
    return QRT_STOP_STRING;
  case StopReason::Length:
    return QRT_STOP_LENGTH;
  case StopReason::Context:
    return QRT_STOP_CONTEXT;
  case StopReason::Cancelled:
    return QRT_STOP_CANCELLED;
  }
  return QRT_STOP_NOT_YET;
}

void qrt_generation::readStats() {
  const Generation &result = steps->result();
  stats = {sizeof(stats),
           done ? stopOf(result.stopReason) : QRT_STOP_NOT_YET,
           static_cast<int64_t>(result.promptTokens.size()),
           steps->cached(),
           static_cast<int64_t>(result.tokens.size()),
           result.rounds,
           result.drafted,
           result.accepted,
           result.prefillSeconds,
           result.decodeSeconds};
}

/// Tells the conversation that the answer is over.
void qrt_generation::finish() {
  if (ended)
    std::exchange(ended, nullptr)(*steps);
}

void SessionState::endGeneration() {
  if (!current)
    return;
  qrt_generation &generation = *std::exchange(current, nullptr);
  generation.finish();
  if (!generation.done) {
    generation.readStats();
    generation.stats.stop = QRT_STOP_CANCELLED;
    generation.done = true;
  }
  generation.steps = nullptr;
  text->end();
}

qrt_status capi::startGeneration(
    const std::shared_ptr<SessionState> &session, const qrt_generate_options *options,
    const std::function<absl::StatusOr<TextGeneration *>(const TextOptions &)> &begin,
    std::function<void(const TextGeneration &)> ended, qrt_generation **generation) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(generation, "generation"));
    QRT_ASSIGN_OR_RETURN(TextOptions text, textOptions(options));
    session->endGeneration();
    auto handle = std::make_unique<qrt_generation>();
    handle->session = session;
    handle->ended = std::move(ended);
    text.onText = [piece = &handle->piece](absl::string_view more) {
      piece->append(more.data(), more.size());
    };
    text.cancelled = [state = session.get()] { return state->takeCancel(); };
    QRT_ASSIGN_OR_RETURN(handle->steps, begin(text));
    handle->readStats();
    session->current = handle.get();
    *generation = handle.release();
    return absl::OkStatus();
  });
}

extern "C" {

qrt_status qrt_session_generate(qrt_session *session, const int32_t *prompt, size_t count,
                                const qrt_generate_options *options, qrt_generation **generation) {
  if (absl::Status status = checkPointer(session, "session"); !status.ok())
    return report(status);
  if (absl::Status status = checkPointer(prompt, "prompt"); !status.ok())
    return report(status);
  return startGeneration(
      session->state, options,
      [&](const TextOptions &text) { return session->state->text->begin({prompt, count}, text); },
      nullptr, generation);
}

void qrt_generation_free(qrt_generation *generation) { delete generation; }

qrt_status qrt_generation_next(qrt_generation *generation, qrt_piece *piece) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(generation, "generation"));
    QRT_RETURN_IF_ERROR(checkPointer(piece, "piece"));
    generation->tokens.clear();
    generation->logprobs.clear();
    if (!generation->done) {
      const Generation &result = generation->steps->result();
      const size_t before = result.tokens.size();
      absl::StatusOr<bool> more = generation->steps->step();
      generation->done = !more.ok() || !*more;
      generation->readStats();
      generation->tokens.assign(result.tokens.begin() + static_cast<ptrdiff_t>(before),
                                result.tokens.end());
      for (size_t i = before; i < result.logprobs.size(); ++i)
        generation->logprobs.push_back(result.logprobs[i].chosen);
      if (generation->done)
        generation->finish();
      QRT_RETURN_IF_ERROR(more.status());
    }
    generation->text = std::exchange(generation->piece, "");
    writeResult({0, generation->text.data(), generation->text.size(), generation->tokens.data(),
                 generation->logprobs.empty() ? nullptr : generation->logprobs.data(),
                 generation->tokens.size(), generation->done},
                piece);
    return absl::OkStatus();
  });
}

qrt_status qrt_generation_get_stats(const qrt_generation *generation, qrt_generation_stats *stats) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(generation, "generation"));
    QRT_RETURN_IF_ERROR(checkPointer(stats, "stats"));
    writeResult(generation->stats, stats);
    return absl::OkStatus();
  });
}

qrt_status qrt_chat_create(qrt_session *session, const char *format, const char *system,
                           qrt_chat **chat) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(session, "session"));
    QRT_RETURN_IF_ERROR(checkPointer(chat, "chat"));
    SessionState &state = *session->state;
    QRT_ASSIGN_OR_RETURN(
        ChatTemplate chosen,
        chooseChatTemplate(state.text->tokenizer(), textOr(format, ""), state.model->path));
    auto made = std::make_shared<ChatSession>(*state.text, chosen,
                                              system ? system : chosen.defaultSystem());
    *chat = new qrt_chat{session->state, std::move(made)};
    return absl::OkStatus();
  });
}

void qrt_chat_free(qrt_chat *chat) { delete chat; }

qrt_status qrt_chat_ask(qrt_chat *chat, const char *question, size_t size,
                        const qrt_generate_options *options, qrt_generation **answer) {
  if (absl::Status status = checkPointer(chat, "chat"); !status.ok())
    return report(status);
  if (absl::Status status = checkPointer(question, "question"); !status.ok())
    return report(status);
  return startGeneration(
      chat->session, options,
      [&](const TextOptions &text) { return chat->chat->ask({question, size}, text); },
      [conversation = chat->chat](const TextGeneration &done) { conversation->finishAnswer(done); },
      answer);
}

void qrt_chat_clear(qrt_chat *chat) {
  chat->session->endGeneration();
  chat->chat->clear();
}

} // extern "C"
