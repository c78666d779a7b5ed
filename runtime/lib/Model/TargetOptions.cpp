//===- TargetOptions.cpp - what code is made for, and how -----------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "quench-rt/Model/TargetOptions.h"

#include "quench-rt/Device/CpuFeatures.h"

#include "absl/strings/str_cat.h"

#include "nlohmann/json.hpp"

using namespace qrt;

std::string TargetOptions::folderName() const {
  std::string name = target;
  if (target == "native") {
    name = std::string(hostArchitecture());
    for (const std::string &feature : cpuFeatures())
      absl::StrAppend(&name, "+", feature);
  }
  for (char &c : name)
    if (c == ':' || c == '/')
      c = '-';
  if (portable)
    name += "-portable";
  if (trace)
    name += "-trace";
  return sanitize.empty() ? name : absl::StrCat(name, "-", sanitize);
}

std::string TargetOptions::keyText() const {
  return absl::StrCat(folderName(), target == "native" ? cpuModelName() : "");
}

void TargetOptions::addTo(nlohmann::json &request) const {
  request["target"] = target;
  request["portable"] = portable;
  request["sanitize"] = sanitize;
  request["trace"] = trace;
  request["code_options"] = keyText();
}
