//===- Models.cpp - tokenizers, models, sessions, conversations ------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Models.h"

#include "Errors.h"
#include "Generation.h"

#include <nanobind/ndarray.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include <variant>

namespace nb = nanobind;
using namespace nb::literals;
using namespace quench;

namespace {

using Tokens = std::vector<int32_t>;
/// Tokens, or a text that becomes tokens.
using Prompt = std::variant<std::string, Tokens>;

const char *orNull(const std::optional<std::string> &text) {
  return text ? text->c_str() : nullptr;
}

/// Either its own or that of a model, which it keeps.
struct Tokenizer {
  explicit Tokenizer(const std::string &path) {
    qrt_tokenizer *loaded = nullptr;
    checkedCall([&] { return qrt_tokenizer_load(path.c_str(), &loaded); });
    handle = std::shared_ptr<const qrt_tokenizer>(loaded, [](const qrt_tokenizer *tokenizer) {
      qrt_tokenizer_free(const_cast<qrt_tokenizer *>(tokenizer));
    });
  }
  explicit Tokenizer(const std::shared_ptr<qrt_model> &model)
      : handle(model, qrt_model_tokenizer(model.get())) {}

  Tokens encode(const std::string &text, bool bos, bool special) const {
    int32_t *ids = nullptr;
    size_t count = 0;
    const uint32_t flags = (bos ? 0 : QRT_ENCODE_NO_BOS) | (special ? 0 : QRT_ENCODE_NO_SPECIAL);
    checkedCall([&] {
      return qrt_tokenizer_encode(handle.get(), text.data(), text.size(), flags, &ids, &count);
    });
    std::unique_ptr<int32_t, Free> owned(ids);
    return Tokens(ids, ids + count);
  }

  nb::bytes decode(const Tokens &tokens, bool special, bool continues) const {
    char *text = nullptr;
    size_t size = 0;
    const uint32_t flags =
        (special ? QRT_DECODE_SPECIAL : 0) | (continues ? QRT_DECODE_CONTINUES : 0);
    check(qrt_tokenizer_decode(handle.get(), tokens.data(), tokens.size(), flags, &text, &size));
    std::unique_ptr<char, Free> owned(text);
    return nb::bytes(text, size);
  }

  std::shared_ptr<const qrt_tokenizer> handle;
};

struct Model {
  Model(const std::string &path, const std::optional<std::string> &draft,
        const std::optional<std::string> &activations, const std::optional<std::string> &target,
        int32_t threads, bool trustCode) {
    qrt_model *loaded = nullptr;
    Notes notes;
    qrt_model_options options = QRT_MODEL_OPTIONS_INIT;
    options.draft = orNull(draft);
    options.activations = orNull(activations);
    options.target = orNull(target);
    options.threads = threads;
    options.trust_code = trustCode;
    options.note = Notes::add;
    options.note_data = &notes;
    checkedCall([&] { return qrt_model_load(path.c_str(), &options, &loaded); });
    handle.reset(loaded, qrt_model_free);
    notes.warn();
  }

  std::shared_ptr<qrt_model> handle;
};

/// Prompts of models are encoded with their beginning of text, questions are not.
Tokens tokensOf(const qrt_tokenizer *tokenizer, const Prompt &prompt) {
  if (const auto *tokens = std::get_if<Tokens>(&prompt))
    return *tokens;
  const auto &text = std::get<std::string>(prompt);
  int32_t *ids = nullptr;
  size_t count = 0;
  checkedCall(
      [&] { return qrt_tokenizer_encode(tokenizer, text.data(), text.size(), 0, &ids, &count); });
  std::unique_ptr<int32_t, Free> owned(ids);
  return Tokens(ids, ids + count);
}

struct Chat;

struct Session {
  Session(const Model &model, int64_t contextLength) : model(model.handle) {
    qrt_session *created = nullptr;
    check(qrt_session_create(this->model.get(), contextLength, &created));
    handle.reset(created, qrt_session_free);
  }

  std::unique_ptr<Generation> generate(const Prompt &prompt, const GenerateOptions &options) const {
    const Tokens tokens = tokensOf(qrt_model_tokenizer(model.get()), prompt);
    qrt_generation *generation = nullptr;
    // An empty vector may have no pointer, which is another mistake.
    static const int32_t kNone = 0;
    check(qrt_session_generate(handle.get(), tokens.empty() ? &kNone : tokens.data(), tokens.size(),
                               &options.options, &generation));
    return std::make_unique<Generation>(generation, handle);
  }

