//===- Model.cpp - models, sessions and scoring in the C API ---------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Boundary.h"
#include "Handles.h"

#include "quench-rt/Decode/Scoring.h"
#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Support/Status.h"

using namespace qrt;
using namespace qrt::capi;

static absl::StatusOr<std::shared_ptr<const Model>> load(const char *path,
                                                         const qrt_model_options &given) {
  auto model = std::make_shared<Model>();
  model->path = path;
  // What is wrong with the tokenizer is said before anything is compiled.
  QRT_ASSIGN_OR_RETURN(model->tokenizer.tokenizer, loadTokenizer(path));
  ModelOptions options;
  options.model = path;
  options.draft = textOr(given.draft, "");
  options.activations = textOr(given.activations, "");
  options.target.target = textOr(given.target, "native");
  options.threads = given.threads;
  options.trustCode = given.trust_code != 0;
  options.listener = listenerOf(given.note, given.note_data);
  QRT_ASSIGN_OR_RETURN(model->loaded, loadModel(options));
  model->threads = model->loaded.device->numThreads();
  return model;
}

extern "C" {

qrt_status qrt_model_load(const char *path, const qrt_model_options *options, qrt_model **model) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(path, "path"));
    QRT_RETURN_IF_ERROR(checkPointer(model, "model"));
    QRT_ASSIGN_OR_RETURN(qrt_model_options given,
                         readOptions(options, QRT_MODEL_OPTIONS_INIT, "qrt_model_options"));
    QRT_ASSIGN_OR_RETURN(std::shared_ptr<const Model> loaded, load(path, given));
    *model = new qrt_model{std::move(loaded)};
    return absl::OkStatus();
  });
}

void qrt_model_free(qrt_model *model) { delete model; }

int64_t qrt_model_context_length(const qrt_model *model) { return model->model->loaded.context; }

int32_t qrt_model_threads(const qrt_model *model) { return model->model->threads; }

const qrt_tokenizer *qrt_model_tokenizer(const qrt_model *model) {
  return &model->model->tokenizer;
}

qrt_status qrt_session_create(qrt_model *model, int64_t contextLength, qrt_session **session) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(model, "model"));
    QRT_RETURN_IF_ERROR(checkPointer(session, "session"));
    if (contextLength < 0)
      return usageError(
          absl::StrCat("context_length: found ", contextLength, ", expected 0 or more"));
    auto state = std::make_shared<SessionState>();
    state->model = model->model;
    QRT_ASSIGN_OR_RETURN(std::unique_ptr<Session> created,
                         model->model->loaded.newSession(contextLength, "context_length"));
    state->text = std::make_unique<TextSession>(
        std::move(created), *model->model->tokenizer.tokenizer, model->model->path);
    *session = new qrt_session{std::move(state)};
    return absl::OkStatus();
  });
}

void qrt_session_free(qrt_session *session) { delete session; }

void qrt_session_cancel(qrt_session *session) { session->state->cancel = true; }

qrt_status qrt_session_score(qrt_session *session, const int32_t *tokens, size_t count,
                             double *losses) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(session, "session"));
    QRT_RETURN_IF_ERROR(checkPointer(tokens, "tokens"));
    QRT_RETURN_IF_ERROR(count < 2 ? absl::OkStatus() : checkPointer(losses, "losses"));
    SessionState &state = *session->state;
    state.endGeneration();
    QRT_ASSIGN_OR_RETURN(std::vector<PositionScore> scores,
                         score(state.text->session(), {tokens, count}, /*topK=*/0,
                               [&] { return state.takeCancel(); }));
    for (size_t i = 0; i + 1 < count; ++i)
      losses[i] = *scores[i].nllOfNext;
    return absl::OkStatus();
  });
}

qrt_status qrt_session_perplexity(qrt_session *session, const int32_t *tokens, size_t count,
                                  int64_t window, qrt_perplexity *result) {
  return run([&]() -> absl::Status {
    QRT_RETURN_IF_ERROR(checkPointer(session, "session"));
    QRT_RETURN_IF_ERROR(checkPointer(tokens, "tokens"));
    QRT_RETURN_IF_ERROR(checkPointer(result, "result"));
    SessionState &state = *session->state;
    state.endGeneration();
    PerplexityOptions options = perplexityOptionsFor(state.text->tokenizer());
    options.window = window;
    options.cancelled = [&] { return state.takeCancel(); };
    QRT_ASSIGN_OR_RETURN(Perplexity found,
                         perplexity(state.text->session(), {tokens, count}, options));
    writeResult({0, found.perplexity, found.standardError, found.tokens}, result);
    return absl::OkStatus();
  });
}

} // extern "C"
