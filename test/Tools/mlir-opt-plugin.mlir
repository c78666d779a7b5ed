// Upstream's mlir-opt with the plugin does what quench-opt does: dialect, passes and pipelines, among them upstream's own ops and
// passes, which the plugin has to share with the program.
// DEFINE: %{mlir-opt} = mlir-opt --load-dialect-plugin=%plugin --load-pass-plugin=%plugin
// RUN: %{mlir-opt} %s --pass-pipeline='builtin.module(func.func(quench-merge-linears),canonicalize)' | FileCheck %s
// RUN: %{mlir-opt} %s --pass-pipeline='builtin.module(quench-cpu{tile=avx2})' -o %t.plugin.mlir
// RUN: quench-opt %s --quench-cpu=tile=avx2 -o %t.opt.mlir
// RUN: diff %t.plugin.mlir %t.opt.mlir

// One of the two is enough for what it brings.
// RUN: mlir-opt --load-dialect-plugin=%plugin --canonicalize %s | FileCheck %s --check-prefix=DIALECT
// RUN: not mlir-opt %s 2>&1 | FileCheck %s --check-prefix=NEITHER

// It exports what mlir-opt asks for and nothing else.
// RUN: llvm-nm --dynamic --defined-only --just-symbol-name %plugin | FileCheck %s --check-prefix=EXPORTS --implicit-check-not={{.}}
// EXPORTS: mlirGetDialectPluginInfo
// EXPORTS: mlirGetPassPluginInfo

// NEITHER: error: Dialect `quench' not found

module attributes {quench.max_rows = 8 : i64} {
  // CHECK-LABEL: func.func @f
  // CHECK: %[[Y:.+]]:2 = quench.linear %{{.+}}, %{{.+}}, %{{.+}} :
  // CHECK-NOT: arith.constant
  // CHECK: return %[[Y]]#0, %[[Y]]#1
  // DIALECT-LABEL: func.func @f
  // DIALECT-COUNT-2: quench.linear
  // DIALECT-NOT: arith.constant
  func.func @f(%x: tensor<?x32xf32>) -> (tensor<?x64xf32>, tensor<?x64xf32>) attributes {quench.entry} {
    %unused = arith.constant 1.0 : f32
    %w = quench.get_weight @w : !quench.qtensor<64x32, #quench.q4_1>
    %v = quench.get_weight @v : !quench.qtensor<64x32, #quench.q8_0>
    %a = quench.linear %x, %w : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q4_1> -> tensor<?x64xf32>
    %b = quench.linear %x, %v : tensor<?x32xf32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<?x64xf32>
    return %a, %b : tensor<?x64xf32>, tensor<?x64xf32>
  }
  quench.weight @w {key = "w"} : !quench.qtensor<64x32, #quench.q4_1>
  quench.weight @v {key = "v"} : !quench.qtensor<64x32, #quench.q8_0>
}
