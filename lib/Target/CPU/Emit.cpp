//===- Emit.cpp - LLVM IR to an object ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Emit.h"
#include "quench-rt/abi.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/LegacyPassManager.h"

using namespace mlir;
using namespace mlir::quench;
using namespace llvm;

void mlir::quench::detail::addQuery(llvm::Module &module, mlir::ArrayRef<std::string> entries,
                                    mlir::StringRef descriptor) {
  LLVMContext &context = module.getContext();
  IRBuilder<> b(context);
  llvm::Type *pointer = b.getPtrTy(), *i32 = b.getInt32Ty();
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      function.setLinkage(GlobalValue::InternalLinkage);
  SmallVector<Constant *> addresses;
  for (const std::string &name : entries)
    addresses.push_back(module.getFunction(name));
  auto constantGlobal = [&](Constant *value, const char *name) {
    return new GlobalVariable(module, value->getType(), true, GlobalValue::InternalLinkage, value,
                              name);
  };
  auto *table = constantGlobal(
      ConstantArray::get(ArrayType::get(pointer, addresses.size()), addresses), "quench_entries");
  auto *text =
      constantGlobal(ConstantDataArray::getString(context, descriptor), "quench_descriptor");
  // qrt_library
  auto *type = StructType::get(context, {i32, i32, pointer, pointer});
  auto *library =
      constantGlobal(ConstantStruct::get(type, {b.getInt32(QRT_ABI_VERSION),
                                                b.getInt32(entries.size()), text, table}),
                     "quench_library");

  auto *query = llvm::Function::Create(llvm::FunctionType::get(pointer, {pointer}, false),
                                       GlobalValue::ExternalLinkage, QRT_QUERY_SYMBOL, module);
  llvm::Argument *host = query->getArg(0);
  auto *check = BasicBlock::Create(context, "check", query),
       *accept = BasicBlock::Create(context, "accept", query),
       *refuse = BasicBlock::Create(context, "refuse", query);
  b.SetInsertPoint(check);
  auto member = [&](size_t offset) {
    return b.CreateLoad(i32, b.CreateConstGEP1_64(b.getInt8Ty(), host, offset));
  };
  llvm::Value *version =
      b.CreateICmpEQ(member(offsetof(qrt_host, abi_version)), b.getInt32(QRT_ABI_VERSION));
  llvm::Value *size =
      b.CreateICmpEQ(member(offsetof(qrt_host, size)), b.getInt32(sizeof(qrt_host)));
  b.CreateCondBr(b.CreateAnd(version, size), accept, refuse);
  b.SetInsertPoint(accept);
  b.CreateStore(host, module.getNamedGlobal("quench_host"));
  b.CreateRet(library);
  b.SetInsertPoint(refuse);
  b.CreateRet(ConstantPointerNull::get(b.getPtrTy()));
}

void mlir::quench::detail::prepare(llvm::Module &module, Machine &machine,
                                   mlir::StringRef sanitize) {
  module.setDataLayout(machine.target->createDataLayout());
  module.setTargetTriple(machine.target->getTargetTriple());
  module.setPICLevel(PICLevel::BigPIC);
  module.setUwtable(UWTableKind::None);
  for (llvm::Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", machine.target->getTargetCPU());
    function.addFnAttr("target-features", machine.target->getTargetFeatureString());
    function.addFnAttr("no-builtins"); // no loop becomes a call of libm or libc
    function.addFnAttr(llvm::Attribute::NoUnwind);
    function.addFnAttr("frame-pointer", "non-leaf");
  }
  if (!sanitize.empty())
    instrument(module, sanitize);
}

bool mlir::quench::detail::emitFile(llvm::Module &module, llvm::TargetMachine &machine,
                                    bool assembly, mlir::SmallVectorImpl<char> &result) {
  raw_svector_ostream stream(result);
  legacy::PassManager passes;
  CodeGenFileType type = assembly ? CodeGenFileType::AssemblyFile : CodeGenFileType::ObjectFile;
  if (machine.addPassesToEmitFile(passes, stream, nullptr, type))
    return false;
  passes.run(module);
  return true;
}
