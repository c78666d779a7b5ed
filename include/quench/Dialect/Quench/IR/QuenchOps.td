//===- QuenchOps.td - gathers the ops of the dialect ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_DIALECT_QUENCH_IR_QUENCHOPS_TD
#define QUENCH_DIALECT_QUENCH_IR_QUENCHOPS_TD

include "quench/Dialect/Quench/IR/QuenchModelOps.td"
include "quench/Dialect/Quench/IR/QuenchSpeculationOps.td"
include "quench/Dialect/Quench/IR/QuenchBlockOps.td"
include "quench/Dialect/Quench/IR/QuenchSpmdOps.td"

#endif // QUENCH_DIALECT_QUENCH_IR_QUENCHOPS_TD
