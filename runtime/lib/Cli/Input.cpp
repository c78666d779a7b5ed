//===- Input.cpp - texts, id lists and sizes from the command line --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "Errors.h"

#include "quench-rt/Support/MappedFile.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>

using namespace qrt;

void cli::TextSource::addTo(Command &command) {
  textOption = command.text("-p,--prompt", "TEXT", text, "The text");
  fileOption =
      command.text("-f,--file", "FILE", file, "Reads the text from a file; - is standard input");
  textOption.excludes(fileOption);
}

absl::StatusOr<std::string> cli::TextSource::read() const {
  if (!given())
    return usageError("no text: give -p TEXT or -f FILE");
  if (fileOption.given())
    return readTextFile(file);
  return text;
}

static absl::StatusOr<std::string> readStandardInput(uint64_t limit) {
  std::string text;
  char piece[1 << 16];
  while (true) {
    ssize_t got = ::read(STDIN_FILENO, piece, sizeof piece);
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return absl::UnavailableError(absl::StrCat("standard input: ", std::strerror(errno)));
    if (got == 0)
      return text;
    if (text.size() + static_cast<size_t>(got) > limit)
      return absl::InvalidArgumentError(
          absl::StrCat("standard input: more than ", limit, " bytes of text"));
    text.append(piece, static_cast<size_t>(got));
  }
}

absl::StatusOr<std::string> cli::readTextFile(const std::string &path, uint64_t limit) {
  if (path == "-")
    return readStandardInput(limit);
  QRT_ASSIGN_OR_RETURN(MappedFile file, MappedFile::open(path));
  if (file.size() > limit)
    return absl::InvalidArgumentError(
        absl::StrCat(path, ": ", file.size(), " bytes of text, expected at most ", limit));
  return std::string(reinterpret_cast<const char *>(file.data()), file.size());
}

absl::StatusOr<std::vector<int32_t>> cli::parseIds(absl::string_view text,
                                                   absl::string_view option) {
  std::vector<int32_t> ids;
  size_t at = 0;
  while (true) {
    at = text.find_first_not_of(", \t\r\n[]", at);
    if (at == absl::string_view::npos)
      return ids;
    size_t end = std::min(text.find_first_of(", \t\r\n[]", at), text.size());
    absl::string_view word = text.substr(at, end - at);
    int32_t id;
    if (!absl::SimpleAtoi(word, &id) || id < 0)
      return usageError(absl::StrCat(option, ": found ",
                                     qrt::quoted(std::string_view(word.data(), word.size())),
                                     ", expected numbers such as 1,2,3"));
    ids.push_back(id);
    at = end;
  }
}
