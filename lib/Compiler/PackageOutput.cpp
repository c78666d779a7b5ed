//===- PackageOutput.cpp - between models and package folders --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "PackageOutput.h"

#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Tokenizer/Vocabulary.h"
#include "quench/Dialect/Quench/IR/QuenchOps.h"
#include "quench/Dialect/Quench/IR/RuntimeFormat.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace mlir;
using namespace mlir::quench;

absl::Status quench::takeFromPackage(const std::string &path, InputModel &model) {
  QRT_ASSIGN_OR_RETURN(qrt::Package package, qrt::Package::open(path));
  if (model.weights.empty())
    model.weights = package.weightsPath();
  if (package.hasTokenizer()) {
    QRT_ASSIGN_OR_RETURN(model.tokenizer, package.tokenizer());
  }
  model.name = package.manifest().name;
  model.architecture = package.manifest().architecture;
  model.context = package.manifest().contextLength;
  return absl::OkStatus();
}

static absl::StatusOr<std::unique_ptr<qrt::WeightSource>> openWeights(const std::string &file,
                                                                      const std::string &draft) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<qrt::WeightSource> own, qrt::openWeights(file));
  if (draft.empty())
    return own;
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<qrt::WeightSource> second, qrt::openWeights(draft));
  return qrt::joinWeights(std::move(own), std::move(second));
}

/// "q4_1 576x576", as a safetensors file and messages show a weight; empty for a format
/// that no weight of a file can have.
static std::string describe(QTensorType type) {
  std::optional<qrt::Format> format = getRuntimeFormat(type.getFormat());
  bool vector = type.getShape().size() == 1; // otherwise it is 2
  return format ? qrt::weightMetadata(*format, vector ? 1 : type.getShape().front(),
                                      type.getShape().back(), vector)
                : "";
}

absl::Status quench::checkWeights(const InputModel &model) {
  ModuleOp program = *model.program;
  if (program.getOps<WeightOp>().empty())
    return absl::OkStatus();
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<qrt::WeightSource> source,
                       openWeights(model.weights, model.draftWeights));
  for (WeightOp weight : program.getOps<WeightOp>()) {
    QRT_ASSIGN_OR_RETURN(qrt::CanonicalWeight found, source->find(weight.getKey().str()));
    std::string expected = describe(cast<QTensorType>(weight.getType()));
    std::string where = model.weights + ": weight '" + weight.getKey().str() + "': found ";
    std::string actual = qrt::weightMetadata(found.format, found.rows, found.columns, found.vector);
    if (actual != expected)
      return absl::InvalidArgumentError(where + actual + ", expected " + expected +
                                        " as the program declares it");
    if (weight.getHash().empty())
      continue;
    std::string hash = qrt::contentHash(found.data, found.bytes);
    if (weight.getHash() != hash)
      return absl::DataLossError(where + "content hash " + hash + ", expected " +
                                 weight.getHash().str() + " as the program declares it");
  }
  return absl::OkStatus();
}

/// Fills in what the manifest says about the text side of a model.
static absl::Status describeTokenizer(const InputModel &model, qrt::NewPackage &package) {
  if (model.tokenizer.empty())
    return absl::OkStatus();
  package.tokenizer = model.tokenizer;
  QRT_ASSIGN_OR_RETURN(qrt::Vocabulary vocabulary,
                       qrt::vocabularyFromJson(model.tokenizer, "tokenizer"));
  package.manifest.vocabularySize = static_cast<int64_t>(vocabulary.tokens.size());
  return absl::OkStatus();
}

/// A file that a package refers to; its hash, if it is not known, is computed.
static absl::StatusOr<qrt::WeightsRecord> recordOf(const std::string &file,
                                                   const std::string &hash) {
  qrt::WeightsRecord record;
  record.kind = qrt::WeightsRecord::File;
  SmallString<256> absolute;
  std::error_code error = llvm::sys::fs::real_path(file, absolute);
  record.path = absolute.str().str();
  if (!error)
    error = llvm::sys::fs::file_size(absolute, record.file.bytes);
  if (error)
    return absl::NotFoundError(file + ": " + error.message());
  record.file.hash = hash;
  if (hash.empty()) {
    QRT_ASSIGN_OR_RETURN(record.file.hash, qrt::hashFile(record.path));
  }
  return record;
}

static absl::Status describeWeights(const CompileRequest &request, const InputModel &model,
                                    qrt::NewPackage &package) {
  qrt::Manifest &manifest = package.manifest;
  std::vector<std::string> keys;
  ModuleOp program = *model.program;
  for (WeightOp weight : program.getOps<WeightOp>()) {
    if (!llvm::is_contained(keys, weight.getKey()))
      keys.push_back(weight.getKey().str());
  }
  if (keys.empty())
    return absl::OkStatus();
  if (request.copyWeights) {
    manifest.weights.kind = qrt::WeightsRecord::InPackage;
    package.writeWeights = [file = model.weights, draft = model.draftWeights,
                            keys](const std::string &path) -> absl::Status {
      QRT_ASSIGN_OR_RETURN(std::unique_ptr<qrt::WeightSource> source, openWeights(file, draft));
      return qrt::copyWeights(*source, keys, path);
    };
    return absl::OkStatus();
  }
  QRT_ASSIGN_OR_RETURN(manifest.weights, recordOf(model.weights, request.weightsHash));
  if (!model.draftWeights.empty()) {
    QRT_ASSIGN_OR_RETURN(manifest.draftWeights, recordOf(model.draftWeights, ""));
  }
  return absl::OkStatus();
}

/// A text of the program's attributes, or what the package had that it comes from.
static std::string textAttribute(ModuleOp program, StringRef name, const std::string &otherwise) {
  auto attribute = program->getAttrOfType<StringAttr>(name);
  return attribute ? attribute.getValue().str() : otherwise;
}

absl::StatusOr<qrt::NewPackage> quench::describePackage(const CompileRequest &request,
                                                        const InputModel &model) {
  ModuleOp program = *model.program;
  qrt::NewPackage package;
  qrt::Manifest &manifest = package.manifest;
  manifest.producer = request.compiler;
  manifest.name = textAttribute(program, QuenchDialect::getNameAttrName(), model.name);
  manifest.architecture =
      textAttribute(program, QuenchDialect::getArchitectureAttrName(), model.architecture);
  manifest.contextLength = model.context;
  if (auto context = program->getAttrOfType<IntegerAttr>(QuenchDialect::getContextAttrName()))
    manifest.contextLength = context.getInt();
  manifest.activations = "f32";
  program.walk([&](LinearOp op) {
    if (op.getActivations() == Activations::I8)
      manifest.activations = "i8";
  });
  QRT_RETURN_IF_ERROR(describeTokenizer(model, package));
  QRT_RETURN_IF_ERROR(describeWeights(request, model, package));
  return package;
}
