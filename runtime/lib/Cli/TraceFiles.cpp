//===- TraceFiles.cpp - traces as folders of arrays -----------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "TraceFiles.h"

#include "Errors.h"

#include "quench-rt/ModelFile/Npy.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

#include <cstring>
#include <filesystem>

using namespace qrt;

/// Names come from a program: what could lead out of the folder is replaced.
static std::string fileOf(const std::string &folder, std::string name) {
  for (char &c : name)
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '_' && c != '-')
      c = '_';
  return absl::StrCat(folder, "/", name, ".npy");
}

absl::Status cli::writeTrace(const std::string &folder, const Trace &trace) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  if (!error && !std::filesystem::is_empty(folder, error) && !error)
    return absl::AlreadyExistsError(
        absl::StrCat(folder, ": is not empty, expected a new or an empty folder"));
  if (error)
    return environmentError(absl::StrCat(folder, ": ", error.message()));
  for (const TracedTensor &tensor : trace) {
    const auto rows = static_cast<int64_t>(tensor.values.size()) / tensor.columns;
    QRT_RETURN_IF_ERROR(writeNpy(fileOf(folder, tensor.name), NpyType::F32, {rows, tensor.columns},
                                 tensor.values.data()));
  }
  return absl::OkStatus();
}

absl::StatusOr<Trace> cli::readTrace(const std::string &folder, const Trace &like) {
  Trace trace;
  for (const TracedTensor &tensor : like) {
    const std::string path = fileOf(folder, tensor.name);
    if (std::error_code error; !std::filesystem::exists(path, error))
      continue;
    QRT_ASSIGN_OR_RETURN(NpyArray array, readNpy(path));
    if (array.type != NpyType::F32 || array.shape.size() != 2 || array.shape[1] != tensor.columns)
      return absl::InvalidArgumentError(
          absl::StrCat(path, ": expected an array of f32 of shape [tokens, ", tensor.columns, "]"));
    TracedTensor found{tensor.name, tensor.columns, {}};
    found.values.resize(array.bytes / sizeof(float));
    std::memcpy(found.values.data(), array.data, array.bytes);
    trace.push_back(std::move(found));
  }
  if (trace.empty())
    return absl::NotFoundError(absl::StrCat(folder, ": has no file of a traced tensor, such as ",
                                            fileOf("", like.front().name).substr(1)));
  return trace;
}
