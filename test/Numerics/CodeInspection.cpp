//===- CodeInspection.cpp - what is in a shared library --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "CodeInspection.h"

#include "llvm-c/Disassembler.h"
#include "llvm-c/Target.h"
#include "llvm/Object/ELFObjectFile.h"

#include "gtest/gtest.h"

using namespace quench::numerics;

static std::unique_ptr<llvm::object::ObjectFile> open(const Bytes &library) {
  llvm::StringRef text(reinterpret_cast<const char *>(library.data()), library.size());
  auto file = llvm::object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(text, "library"));
  if (!file) {
    ADD_FAILURE() << llvm::toString(file.takeError());
    return nullptr;
  }
  return std::move(*file);
}

static std::vector<std::string> dynamicSymbols(const Bytes &library, bool undefined) {
  std::vector<std::string> names;
  std::unique_ptr<llvm::object::ObjectFile> file = open(library);
  auto *elf = llvm::dyn_cast_or_null<llvm::object::ELFObjectFileBase>(file.get());
  if (!elf)
    return names;
  for (const llvm::object::ELFSymbolRef &symbol : elf->getDynamicSymbolIterators()) {
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    llvm::Expected<uint32_t> flags = symbol.getFlags();
    if (!name || !flags) {
      ADD_FAILURE() << llvm::toString(llvm::joinErrors(name.takeError(), flags.takeError()));
      return names;
    }
    bool isUndefined = *flags & llvm::object::SymbolRef::SF_Undefined;
    if (!name->empty() && isUndefined == undefined)
      names.push_back(name->str());
  }
  return names;
}

std::vector<std::string> quench::numerics::undefinedSymbols(const Bytes &library) {
  return dynamicSymbols(library, true);
}
std::vector<std::string> quench::numerics::exportedSymbols(const Bytes &library) {
  return dynamicSymbols(library, false);
}

std::vector<std::string> quench::numerics::instructions(const Bytes &library) {
  LLVMInitializeX86TargetInfo();
  LLVMInitializeX86TargetMC();
  LLVMInitializeX86Disassembler();
  std::vector<std::string> mnemonics;
  std::unique_ptr<llvm::object::ObjectFile> file = open(library);
  LLVMDisasmContextRef context =
      LLVMCreateDisasmCPUFeatures("x86_64-linux-gnu", "", "", nullptr, 0, nullptr, nullptr);
  if (!file || !context) {
    ADD_FAILURE() << "no disassembler";
    return mnemonics;
  }
  for (const llvm::object::SectionRef &section : file->sections()) {
    if (!section.isText())
      continue;
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (!contents) {
      ADD_FAILURE() << llvm::toString(contents.takeError());
      break;
    }
    std::vector<uint8_t> code(contents->bytes_begin(), contents->bytes_end());
    char text[256];
    for (size_t at = 0; at < code.size();) {
      size_t size = LLVMDisasmInstruction(context, code.data() + at, code.size() - at,
                                          section.getAddress() + at, text, sizeof(text));
      if (size == 0) {
        ADD_FAILURE() << "no instruction at " << at << " of " << code.size();
        break;
      }
      at += size;
      llvm::StringRef mnemonic = llvm::StringRef(text).ltrim();
      mnemonics.push_back(mnemonic.take_until([](char c) { return c == '\t' || c == ' '; }).str());
    }
  }
  LLVMDisasmDispose(context);
  return mnemonics;
}
