//===- CompiledLibrary.cpp - the code of a model, loaded and described ----===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Program/CompiledLibrary.h"

#include "quench-rt/Device/CpuFeatures.h"
#include "quench-rt/Support/Status.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

using namespace qrt;

absl::StatusOr<std::unique_ptr<CompiledLibrary>>
CompiledLibrary::load(Device &device, absl::Span<const uint8_t> code, absl::string_view label) {
  QRT_ASSIGN_OR_RETURN(std::unique_ptr<Image> image, device.load(code, label));
  QRT_ASSIGN_OR_RETURN(LibraryDescriptor description, parseDescriptor(image->descriptor(), label));
  std::vector<std::string> missing = missingCpuFeatures(description.cpuFeatures);
  if (!missing.empty())
    return absl::FailedPreconditionError(
        absl::StrCat(label, ": compiled for a processor with ", absl::StrJoin(missing, ", "),
                     ", which this one lacks; compile it for --target native"));
  if (description.entries.size() != image->numEntries())
    return absl::InvalidArgumentError(absl::StrCat(label, ": describes ",
                                                   description.entries.size(), " entries, but has ",
                                                   image->numEntries()));
  return std::unique_ptr<CompiledLibrary>(
      new CompiledLibrary(std::move(image), std::move(description)));
}
