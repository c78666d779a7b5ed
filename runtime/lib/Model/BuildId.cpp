//===- BuildId.cpp - the build ID of an ELF file --------------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "BuildId.h"

#include "absl/strings/escaping.h"

#include <cstring>
#include <elf.h>

using namespace qrt;

/// Copies a structure out of the file; false beyond its end.
template <typename T> static bool load(absl::Span<const uint8_t> file, uint64_t at, T &to) {
  if (at > file.size() || file.size() - at < sizeof(T))
    return false;
  std::memcpy(&to, file.data() + at, sizeof(T));
  return true;
}

static std::string findInNotes(absl::Span<const uint8_t> notes) {
  uint64_t at = 0;
  Elf64_Nhdr note;
  while (load(notes, at, note)) {
    uint64_t name = at + sizeof note;
    uint64_t content = name + ((uint64_t(note.n_namesz) + 3) & ~uint64_t(3));
    uint64_t end = content + ((uint64_t(note.n_descsz) + 3) & ~uint64_t(3));
    if (content + note.n_descsz > notes.size())
      return "";
    if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
        std::memcmp(notes.data() + name, "GNU", 4) == 0)
      return absl::BytesToHexString(
          absl::string_view(reinterpret_cast<const char *>(notes.data() + content), note.n_descsz));
    at = end;
  }
  return "";
}

std::string qrt::findBuildId(absl::Span<const uint8_t> file) {
  Elf64_Ehdr header;
  if (!load(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_phentsize != sizeof(Elf64_Phdr))
    return "";
  for (uint64_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    if (!load(file, header.e_phoff + i * sizeof segment, segment))
      return "";
    if (segment.p_type != PT_NOTE || segment.p_offset > file.size() ||
        segment.p_filesz > file.size() - segment.p_offset)
      continue;
    std::string id = findInNotes(file.subspan(segment.p_offset, segment.p_filesz));
    if (!id.empty())
      return id;
  }
  return "";
}
