//===- ChatTemplate.cpp - how a model wants a conversation written ---------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Chat/ChatTemplate.h"

#include "quench-rt/Support/Text.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"

#include <optional>

using namespace qrt;

namespace {

struct FormatInfo {
  ChatFormat kind;
  const char *name;
  /// What a template of this format has in it, and what none has.
  std::vector<absl::string_view> markers;
  absl::string_view foreign;
};

const std::vector<FormatInfo> &formats() {
  static const std::vector<FormatInfo> table = {
      {ChatFormat::ChatML, "chatml", {"<|im_start|>", "<|im_end|>"}, "<|im_sep|>"},
      {ChatFormat::Llama3,
       "llama3",
       {"<|start_header_id|>", "<|end_header_id|>", "<|eot_id|>"},
       "<|header_start|>"},
      {ChatFormat::Gemma, "gemma", {"<start_of_turn>", "<end_of_turn>"}, "<|turn>"},
      // Llama 2 has the same markers, and its own for the system prompt.
      {ChatFormat::Mistral, "mistral", {"[INST]", "[/INST]"}, "<<SYS>>"},
  };
  return table;
}

} // namespace

static std::string choices() {
  return absl::StrCat("choose the format that the model was trained with: --template ",
                      absl::StrJoin(ChatTemplate::names(), "|"));
}

const std::vector<std::string> &ChatTemplate::names() {
  static const std::vector<std::string> list = [] {
    std::vector<std::string> names;
    for (const FormatInfo &format : formats())
      names.emplace_back(format.name);
    return names;
  }();
  return list;
}

absl::StatusOr<ChatTemplate> ChatTemplate::byName(absl::string_view name) {
  for (const FormatInfo &format : formats())
    if (name == format.name)
      return ChatTemplate(format.kind);
  return absl::InvalidArgumentError(absl::StrCat("found ", qrt::quoted(std::string(name)),
                                                 ", expected one of ",
                                                 absl::StrJoin(names(), ", ")));
}

/// The system prompt that a ChatML template writes by itself: literal text between the
/// markers, in which Jinja spells a line end as such or as two characters.
static std::string defaultSystemOf(absl::string_view jinja) {
  for (absl::string_view begin : {"<|im_start|>system\\n", "<|im_start|>system\n"}) {
    const size_t at = jinja.find(begin);
    if (at == absl::string_view::npos)
      continue;
    const absl::string_view rest = jinja.substr(at + begin.size());
    const absl::string_view text = rest.substr(0, rest.find("<|im_end|>"));
    // Anything else is put together by the template's code.
    if (text.size() < rest.size() && text.find_first_of("'\"{}") == absl::string_view::npos)
      return absl::StrReplaceAll(text, {{"\\n", "\n"}});
  }
  return "";
}

absl::StatusOr<ChatTemplate> ChatTemplate::recognise(absl::string_view jinja) {
  if (jinja.empty())
    return absl::NotFoundError(absl::StrCat("the model brings no chat template; ", choices()));
  std::optional<ChatTemplate> found;
  for (const FormatInfo &format : formats()) {
    bool fits = !absl::StrContains(jinja, format.foreign);
    for (absl::string_view marker : format.markers)
      fits = fits && absl::StrContains(jinja, marker);
    if (fits && found)
      return absl::UnimplementedError(absl::StrCat(
          "the model's chat template has the markers of several formats; ", choices()));
    if (fits)
      found = ChatTemplate(format.kind);
  }
  if (!found)
    return absl::UnimplementedError(absl::StrCat(
        "the model's chat template is of none of the formats that are known (it starts "
        "with ",
        qrt::quoted(std::string(jinja.substr(0, 40))), "); ", choices()));
  if (found->kind == ChatFormat::ChatML)
    found->system = defaultSystemOf(jinja);
  if (found->kind == ChatFormat::Mistral) {
    if (!absl::StrContains(jinja, "[INST] "))
      found->instBegin = "[INST]";
    if (!absl::StrContains(jinja, " [/INST]"))
      found->instEnd = "[/INST]";
    if (absl::StrContains(jinja, "[SYSTEM_PROMPT]")) {
      found->systemBegin =
          absl::StrContains(jinja, "[SYSTEM_PROMPT] ") ? "[SYSTEM_PROMPT] " : "[SYSTEM_PROMPT]";
      found->systemEnd = "[/SYSTEM_PROMPT]";
    }
  }
  return *std::move(found);
}

