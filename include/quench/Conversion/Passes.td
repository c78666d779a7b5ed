//===- Passes.td - passes between quench and upstream dialects ---===//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef QUENCH_CONVERSION_PASSES_TD
#define QUENCH_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertQuantToQuench : Pass<"convert-quant-to-quench", "::mlir::ModuleOp"> {
  let summary = "Turns weights in upstream quant types into weights of the dialect";
  let description = [{
    A constant weight, `quant.dcast` of `quant.scast` of an `arith.constant`, becomes a
    `quench.weight` whose bytes go into a safetensors file: what `quench-run compile`
    takes as `--weights`. A `linalg.matmul` by it (either orientation of the weight, zero
    as the destination) becomes `quench.linear`; any other use reads `quench.dequantize`.

    ```mlir
    // quench-opt --convert-quant-to-quench=weights=weights.safetensors
    #mk = affine_map<(m, n, k) -> (m, k)>
    #nk = affine_map<(m, n, k) -> (n, k)>
    #mn = affine_map<(m, n, k) -> (m, n)>

    func.func @project(%x: tensor<4x32xf32>) -> tensor<4x64xf32> {
      %c = arith.constant dense<1> : tensor<64x32xi8>
      %q = quant.scast %c : tensor<64x32xi8> to tensor<64x32x!quant.uniform<i8:f32, 0.25>>
      %w = quant.dcast %q : tensor<64x32x!quant.uniform<i8:f32, 0.25>> to tensor<64x32xf32>
      %f0 = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<4x64xf32>
      %zero = linalg.fill ins(%f0 : f32) outs(%empty : tensor<4x64xf32>) -> tensor<4x64xf32>
      %y = linalg.matmul indexing_maps = [#mk, #nk, #mn]
        ins(%x, %w : tensor<4x32xf32>, tensor<64x32xf32>) outs(%zero : tensor<4x64xf32>) -> tensor<4x64xf32>
      return %y : tensor<4x64xf32>
    }
    ```
    becomes
    ```mlir
    quench.weight @weight {key = "weight", hash = "13a5ad4ad5d0794ec57cc2d52de2e4b0"} : !quench.qtensor<64x32, #quench.q8_0>
    func.func @project(%x: tensor<4x32xf32>) -> tensor<4x64xf32> {
      %f0 = arith.constant 0.0 : f32
      %empty = tensor.empty() : tensor<4x64xf32>
      %zero = linalg.fill ins(%f0 : f32) outs(%empty : tensor<4x64xf32>) -> tensor<4x64xf32>
      %w = quench.get_weight @weight : !quench.qtensor<64x32, #quench.q8_0>
      %y = quench.linear %x, %w : tensor<4x32xf32>, !quench.qtensor<64x32, #quench.q8_0> -> tensor<4x64xf32>
      return %y : tensor<4x64xf32>
    }
    ```

    Weights keep their values exactly, or the pass fails: codes of 4 or 8 bits, scales that f16
    holds and that 32 neighbours along the input features share. Per-tensor, per-axis and
    sub-channel types qualify; the format is `q4_1` or `q8_0`. Quantized activations have no
    counterpart and are an error.
  }];
  let options = [
    Option<"weights", "weights", "std::string", "\"\"", "The safetensors file that gets the weights' bytes">,
    Option<"activations", "activations", "std::string", "\"f32\"", "Numbers that linear layers multiply weights with: f32 or i8">,
    Option<"roundScales", "round-scales", "bool", "false",
           "Round scales to f16 (by at most one part in 2048) instead of failing">,
  ];
  let dependentDialects = ["::mlir::quench::QuenchDialect"];
}

def ConvertQuenchToVector : Pass<"convert-quench-to-vector", "::mlir::ModuleOp"> {
  let summary = "Lowers block ops on buffers to loops over vectors of eight lanes";
  let description = [{
    The code of every block op, in the order that its description fixes, and of
    element-wise `linalg.generic`. `block_matmul` and `block_attend` become calls of
    kernels: private functions, one for each format and width class, shared by all shapes. The
    tile of `block_matmul` is the only code that depends on the target.

    ```mlir
    // quench-opt --convert-quench-to-vector --canonicalize
    #id = affine_map<(d0, d1) -> (d0, d1)>

    func.func @double(%x: memref<4x32xf32>, %y: memref<4x32xf32>) {
      linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel", "parallel"]}
          ins(%x : memref<4x32xf32>) outs(%y : memref<4x32xf32>) {
      ^bb0(%a: f32, %b: f32):
        %s = arith.addf %a, %a : f32
        linalg.yield %s : f32
      }
      return
    }
    ```
    becomes
    ```mlir
    func.func @double(%x: memref<4x32xf32>, %y: memref<4x32xf32>) {
      %c8 = arith.constant 8 : index
      %c32 = arith.constant 32 : index
      %c4 = arith.constant 4 : index
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      scf.for %row = %c0 to %c4 step %c1 {
        scf.for %column = %c0 to %c32 step %c8 {
          %a = vector.load %x[%row, %column] : memref<4x32xf32>, vector<8xf32>
          %s = arith.addf %a, %a : vector<8xf32>
          vector.store %s, %y[%row, %column] : memref<4x32xf32>, vector<8xf32>
        }
      }
      return
    }
    ```
  }];
  let options = [
    Option<"tile", "tile", "std::string", "\"portable\"", "Form of the inner tile: portable or avx2">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::func::FuncDialect", "::mlir::math::MathDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::scf::SCFDialect", "::mlir::vector::VectorDialect", "::mlir::LLVM::LLVMDialect"];
}

#endif // QUENCH_CONVERSION_PASSES_TD
