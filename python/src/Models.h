//===- Models.h - tokenizers, models, sessions, conversations --------------===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//

#ifndef QUENCH_PYTHON_MODELS_H
#define QUENCH_PYTHON_MODELS_H

#include <nanobind/nanobind.h>

namespace quench {

void addModels(nanobind::module_ &module);

/// Programs, compiling, formats of weights.
void addArrays(nanobind::module_ &module);

} // namespace quench

#endif // QUENCH_PYTHON_MODELS_H
