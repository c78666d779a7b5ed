//===- Tokenize.cpp - quench-run tokenize ---------------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Command.h"

#include "Errors.h"
#include "Input.h"
#include "ModelFlags.h"
#include "Output.h"

#include "quench-rt/Model/ModelPath.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Tokenizer/Tokenizer.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

#include <memory>

using namespace qrt;
using namespace qrt::cli;

namespace {
struct Options {
  std::string model;
  TextSource text;
  std::string ids;
  Option decode;
  bool noBos = false;
  bool noSpecial = false;
  bool json = false;
};
} // namespace

static absl::Status decodeIds(const Tokenizer &tokenizer, const Options &options) {
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> ids, parseIds(options.ids, "--decode"));
  QRT_RETURN_IF_ERROR(withContext(tokenizer.checkIds(ids), "--decode"));
  DecodeOptions decoding;
  decoding.renderSpecial = true;
  std::string text = tokenizer.decode(ids, decoding);
  if (options.json)
    printJson({{"text", text}});
  else
    print(absl::StrCat(text, "\n"));
  return absl::OkStatus();
}

static absl::Status tokenize(const Options &options) {
  if (options.decode.given() && options.text.given())
    return usageError("--decode takes ids, so -p and -f cannot be given as well");
  std::string text;
  if (!options.decode.given()) {
    QRT_ASSIGN_OR_RETURN(text, options.text.read());
  }
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Tokenizer> tokenizer, loadTokenizer(options.model));
  if (options.decode.given())
    return decodeIds(*tokenizer, options);

  EncodeOptions encoding = promptEncoding();
  encoding.addBos = !options.noBos;
  encoding.parseSpecial = !options.noSpecial;
  QRT_ASSIGN_OR_RETURN(std::vector<int32_t> ids,
                       encodePrompt(*tokenizer, text, encoding, commandLineListener()));
  if (options.json)
    printJson({{"ids", ids}});
  else
    print(absl::StrCat(absl::StrJoin(ids, ","), "\n"));
  return absl::OkStatus();
}

void cli::addTokenizeCommand(Commands &commands) {
  auto [command, options] = commands.add<Options>(
      "tokenize", "Shows the token ids of a text, as generate would feed them to the model.",
      "  quench-run tokenize model.gguf -p \"Hello, world\"\n"
      "  quench-run tokenize package -f prompt.txt --json\n"
      "  quench-run tokenize package --decode 1,4093,198",
      tokenize);
  command.argument("model", "MODEL", options.model,
                   "Package, or GGUF file; a vocabulary is enough");
  options.text.addTo(command);
  options.decode = command.text("--decode", "IDS", options.ids, "Prints the text of token ids");
  command.flag("--no-bos", options.noBos,
               "Leaves out the beginning-of-text token that the model asks for");
  command.flag("--no-special", options.noSpecial,
               "Takes names of special tokens in the text as ordinary text");
  command.flag("--json", options.json, "Prints {\"ids\": […]}, or {\"text\": …}");
}
