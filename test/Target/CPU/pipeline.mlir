// After the last stage there is nothing that does not translate to LLVM IR, whatever the target offers.
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-cpu -o %t.mlir
// RUN: FileCheck %s --check-prefixes=CHECK,LLAMA < %t.mlir
// RUN: mlir-translate --mlir-to-llvmir --allow-unregistered-dialect %t.mlir -o %t.ll
// RUN: opt -passes=verify %t.ll -disable-output
// RUN: quench-opt %S/Inputs/linear.mlir --quench-cpu='tile=avx2' | FileCheck %s
// RUN: quench-opt %S/Inputs/linear.mlir --quench-cpu='fma=false f16=false' | FileCheck %s

// Stage by stage it is the same, to the byte: what the compiler emits depends on the program alone.
// RUN: quench-opt %S/Inputs/llama.mlir --quench-add-speculation --quench-stage-model --quench-stage-blocks --quench-stage-tile --quench-stage-buffers --quench-stage-threads --quench-stage-vector --quench-stage-llvm -o %t.stages.mlir
// RUN: cmp %t.mlir %t.stages.mlir

// Operations; attributes of the module may still name layouts.
// CHECK-NOT: {{(= |^ +)}}quench.
// CHECK-NOT: {{(= |^ +)}}{{(func|arith|math|memref|vector|scf|cf|linalg|tensor|affine|bufferization|ub|builtin)\.}}
// CHECK: llvm.func
// LLAMA-DAG: llvm.func @prefill
// LLAMA-DAG: llvm.func @logits
// LLAMA-DAG: llvm.func @round
