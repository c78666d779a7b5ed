//===- ModelWeights.cpp - the tensors that a program reads, checked --------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "ModelWeights.h"

#include "FileErrors.h"
#include "LayerRoles.h"

#include "quench-rt/Support/Hash.h"
#include "quench-rt/Support/Status.h"
#include "llvm/ADT/STLExtras.h"

#include <unordered_set>

using namespace mlir;
using namespace mlir::quench;

namespace {
class Reader {
public:
  Reader(MLIRContext &context, const qrt::GgufFile &file,
         const ArchitectureDescription &architecture, const HyperParameters &parameters)
      : context(context), file(file), architecture(architecture), parameters(parameters) {}

  absl::StatusOr<ModelWeights> read();

private:
  /// `found` is null if the file has no such tensor.
  absl::Status addWeight(const std::string &key, const qrt::GgufTensor *found,
                         ArrayRef<int64_t> shape, StringRef reason, ModelWeight &result);
  absl::Status readEmbedding(ModelWeight &result);
  absl::Status readLayer(int64_t layer, LayerWeights &result);
  absl::Status checkVocabulary(int64_t vocabulary);
  absl::Status refuseUnknownTensors();

  MLIRContext &context;
  const qrt::GgufFile &file;
  const ArchitectureDescription &architecture;
  const HyperParameters &parameters;
  std::unordered_set<const qrt::GgufTensor *> used;
};
} // namespace

/// "blk.3.attn_q.weight" becomes "blk3.attn_q", which needs no quotes in the IR and
/// reads as layer and tensor.
static std::string symbolOf(StringRef key) {
  key.consume_back(".weight");
  return key.consume_front("blk.") ? ("blk" + key).str() : key.str();
}

absl::Status Reader::addWeight(const std::string &key, const qrt::GgufTensor *found,
                               ArrayRef<int64_t> shape, StringRef reason, ModelWeight &result) {
  std::string about = aboutTensor(file, key);
  std::string expected = absl::StrCat("expected [", absl::StrJoin(shape, ", "), "]");
  if (!found)
    return absl::NotFoundError(absl::StrCat(about, ": missing, ", expected, toAbsl(reason)));
  QRT_ASSIGN_OR_RETURN(qrt::Format format, file.formatOf(*found));
  if (!llvm::equal(found->shape(), shape))
    return absl::InvalidArgumentError(
        absl::StrCat(about, ": ", describeTensor(*found), ", ", expected, toAbsl(reason)));
  // Vectors are read element by element, by code that knows plain numbers only.
  if (shape.size() == 1 && format != qrt::Format::F32)
    return absl::UnimplementedError(
        absl::StrCat(about, ": ", describeTensor(*found), ", expected F32"));
  FormatAttrInterface attribute =
      getFormatByName(&context, StringRef(toLLVM(qrt::formatName(format))).lower());
  if (!attribute)
    return absl::UnimplementedError(absl::StrCat(about, ": format ",
                                                 qrt::toAbsl(qrt::formatName(format)),
                                                 " has no attribute in the dialect"));

  used.insert(found);
  result.key = key;
  result.symbol = symbolOf(key);
  result.type = QTensorType::get(&context, shape, attribute);
  return absl::OkStatus();
}

absl::Status Reader::readEmbedding(ModelWeight &result) {
  // Its rows are the one number that only the tensor tells.
  std::string key = "token_embd.weight";
  QRT_ASSIGN_OR_RETURN(const qrt::GgufTensor *tensor, file.getTensor(key));
  if (tensor->rank != 2 || tensor->columns() != parameters.embedding)
    return absl::InvalidArgumentError(
        absl::StrCat(aboutTensor(file, key), ": ", describeTensor(*tensor),
                     ", expected [vocabulary, ", parameters.embedding, "]"));
  QRT_RETURN_IF_ERROR(checkVocabulary(tensor->rows()));
  return addWeight(key, tensor, {tensor->rows(), parameters.embedding}, "", result);
}

