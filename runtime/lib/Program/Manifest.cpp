//===- Manifest.cpp - the table of contents of a package ------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/Manifest.h"

#include "Names.h"

#include "quench-rt/Support/JsonFields.h"
#include "quench-rt/Support/Status.h"
#include "quench-rt/Support/Text.h"

#include "absl/strings/str_cat.h"

using namespace qrt;
using nlohmann::json;

namespace {

constexpr const char *kFormat = "quench package";
constexpr size_t kMaxText = size_t(4) << 20;
constexpr int64_t kMaxNumber = INT32_MAX;

absl::StatusOr<FileRecord> parseRecord(const JsonFields &fields) {
  FileRecord record;
  QRT_ASSIGN_OR_RETURN(int64_t bytes, fields.integer("bytes", 0, INT64_MAX));
  record.bytes = static_cast<uint64_t>(bytes);
  QRT_ASSIGN_OR_RETURN(record.hash, fields.text("hash"));
  if (!isContentHash(record.hash))
    return fields.error("hash", "found " + qrt::quoted(record.hash) +
                                    ", expected 32 lower-case hexadecimal digits");
  return record;
}

absl::StatusOr<WeightsRecord> parseWeights(const JsonFields &fields) {
  WeightsRecord weights;
  QRT_ASSIGN_OR_RETURN(std::string kind, fields.text("kind"));
  if (kind == "none")
    return weights;
  if (kind == "package") {
    weights.kind = WeightsRecord::InPackage;
    return weights;
  }
  if (kind != "file")
    return fields.error("kind", "found " + qrt::quoted(kind) + ", expected none, package or file");
  weights.kind = WeightsRecord::File;
  QRT_ASSIGN_OR_RETURN(weights.path, fields.text("path"));
  if (weights.path.empty() || weights.path[0] != '/' ||
      weights.path.find('\0') != std::string::npos)
    return fields.error("path",
                        "found " + qrt::quoted(weights.path) + ", expected an absolute path");
  QRT_ASSIGN_OR_RETURN(weights.file, parseRecord(fields));
  return weights;
}

absl::Status parseFiles(const JsonFields &fields, Manifest &manifest) {
  QRT_ASSIGN_OR_RETURN(JsonFields files, fields.child("files"));
  for (const auto &item : files.items()) {
    const std::string &name = item.key();
    // Only these names are ever opened, so none can lead out of the folder.
    if (name != kProgramFile && name != kWeightsFile && name != kTokenizerFile)
      return absl::InvalidArgumentError(absl::StrCat(files.where(), ": ", qrt::quoted(name),
                                                     ": expected ", kProgramFile, ", ",
                                                     kWeightsFile, " or ", kTokenizerFile));
    QRT_ASSIGN_OR_RETURN(JsonFields record, files.child(name.c_str()));
    QRT_ASSIGN_OR_RETURN(manifest.files[name], parseRecord(record));
  }
  if (!manifest.files.count(kProgramFile))
    return files.error(kProgramFile, "missing");
  return absl::OkStatus();
}

json recordJson(const FileRecord &record) {
  return {{"bytes", record.bytes}, {"hash", record.hash}};
}

} // namespace

absl::StatusOr<Manifest> qrt::parseManifest(absl::string_view text, absl::string_view where) {
  QRT_ASSIGN_OR_RETURN(json value, parseJsonObject(text, kMaxText, where));
  QRT_ASSIGN_OR_RETURN(JsonFields fields, JsonFields::of(value, std::string(where)));
  QRT_ASSIGN_OR_RETURN(std::string format, fields.text("format"));
  if (format != kFormat)
    return fields.error("format", "found " + qrt::quoted(format) + ", expected '" + kFormat + "'");
  QRT_ASSIGN_OR_RETURN(int64_t version, fields.integer("version", 0, INT64_MAX));
  Manifest manifest;
  QRT_ASSIGN_OR_RETURN(manifest.producer, fields.text("producer"));
  if (version != Manifest::kVersion)
    return absl::FailedPreconditionError(
        absl::StrCat(where, ": package of version ", version, ", written by ",
                     qrt::quoted(manifest.producer), "; expected version ", Manifest::kVersion));
  QRT_ASSIGN_OR_RETURN(manifest.name, fields.text("name"));
  QRT_ASSIGN_OR_RETURN(manifest.architecture, fields.text("architecture"));
  QRT_ASSIGN_OR_RETURN(manifest.activations, fields.text("activations"));
  if (manifest.activations != "f32" && manifest.activations != "i8")
    return fields.error("activations",
                        "found " + qrt::quoted(manifest.activations) + ", expected f32 or i8");
  QRT_ASSIGN_OR_RETURN(manifest.contextLength, fields.integer("context_length", 0, kMaxNumber));
  QRT_ASSIGN_OR_RETURN(manifest.vocabularySize, fields.integer("vocabulary_size", 0, kMaxNumber));
  QRT_RETURN_IF_ERROR(parseFiles(fields, manifest));
  QRT_ASSIGN_OR_RETURN(JsonFields weights, fields.child("weights"));
  QRT_ASSIGN_OR_RETURN(manifest.weights, parseWeights(weights));
  if (manifest.weights.kind == WeightsRecord::InPackage && !manifest.files.count(kWeightsFile))
    return fields.error("weights", absl::StrCat("kind package, but 'files' has no ", kWeightsFile));
  if (fields.has("draft_weights")) {
    QRT_ASSIGN_OR_RETURN(JsonFields draft, fields.child("draft_weights"));
    QRT_ASSIGN_OR_RETURN(manifest.draftWeights, parseWeights(draft));
    if (manifest.draftWeights.kind != WeightsRecord::File ||
        manifest.weights.kind == WeightsRecord::None)
      return fields.error("draft_weights", "expected kind file, beside other weights");
  }
  return manifest;
}

static nlohmann::ordered_json weightsJson(const WeightsRecord &weights) {
  switch (weights.kind) {
  case WeightsRecord::None:
    return {{"kind", "none"}};
  case WeightsRecord::InPackage:
    return {{"kind", "package"}};
  case WeightsRecord::File:
    break;
  }
  return {{"kind", "file"},
          {"path", weights.path},
          {"bytes", weights.file.bytes},
          {"hash", weights.file.hash}};
}

std::string qrt::formatManifest(const Manifest &manifest) {
  nlohmann::ordered_json files = nlohmann::ordered_json::object();
  for (const auto &[name, record] : manifest.files)
    files[name] = recordJson(record);
  nlohmann::ordered_json object = {
      {"format", kFormat},
      {"version", Manifest::kVersion},
      {"producer", manifest.producer},
      {"name", manifest.name},
      {"architecture", manifest.architecture},
      {"activations", manifest.activations},
      {"context_length", manifest.contextLength},
      {"vocabulary_size", manifest.vocabularySize},
      {"files", std::move(files)},
      {"weights", weightsJson(manifest.weights)},
  };
  if (manifest.draftWeights.kind != WeightsRecord::None)
    object["draft_weights"] = weightsJson(manifest.draftWeights);
  // Names come from model files, whose bytes need not be UTF-8.
  return object.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}
