//===- TokenizerFuzzer.cpp - any bytes as a vocabulary, template, text -----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
//
// Each input is read as a package's vocabulary and as a template of conversations, and
// encoded: by the tokenizer it describes, if it is a vocabulary, and by that of a made-up
// one, which the first byte chooses among both kinds and all pre-tokenizers.
//
//===----------------------------------------------------------------------===//

#include "Fuzz/Input.h"
#include "Tokenizer/TestVocabulary.h"

#include "quench-rt/Chat/ChatTemplate.h"
#include "quench-rt/Tokenizer/StreamDecoder.h"

using namespace qrt;
using namespace qrt::fuzz;

static std::vector<std::unique_ptr<Tokenizer>> makeTokenizers() {
  std::vector<Vocabulary> vocabularies;
  const test::Merges merges = {{"a", "b"},       {" ", "a"},   {" a", "b"},       {"1", "2"},
                               {"\xC3", "\xA9"}, {"\n", "\n"}, {"e", "\xC3\xA9"}, {" ", " "}};
  for (const char *name : {"gpt-2", "smollm", "llama-bpe", "qwen2"}) {
    vocabularies.push_back(test::byteVocabulary(merges, name));
    test::addToken(vocabularies.back(), "<|im_start|>", TokenType::Control);
    test::addToken(vocabularies.back(), "<|im", TokenType::Control);
    test::addToken(vocabularies.back(), "   ", TokenType::UserDefined);
  }
  for (bool bytes : {true, false}) {
    Vocabulary pieces;
    pieces.model = "llama";
    pieces.unk = test::addPiece(pieces, "<unk>", 0, TokenType::Unknown);
    pieces.bos = test::addPiece(pieces, "<s>", 0, TokenType::Control);
    static const char digits[] = "0123456789ABCDEF";
    for (int byte = 0; bytes && byte < 256; ++byte)
      test::addPiece(pieces, std::string("<0x") + digits[byte / 16] + digits[byte % 16] + ">", 0,
                     TokenType::Byte);
    float score = 0;
    for (const char *text :
         {"ab",
          "\xE2\x96\x81"
          "a",
          "\xE2\x96\x81"
          "ab",
          "\xE2\x96\x81\xE2\x96\x81", "12", "a", "b", "1", "2", "\xC3\xA9", "\xE2\x96\x81", "\n"})
      test::addPiece(pieces, text, --score);
    test::addPiece(pieces, "<b>", 0, TokenType::UserDefined);
    pieces.addBos = pieces.addSpacePrefix = pieces.removeExtraWhitespaces = bytes;
    vocabularies.push_back(std::move(pieces));
  }
  std::vector<std::unique_ptr<Tokenizer>> tokenizers;
  for (Vocabulary &vocabulary : vocabularies) {
    auto tokenizer = Tokenizer::create(std::move(vocabulary));
    if (!tokenizer.ok())
      requireMessage(tokenizer.status());
    require(tokenizer.ok(), "the made-up vocabularies are sound");
    tokenizers.push_back(*std::move(tokenizer));
  }
  return tokenizers;
}

static void checkEncoding(const Tokenizer &tokenizer, absl::string_view text) {
  for (bool parseSpecial : {true, false}) {
    EncodeOptions options;
    options.parseSpecial = parseSpecial;
    options.addBos = options.addEos = parseSpecial;
    auto ids = tokenizer.encode(text, options);
    if (!ids.ok()) {
      requireMessage(ids.status());
      continue;
    }
    require(tokenizer.checkIds(*ids).ok(), "ids are in the vocabulary");
    DecodeOptions decoding{/*renderSpecial=*/parseSpecial};
    std::string decoded = tokenizer.decode(*ids, decoding), streamed;
    StreamDecoder stream(tokenizer, decoding);
    for (int32_t id : *ids)
      streamed += stream.append(id);
    streamed += stream.flush();
    require(streamed == decoded, "a stream gives the same text");
    if (!parseSpecial && tokenizer.vocabulary().model == "gpt2" && tokenizer.roundTripsAllBytes())
      require(decoded == text, "any bytes survive encoding");
  }
}

static void readAsVocabulary(absl::string_view text) {
  auto vocabulary = vocabularyFromJson(text, "input");
  if (!vocabulary.ok())
    return requireMessage(vocabulary.status());
  std::string written = vocabularyToJson(*vocabulary);
  auto again = vocabularyFromJson(written, "output");
  require(again.ok() && vocabularyToJson(*again) == written, "a vocabulary survives writing");
  auto tokenizer = Tokenizer::create(*std::move(vocabulary));
  if (!tokenizer.ok())
    return requireMessage(tokenizer.status());
  checkEncoding(**tokenizer, text);
}

static void readAsTemplate(absl::string_view text) {
  auto found = ChatTemplate::recognise(text);
  if (!found.ok())
    return requireMessage(found.status());
  std::string joined;
  for (const ChatTemplate::Piece &piece : found->firstTurn("be brief", "question"))
    joined += piece.text;
  require(joined.find("question") != std::string::npos, "a conversation contains the question");
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const std::vector<std::unique_ptr<Tokenizer>> &tokenizers =
      *new std::vector<std::unique_ptr<Tokenizer>>(makeTokenizers());
  absl::string_view text(reinterpret_cast<const char *>(data), size);
  readAsVocabulary(text);
  readAsTemplate(text);
  if (size > 0)
    checkEncoding(*tokenizers[data[0] % tokenizers.size()], text);
  return 0;
}
