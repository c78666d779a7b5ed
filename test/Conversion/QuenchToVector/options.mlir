// RUN: not quench-opt %s --convert-quench-to-vector=tile=avx512 2>&1 | FileCheck %s

// CHECK: error: unknown tile 'avx512'; supported: portable, avx2
module {
}
