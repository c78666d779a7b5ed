// After the last stage there is nothing that does not translate to LLVM IR, whichever way the stages are run, and
// whatever the target offers.
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-cpu -o %t.mlir
// RUN: FileCheck %s < %t.mlir
// RUN: mlir-translate --mlir-to-llvmir --allow-unregistered-dialect %t.mlir -o %t.ll
// RUN: opt -passes=verify %t.ll -disable-output
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-cpu='tile=avx2' | FileCheck %s
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-cpu='fma=false f16=false' | FileCheck %s
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-stage-model --quench-stage-blocks --quench-stage-tile --quench-stage-buffers --quench-stage-threads --quench-stage-vector --quench-stage-llvm -o %t.stages.mlir
// RUN: cmp %t.mlir %t.stages.mlir

// Twice the same input gives the same output.
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-cpu -o %t.again.mlir
// RUN: cmp %t.mlir %t.again.mlir

// Operations; attributes of the module may still name layouts.
// CHECK-NOT: {{(= |^ +)}}quench.
// CHECK-NOT: {{(= |^ +)}}{{(func|arith|math|memref|vector|scf|cf|linalg|tensor|affine|bufferization|ub|builtin)\.}}
// CHECK-DAG: llvm.func @prefill
// CHECK-DAG: llvm.func @logits
// CHECK-DAG: llvm.func @round
