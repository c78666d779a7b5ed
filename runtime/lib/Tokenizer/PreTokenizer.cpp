//===- PreTokenizer.cpp - cuts text into pieces with PCRE2 -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Tokenizer/PreTokenizer.h"

#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <string_view>
#include <utility>

using namespace qrt;

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

// White space is spelled out, as the Unicode property White_Space: PCRE2's `\s` also
// takes U+180E, which Unicode has not counted since version 6.3.
#define SPACE "\\t-\\r\\x{85}\\p{Z}"

static constexpr absl::string_view gpt2Pattern = "'s|'t|'re|'ve|'m|'ll|'d"
                                                 "| ?\\p{L}+"
                                                 "| ?\\p{N}+"
                                                 "| ?[^" SPACE "\\p{L}\\p{N}]+"
                                                 "|[" SPACE "]+(?![^" SPACE "])"
                                                 "|[" SPACE "]+";

// Llama 3 and Qwen2 differ in how many digits make a piece.
#define LLAMA3_PATTERN(NUMBER)                                                                     \
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)"                                                                   \
  "|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+"                                                                 \
  "|" NUMBER "| ?[^" SPACE "\\p{L}\\p{N}]+[\\r\\n]*"                                               \
  "|[" SPACE "]*[\\r\\n]+"                                                                         \
  "|[" SPACE "]+(?![^" SPACE "])"                                                                  \
  "|[" SPACE "]+"

static constexpr absl::string_view gpt2Patterns[] = {gpt2Pattern};
static constexpr absl::string_view smollmPatterns[] = {"\\p{N}", gpt2Pattern};
static constexpr absl::string_view llama3Patterns[] = {LLAMA3_PATTERN("\\p{N}{1,3}")};
static constexpr absl::string_view qwen2Patterns[] = {LLAMA3_PATTERN("\\p{N}")};

#undef LLAMA3_PATTERN
#undef SPACE

// Names that share an expression are those that files use for the same rules.
static constexpr PreTokenizerRules allRules[] = {
    {"gpt-2", gpt2Patterns, false, false},
    {"phi-2", gpt2Patterns, false, false},
    {"smollm", smollmPatterns, false, false},
    {"starcoder", smollmPatterns, false, false},
    {"refact", smollmPatterns, false, false},
    {"codeshell", smollmPatterns, false, false},
    {"llama-bpe", llama3Patterns, true, true},
    {"llama-v3", llama3Patterns, true, true},
    {"llama3", llama3Patterns, true, true},
    {"qwen2", qwen2Patterns, false, false},
    {"deepseek-r1-qwen", qwen2Patterns, false, false},
};

const PreTokenizerRules *qrt::findPreTokenizerRules(absl::string_view name) {
  for (const PreTokenizerRules &rules : allRules)
    if (rules.name == name)
      return &rules;
  return nullptr;
}

std::string qrt::supportedPreTokenizers() {
  std::string names;
  for (const PreTokenizerRules &rules : allRules)
    absl::StrAppend(&names, names.empty() ? "'" : ", '", rules.name, "'");
  return names;
}

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

namespace {

template <typename T, void (*Free)(T *)> struct Freer {
  void operator()(T *object) const { Free(object); }
};
using CodePtr = std::unique_ptr<pcre2_code, Freer<pcre2_code, pcre2_code_free>>;
using MatchDataPtr =
    std::unique_ptr<pcre2_match_data, Freer<pcre2_match_data, pcre2_match_data_free>>;
using MatchContextPtr =
    std::unique_ptr<pcre2_match_context, Freer<pcre2_match_context, pcre2_match_context_free>>;

std::string_view toStd(absl::string_view text) { return {text.data(), text.size()}; }

std::string pcreMessage(int code) {
  PCRE2_UCHAR text[256] = "";
  pcre2_get_error_message(code, text, sizeof(text));
  return reinterpret_cast<const char *>(text);
}

} // namespace

struct PreTokenizer::Impl {
  const PreTokenizerRules *rules = nullptr;
  std::vector<CodePtr> codes;
};

