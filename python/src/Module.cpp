//===- Module.cpp - the extension module quench._quench --------------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#include "Errors.h"
#include "Generation.h"
#include "Models.h"

NB_MODULE(_quench, module) {
  module.doc() = "The C API of Quench (quench-rt/quench.h) as Python objects.";
  const int version = qrt_version();
  module.attr("version") =
      nanobind::str("{}.{}.{}").format(version / 10000, version / 100 % 100, version % 100);
  quench::addExceptions(module);
  quench::addGeneration(module);
  quench::addModels(module);
  quench::addArrays(module);
}