  nb::ndarray<nb::numpy, double, nb::ndim<1>> score(const Prompt &text) const {
    const Tokens tokens = tokensOf(qrt_model_tokenizer(model.get()), text);
    auto losses = std::make_unique<std::vector<double>>(tokens.empty() ? 0 : tokens.size() - 1);
    static const int32_t kNone = 0;
    interruptibleCall(
        [&] {
          return qrt_session_score(handle.get(), tokens.empty() ? &kNone : tokens.data(),
                                   tokens.size(), losses->data());
        },
        [&] { qrt_session_cancel(handle.get()); });
    std::vector<double> *found = losses.get();
    nb::capsule owner(losses.release(),
                      [](void *data) noexcept { delete static_cast<std::vector<double> *>(data); });
    return nb::ndarray<nb::numpy, double, nb::ndim<1>>(found->data(), {found->size()}, owner);
  }

  qrt_perplexity perplexity(const Prompt &text, int64_t window) const {
    const Tokens tokens = tokensOf(qrt_model_tokenizer(model.get()), text);
    static const int32_t kNone = 0;
    qrt_perplexity result = QRT_PERPLEXITY_INIT;
    interruptibleCall(
        [&] {
          return qrt_session_perplexity(handle.get(), tokens.empty() ? &kNone : tokens.data(),
                                        tokens.size(), window, &result);
        },
        [&] { qrt_session_cancel(handle.get()); });
    return result;
  }

  std::shared_ptr<qrt_model> model;
  std::shared_ptr<qrt_session> handle;
};

struct Chat {
  Chat(const Session &session, const std::optional<std::string> &system,
       const std::optional<std::string> &format)
      : session(session.handle) {
    qrt_chat *created = nullptr;
    check(qrt_chat_create(this->session.get(), orNull(format), orNull(system), &created));
    handle.reset(created, qrt_chat_free);
  }

  std::unique_ptr<Generation> ask(const std::string &question,
                                  const GenerateOptions &options) const {
    qrt_generation *generation = nullptr;
    check(qrt_chat_ask(handle.get(), question.data(), question.size(), &options.options,
                       &generation));
    return std::make_unique<Generation>(generation, session);
  }

  std::shared_ptr<qrt_session> session;
  std::shared_ptr<qrt_chat> handle;
};

constexpr char kOptions[] =
    "\n\n"
    "max_tokens: the most tokens; None: until the text or the context ends.\n"
    "stop: strings before which the text ends.\n"
    "temperature, top_k, top_p, min_p, repeat_last_n, repeat_penalty, frequency_penalty,\n"
    "presence_penalty, logit_bias, seed: how tokens are chosen, as the options of quench-run of\n"
    "these names. Temperature 0 is the likeliest token always.\n"
    "logprobs: True reports the log-probability of each token.\n"
    "speculate: where drafts come from: 'auto' (what the program was compiled for), 'lookup'\n"
    "(earlier text) or 'off'. Drafts change the speed only, unless `rejection` is True.\n"
    "draft_tokens: the most tokens drafted at a time.\n"
    "ignore_end: True goes on where the model ends the text.";

/// Binds a method that starts a generation, with the options as keywords.
template <typename Class, typename First, typename Owner>
void defGeneration(Class &bound, const char *name, const char *argument, const std::string &doc,
                   std::unique_ptr<Generation> (Owner::*start)(const First &,
                                                               const GenerateOptions &) const) {
  bound.def(
      name,
      [start](const Owner &self, const First &first, std::optional<int64_t> maxTokens,
              std::vector<std::string> stop, double temperature, int64_t topK, double topP,
              double minP, int64_t repeatLastN, double repeatPenalty, double frequencyPenalty,
              double presencePenalty, const std::map<int32_t, double> &logitBias, uint64_t seed,
              bool logprobs, const std::string &speculate, int32_t draftTokens, bool rejection,
              bool ignoreEnd) {
        const GenerateOptions options(maxTokens, std::move(stop), temperature, topK, topP, minP,
                                      repeatLastN, repeatPenalty, frequencyPenalty, presencePenalty,
                                      logitBias, seed, logprobs, speculate, draftTokens, rejection,
                                      ignoreEnd);
        return (self.*start)(first, options);
      },
      nb::arg(argument), nb::kw_only(), "max_tokens"_a = nb::none(),
      "stop"_a = std::vector<std::string>(), "temperature"_a = 0.0, "top_k"_a = 40,
      "top_p"_a = 0.95, "min_p"_a = 0.05, "repeat_last_n"_a = 64, "repeat_penalty"_a = 1.0,
      "frequency_penalty"_a = 0.0, "presence_penalty"_a = 0.0,
      "logit_bias"_a = std::map<int32_t, double>(), "seed"_a = 0, "logprobs"_a = false,
      "speculate"_a = "auto", "draft_tokens"_a = 4, "rejection"_a = false, "ignore_end"_a = false,
      (doc + kOptions).c_str());
}

void addTokenizer(nb::module_ &module) {
  nb::class_<Tokenizer>(module, "Tokenizer", "The tokenizer of a package or GGUF file.")
      .def(nb::init<const std::string &>(), "path"_a)
      .def("encode", &Tokenizer::encode, "text"_a, nb::kw_only(), "bos"_a = true,
           "special"_a = true,
           "The tokens of a text.\n\n"
           "bos: starts with the beginning-of-text token if the model asks for one.\n"
           "special: recognises names of special tokens; False for text from outside.")
      .def(
          "decode",
          [](const Tokenizer &self, const Tokens &tokens, bool special, bool continues) {
            const nb::bytes text = self.decode(tokens, special, continues);
            return textOf(text.c_str(), text.size());
          },
          "tokens"_a, nb::kw_only(), "special"_a = false, "continues"_a = false,
          "The text of tokens; what is no UTF-8 becomes U+FFFD.\n\n"
          "special: writes special tokens by name.\n"
          "continues: the tokens follow others, so that a space before the first word stays.")
      .def("decode_bytes", &Tokenizer::decode, "tokens"_a, nb::kw_only(), "special"_a = false,
           "continues"_a = false, "The same as the bytes that the tokens stand for.")
      .def(
          "is_end",
          [](const Tokenizer &self, int32_t token) {
            return qrt_tokenizer_is_end(self.handle.get(), token) != 0;
          },
          "token"_a, "Whether a model has nothing more to say after this token.")
      .def("__len__", [](const Tokenizer &self) { return qrt_tokenizer_size(self.handle.get()); });
}

} // namespace