PreTokenizer::PreTokenizer(std::unique_ptr<Impl> impl) : impl(std::move(impl)) {}
PreTokenizer::PreTokenizer(PreTokenizer &&) noexcept = default;
PreTokenizer &PreTokenizer::operator=(PreTokenizer &&) noexcept = default;
PreTokenizer::~PreTokenizer() = default;

const PreTokenizerRules &PreTokenizer::rules() const { return *impl->rules; }

absl::StatusOr<PreTokenizer> PreTokenizer::create(absl::string_view name) {
  auto impl = std::make_unique<Impl>();
  impl->rules = findPreTokenizerRules(name);
  if (!impl->rules)
    return absl::UnimplementedError(absl::StrCat("pre-tokenizer ", qrt::quoted(toStd(name)),
                                                 " is not supported; supported are ",
                                                 supportedPreTokenizers()));
  for (absl::string_view pattern : impl->rules->patterns) {
    int error = 0;
    PCRE2_SIZE offset = 0;
    CodePtr code(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(pattern.data()), pattern.size(),
                               PCRE2_UTF | PCRE2_UCP, &error, &offset, nullptr));
    if (!code)
      return absl::InternalError(absl::StrCat("pre-tokenizer '", name, "': PCRE2 refuses '",
                                              pattern, "' at offset ", offset, ": ",
                                              pcreMessage(error)));
    // A failure (a PCRE2 without it, or a system that forbids writable code) leaves the
    // interpreter, which gives the same matches.
    pcre2_jit_compile(code.get(), PCRE2_JIT_COMPLETE);
    impl->codes.push_back(std::move(code));
  }
  return PreTokenizer(std::move(impl));
}

/// Appends the pieces that the matches of `code` make of `text`.
static absl::Status splitWith(const pcre2_code *code, pcre2_match_context *context,
                              pcre2_match_data *data, absl::string_view text,
                              std::vector<absl::string_view> &pieces) {
  // PCRE2 would check the whole text again at each match, which takes quadratic time.
  constexpr uint32_t options = PCRE2_NO_UTF_CHECK;
  const auto subject = reinterpret_cast<PCRE2_SPTR>(text.data());
  size_t at = 0;
  while (at < text.size()) {
    int found = pcre2_match(code, subject, text.size(), at, options, data, context);
    if (found == PCRE2_ERROR_JIT_STACKLIMIT)
      found = pcre2_match(code, subject, text.size(), at, options | PCRE2_NO_JIT, data, context);
    if (found == PCRE2_ERROR_NOMATCH)
      break;
    if (found < 0)
      return absl::InternalError(absl::StrCat("the pre-tokenizer failed at byte ", at, " of ",
                                              text.size(), ": ", pcreMessage(found)));
    const PCRE2_SIZE *bounds = pcre2_get_ovector_pointer(data);
    const size_t begin = bounds[0], end = bounds[1];
    if (end <= at)
      return absl::InternalError("the pre-tokenizer matched nothing");
    if (begin > at)
      pieces.push_back(text.substr(at, begin - at));
    pieces.push_back(text.substr(begin, end - begin));
    at = end;
  }
  if (at < text.size())
    pieces.push_back(text.substr(at));
  return absl::OkStatus();
}

absl::Status PreTokenizer::split(absl::string_view text,
                                 std::vector<absl::string_view> &pieces) const {
  MatchContextPtr context(pcre2_match_context_create(nullptr));
  MatchDataPtr data(pcre2_match_data_create(1, nullptr));
  if (!context || !data)
    return absl::ResourceExhaustedError("no memory for pre-tokenization");
  // The default limit, ten million steps, would refuse a long run of spaces. It guards
  // against exponential patterns, which these are not.
  pcre2_set_match_limit(context.get(), UINT32_MAX);

  std::vector<absl::string_view> parts{text}, next;
  const size_t last = impl->codes.size() - 1;
  for (size_t i = 0; i <= last; ++i) {
    std::vector<absl::string_view> &out = i == last ? pieces : next;
    for (absl::string_view part : parts)
      QRT_RETURN_IF_ERROR(splitWith(impl->codes[i].get(), context.get(), data.get(), part, out));
    parts.swap(next);
    next.clear();
  }
  return absl::OkStatus();
}