absl::Status Reader::checkVocabulary(int64_t vocabulary) {
  // Token ids are 32-bit.
  constexpr int64_t kMost = int64_t(1) << 31;
  auto disagrees = [&](std::string_view key, int64_t found) {
    return absl::InvalidArgumentError(absl::StrCat(aboutKey(file, key), ": ", found,
                                                   " tokens, expected the ", vocabulary,
                                                   " rows of tensor 'token_embd.weight'"));
  };
  if (vocabulary > kMost)
    return absl::InvalidArgumentError(absl::StrCat(aboutTensor(file, "token_embd.weight"), ": ",
                                                   vocabulary, " rows, expected at most ", kMost));
  std::string key = (architecture.name + ".vocab_size").str();
  QRT_ASSIGN_OR_RETURN(int64_t declared, file.getIntOr(key, vocabulary));
  if (declared != vocabulary)
    return disagrees(key, declared);
  key = "tokenizer.ggml.tokens";
  const qrt::GgufValue *tokens = file.find(key);
  if (tokens && tokens->isArray() && tokens->arraySize() != static_cast<uint64_t>(vocabulary))
    return disagrees(key, static_cast<int64_t>(tokens->arraySize()));
  return absl::OkStatus();
}

absl::Status Reader::readLayer(int64_t layer, LayerWeights &result) {
  std::string reason = absl::StrCat(" as in each of the ", parameters.layers, " layers (",
                                    toAbsl(architecture.name), ".block_count)");
  for (const LayerTensor &tensor : architecture.layerTensors) {
    std::string key = absl::StrCat("blk.", layer, ".", toAbsl(tensor.name));
    QRT_RETURN_IF_ERROR(addWeight(key, file.findTensor(key), shapeOf(tensor.role, parameters),
                                  reason, result.emplace_back()));
  }
  return absl::OkStatus();
}

absl::Status Reader::refuseUnknownTensors() {
  bool rotary = architecture.positions == PositionKind::Rotary;
  for (const qrt::GgufTensor &tensor : file.tensors())
    if (!used.count(&tensor) && !(rotary && tensor.name == kRopeDivisorsTensor))
      return absl::UnimplementedError(
          absl::StrCat(aboutTensor(file, tensor.name), ": not supported in architecture '",
                       toAbsl(architecture.name), "' with ", parameters.layers,
                       " layers, expected only tensors that it has a use for"));
  return absl::OkStatus();
}

absl::StatusOr<ModelWeights> Reader::read() {
  ModelWeights result;
  QRT_RETURN_IF_ERROR(readEmbedding(result.embedding));
  auto require = [&](std::string_view key, ArrayRef<int64_t> shape, ModelWeight &weight) {
    return addWeight(std::string(key), file.findTensor(key), shape, "", weight);
  };
  if (architecture.positions == PositionKind::Learned)
    QRT_RETURN_IF_ERROR(require("position_embd.weight", {parameters.context, parameters.embedding},
                                result.positions.emplace()));
  int64_t vocabulary = result.vocabulary();
  for (int64_t layer = 0; layer < parameters.layers; ++layer) {
    QRT_RETURN_IF_ERROR(readLayer(layer, result.layers.emplace_back()));
    result.numbers.push_back(layer);
  }
  QRT_RETURN_IF_ERROR(require("output_norm.weight", {parameters.embedding}, result.outputNorm));
  if (architecture.norm == NormKind::Layer)
    QRT_RETURN_IF_ERROR(
        require("output_norm.bias", {parameters.embedding}, result.outputNormBias.emplace()));
  if (file.findTensor("output.weight"))
    QRT_RETURN_IF_ERROR(
        require("output.weight", {vocabulary, parameters.embedding}, result.head.emplace()));
  QRT_RETURN_IF_ERROR(refuseUnknownTensors());

  // Last, since this reads the whole file.
  forEachWeight(result, [&](ModelWeight &weight) {
    const qrt::GgufTensor *tensor = file.findTensor(weight.key);
    weight.hash = qrt::contentHash(tensor->data, tensor->bytes);
  });
  return result;
}

absl::StatusOr<ModelWeights> mlir::quench::readWeights(MLIRContext &context,
                                                       const qrt::GgufFile &file,
                                                       const ArchitectureDescription &architecture,
                                                       const HyperParameters &parameters) {
  return Reader(context, file, architecture, parameters).read();
}