void quench::addModels(nb::module_ &module) {
  addTokenizer(module);
  nb::class_<Model>(module, "Model",
                    "A model ready to run. Sessions of one model may be used in several threads.")
      .def(nb::init<const std::string &, const std::optional<std::string> &,
                    const std::optional<std::string> &, const std::optional<std::string> &, int32_t,
                    bool>(),
           "path"_a, nb::kw_only(), "draft"_a = nb::none(), "activations"_a = nb::none(),
           "target"_a = nb::none(), "threads"_a = 0, "trust_code"_a = false,
           "Loads a package, or a GGUF file, which is compiled into the cache on first use.\n\n"
           "draft: a smaller model with the same vocabulary that drafts.\n"
           "activations: of a GGUF file, 'i8' (None: so) or 'f32'.\n"
           "target: a CPU as LLVM calls it; None: this machine.\n"
           "threads: 0: one for each core.\n"
           "trust_code: runs code that came with a package though it was not made here.")
      .def_prop_ro(
          "context_length",
          [](const Model &self) { return qrt_model_context_length(self.handle.get()); },
          "The most tokens of a sequence.")
      .def_prop_ro("threads",
                   [](const Model &self) { return qrt_model_threads(self.handle.get()); })
      .def_prop_ro("tokenizer", [](const Model &self) { return Tokenizer(self.handle); })
      .def(
          "session", [](const Model &self, int64_t length) { return Session(self, length); },
          "context_length"_a = 0,
          "A new sequence of at most so many tokens; 0: the model's number.");

  nb::class_<qrt_perplexity>(module, "Perplexity",
                             "How well a model predicts a text: exp of the mean loss.")
      .def_ro("perplexity", &qrt_perplexity::perplexity)
      .def_ro("standard_error", &qrt_perplexity::standard_error)
      .def_ro("tokens", &qrt_perplexity::tokens, "Tokens that were scored.")
      .def("__repr__", [](const qrt_perplexity &self) {
        return nb::str("Perplexity(perplexity={:.4f}, standard_error={:.4f}, tokens={})")
            .format(self.perplexity, self.standard_error, self.tokens);
      });

  nb::class_<Session> session(
      module, "Session",
      "A sequence and its cache. What a prompt has in common with the sequence before is not\n"
      "processed again. For one thread at a time, except cancel().");
  defGeneration(session, "generate", "prompt",
                "Starts a text after a prompt: a text, or tokens. The generation before ends.",
                &Session::generate);
  session
      .def("score", &Session::score, "text"_a,
           "How likely a text is: of each token but the first the negative logarithm of its\n"
           "probability after those before it, in nats.")
      .def("perplexity", &Session::perplexity, "text"_a, "window"_a = 512,
           "Perplexity over windows of so many tokens, of each of which the second half is scored.")
      .def(
          "chat",
          [](const Session &self, const std::optional<std::string> &system,
             const std::optional<std::string> &format) { return Chat(self, system, format); },
          "system"_a = nb::none(), nb::kw_only(), "format"_a = nb::none(),
          "A conversation.\n\n"
          "system: what the model is to be; None: what its template says, '' for nothing.\n"
          "format: 'chatml', 'llama3', 'gemma' or 'mistral'; None: recognised from the template.")
      .def(
          "cancel", [](const Session &self) { qrt_session_cancel(self.handle.get()); },
          "Ends the work in progress, or else what comes next. From any thread.");

  nb::class_<Chat> chat(module, "Chat", "Questions and answers, which are remembered.");
  defGeneration(chat, "ask", "question",
                "Starts the answer to a question. It is remembered as far as it came.", &Chat::ask);
  chat.def(
      "clear", [](const Chat &self) { qrt_chat_clear(self.handle.get()); },
      "Starts anew, with the same system prompt.");
}