absl::Status ChatTemplate::check(const Tokenizer &tokenizer) const {
  for (const FormatInfo &format : formats()) {
    if (format.kind != kind)
      continue;
    // Older Mistral models spell theirs with tokens of text, but end an answer with a token.
    if (kind == ChatFormat::Mistral)
      return tokenizer.vocabulary().eos >= 0
                 ? absl::OkStatus()
                 : absl::NotFoundError("the chat format mistral needs an end-of-text token, which "
                                       "the model's vocabulary does not name");
    for (absl::string_view marker : format.markers)
      if (!tokenizer.findSpecial(marker))
        return absl::NotFoundError(
            absl::StrCat("the chat format ", format.name, " needs the token ",
                         qrt::quoted(std::string(marker)), ", which the model's vocabulary lacks"));
  }
  return absl::OkStatus();
}

bool ChatTemplate::beginsWithBos(const Vocabulary &vocabulary) const {
  return vocabulary.bos >= 0 && (vocabulary.addBos || kind != ChatFormat::ChatML);
}

/// Appends a user's turn and the beginning of the answer. `before` is the system prompt
/// where it is part of this turn.
void ChatTemplate::appendUser(absl::string_view before, absl::string_view user,
                              std::vector<Piece> &pieces) const {
  std::string text = before.empty() ? "" : absl::StrCat(before, "\n\n");
  switch (kind) {
  case ChatFormat::ChatML:
    pieces.push_back({"<|im_start|>user\n", true});
    pieces.push_back({std::string(user), false});
    pieces.push_back({"<|im_end|>\n<|im_start|>assistant\n", true});
    break;
  case ChatFormat::Llama3:
    pieces.push_back({"<|start_header_id|>user<|end_header_id|>\n\n", true});
    pieces.push_back({std::string(absl::StripAsciiWhitespace(user)), false});
    pieces.push_back({"<|eot_id|><|start_header_id|>assistant<|end_header_id|>\n\n", true});
    break;
  case ChatFormat::Gemma:
    absl::StrAppend(&text, absl::StripAsciiWhitespace(user));
    pieces.push_back({"<start_of_turn>user\n", true});
    pieces.push_back({std::move(text), false});
    pieces.push_back({"<end_of_turn>\n<start_of_turn>model\n", true});
    break;
  case ChatFormat::Mistral:
    absl::StrAppend(&text, user);
    pieces.push_back({instBegin, true});
    pieces.push_back({std::move(text), false});
    pieces.push_back({instEnd, true});
    break;
  }
}

std::vector<ChatTemplate::Piece> ChatTemplate::firstTurn(absl::string_view systemPrompt,
                                                         absl::string_view user) const {
  std::vector<Piece> pieces;
  const auto addSystem = [&](absl::string_view begin, absl::string_view end) {
    if (systemPrompt.empty())
      return;
    pieces.push_back({std::string(begin), true});
    pieces.push_back({std::string(systemPrompt), false});
    pieces.push_back({std::string(end), true});
    systemPrompt = "";
  };
  if (kind == ChatFormat::ChatML)
    addSystem("<|im_start|>system\n", "<|im_end|>\n");
  if (kind == ChatFormat::Llama3) {
    systemPrompt = absl::StripAsciiWhitespace(systemPrompt);
    addSystem("<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>");
  }
  if (kind == ChatFormat::Mistral && !systemBegin.empty())
    addSystem(systemBegin, systemEnd);
  appendUser(systemPrompt, user, pieces);
  return pieces;
}

std::vector<ChatTemplate::Piece> ChatTemplate::nextTurn(const Vocabulary &vocabulary,
                                                        absl::string_view user) const {
  std::vector<Piece> pieces;
  switch (kind) {
  case ChatFormat::ChatML:
    pieces.push_back({"<|im_end|>\n", true});
    break;
  case ChatFormat::Llama3:
    pieces.push_back({"<|eot_id|>", true});
    break;
  case ChatFormat::Gemma:
    pieces.push_back({"<end_of_turn>\n", true});
    break;
  case ChatFormat::Mistral:
    pieces.push_back({vocabulary.tokens[static_cast<size_t>(vocabulary.eos)], true});
    break;
  }
  appendUser("", user, pieces);
  return pieces;
}
