// Weights in quant types keep their values; the bytes are those of q8_0 and q4_1 blocks, as an independent decoder reads them.
// RUN: quench-opt %s --convert-quant-to-quench=weights=%t.safetensors | FileCheck %s
// RUN: %python %S/Inputs/dump_weights.py %t.safetensors | FileCheck %s --check-prefix=BYTES

// One weight for each constant, in the order of the program.
// CHECK: quench.weight @weight {hash = "{{[0-9a-f]+}}", key = "weight"} : !quench.qtensor<2x32, #quench.q8_0>
// CHECK-NEXT: quench.weight @columns {{.*}}key = "columns"} : !quench.qtensor<2x64, #quench.q8_0>
// CHECK-NEXT: quench.weight @axis {{.*}} : !quench.qtensor<2x32, #quench.q8_0>
// CHECK-NEXT: quench.weight @blocks {{.*}} : !quench.qtensor<4x64, #quench.q8_0>
// CHECK-NEXT: quench.weight @four {{.*}} : !quench.qtensor<32, #quench.q4_1>
// CHECK-NEXT: quench.weight @ramp4 {{.*}} : !quench.qtensor<32, #quench.q4_1>
// CHECK-NEXT: quench.weight @ramp8 {{.*}} : !quench.qtensor<32, #quench.q8_0>
// CHECK-NEXT: quench.weight @unsigned {{.*}} : !quench.qtensor<32, #quench.q4_1>
// CHECK-NEXT: quench.weight @wide {{.*}} : !quench.qtensor<32, #quench.q8_0>
// CHECK-NEXT: quench.weight @blob {{.*}} : !quench.qtensor<32, #quench.q8_0>
// CHECK-NEXT: quench.weight @blocks_0 {{.*}}key = "blocks_0"}
// CHECK-NOT: quench.weight

#mk = affine_map<(m, n, k) -> (m, k)>
#nk = affine_map<(m, n, k) -> (n, k)>
#mn = affine_map<(m, n, k) -> (m, n)>

// BYTES: weight q8_0 2x32: 0.75 everywhere

// One scale for the whole tensor: each block of 32 gets it.
// CHECK-LABEL: func.func @per_tensor
// CHECK-SAME: (%[[X:.+]]: tensor<?x32xf32>)
func.func @per_tensor(%x: tensor<?x32xf32>) -> tensor<?x2xf32> {
  // CHECK: %[[W:.+]] = quench.get_weight @weight : !quench.qtensor<2x32, #quench.q8_0>
  // CHECK: %[[Y:.+]] = quench.linear %[[X]], %[[W]] : tensor<?x32xf32>, !quench.qtensor<2x32, #quench.q8_0> -> tensor<?x2xf32>
  // CHECK: return %[[Y]]
  // CHECK-NOT: quant.
  %c = arith.constant dense<3> : tensor<2x32xi8>
  %q = quant.scast %c : tensor<2x32xi8> to tensor<2x32x!quant.uniform<i8:f32, 0.25>>
  %w = quant.dcast %q : tensor<2x32x!quant.uniform<i8:f32, 0.25>> to tensor<2x32xf32>
  %zero = arith.constant 0.0 : f32
  %c0 = arith.constant 0 : index
  %rows = tensor.dim %x, %c0 : tensor<?x32xf32>
  %e = tensor.empty(%rows) : tensor<?x2xf32>
  %o = linalg.fill ins(%zero : f32) outs(%e : tensor<?x2xf32>) -> tensor<?x2xf32>
  %y = linalg.matmul indexing_maps = [#mk, #nk, #mn] ins(%x, %w : tensor<?x32xf32>, tensor<2x32xf32>) outs(%o : tensor<?x2xf32>) -> tensor<?x2xf32>
  return %y : tensor<?x2xf32>
}

// A weight with the input features first is turned around. A name in the location is the weight's name.
// BYTES: columns q8_0 2x64: -0.5 everywhere in row 0, 2.0 everywhere in row 1
// CHECK-LABEL: func.func @transposed
func.func @transposed(%x: tensor<4x64xf32>) -> tensor<4x2xf32> {
  // CHECK: %[[W:.+]] = quench.get_weight @columns
  // CHECK: quench.linear %{{.+}}, %[[W]] : tensor<4x64xf32>, !quench.qtensor<2x64, #quench.q8_0> -> tensor<4x2xf32>
  %b = arith.constant dense<"0xFF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04FF04"> : tensor<64x2xi8> loc("columns")
  %q = quant.scast %b : tensor<64x2xi8> to tensor<64x2x!quant.uniform<i8:f32, 0.5>>
  %w = quant.dcast %q : tensor<64x2x!quant.uniform<i8:f32, 0.5>> to tensor<64x2xf32>
  %o = arith.constant dense<0.0> : tensor<4x2xf32>
  %y = linalg.matmul ins(%x, %w : tensor<4x64xf32>, tensor<64x2xf32>) outs(%o : tensor<4x2xf32>) -> tensor<4x2xf32>
  return %y : tensor<4x2xf32>
}

// A scale and a zero point for each row; what is no product reads the weight dequantized.
// BYTES: axis q8_0 2x32: 1.0 everywhere in row 0, 0.25 everywhere in row 1
// CHECK-LABEL: func.func @per_axis
func.func @per_axis() -> tensor<2x32xf32> {
  // CHECK: %[[W:.+]] = quench.get_weight @axis
  // CHECK: %[[F:.+]] = quench.dequantize %[[W]] : !quench.qtensor<2x32, #quench.q8_0> -> tensor<2x32xf32>
  // CHECK: return %[[F]]
  %c = arith.constant dense<3> : tensor<2x32xi8> loc("axis")
  %q = quant.scast %c : tensor<2x32xi8> to tensor<2x32x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>>
  %w = quant.dcast %q : tensor<2x32x!quant.uniform<i8:f32:0, {0.5:1, 0.25:2}>> to tensor<2x32xf32>
  return %w : tensor<2x32xf32>
}

// Blocks of the type are 2 x 32: a row of the grid serves two rows of the weight.
// BYTES: blocks q8_0 4x64: 1.0 2.0 / 1.0 2.0 / 3.0 4.0 / 3.0 4.0 by blocks
// CHECK-LABEL: func.func @sub_channel
func.func @sub_channel() -> tensor<4x64xf32> {
  %c = arith.constant dense<1> : tensor<4x64xi8> loc("blocks")
  %q = quant.scast %c : tensor<4x64xi8> to tensor<4x64x!quant.uniform<i8:f32:{0:2, 1:32}, {{1.0, 2.0}, {3.0, 4.0}}>>
  %w = quant.dcast %q : tensor<4x64x!quant.uniform<i8:f32:{0:2, 1:32}, {{1.0, 2.0}, {3.0, 4.0}}>> to tensor<4x64xf32>
  return %w : tensor<4x64xf32>
}

// Four bits are q4_1, whose minimum is 8 scales below.
// BYTES: four q4_1 32: -0.5 everywhere
// CHECK-LABEL: func.func @four_bits
func.func @four_bits() -> tensor<32xf32> {
  %c = arith.constant dense<-2> : tensor<32xi4> loc("four")
  %q = quant.scast %c : tensor<32xi4> to tensor<32x!quant.uniform<i4:f32, 0.25>>
  %w = quant.dcast %q : tensor<32x!quant.uniform<i4:f32, 0.25>> to tensor<32xf32>
  return %w : tensor<32xf32>
}

// Every code in its place: the low nibbles are the first half of a block.
// BYTES: ramp4 q4_1 32: -8 -7 -6 -5 -4 -3 -2 -1 0 1 2 3 4 5 6 7 7 6 5 4 3 2 1 0 -1 -2 -3 -4 -5 -6 -7 -8
// BYTES: ramp8 q8_0 32: -128 -120 -112 -104 -96 -88 -80 -72 -64 -56 -48 -40 -32 -24 -16 -8 0 8 16 24 32 40 48 56 64 72 80 88 96 104 112 120
// CHECK-LABEL: func.func @ramps
func.func @ramps() -> (tensor<32xf32>, tensor<32xf32>) {
  %c4 = arith.constant dense<[-8, -7, -6, -5, -4, -3, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 7, 6, 5, 4, 3, 2, 1, 0, -1, -2, -3, -4, -5, -6, -7, -8]> : tensor<32xi4> loc("ramp4")
  %q4 = quant.scast %c4 : tensor<32xi4> to tensor<32x!quant.uniform<i4:f32, 1.0>>
  %w4 = quant.dcast %q4 : tensor<32x!quant.uniform<i4:f32, 1.0>> to tensor<32xf32>
  %c8 = arith.constant dense<[-128, -120, -112, -104, -96, -88, -80, -72, -64, -56, -48, -40, -32, -24, -16, -8, 0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80, 88, 96, 104, 112, 120]> : tensor<32xi8> loc("ramp8")
  %q8 = quant.scast %c8 : tensor<32xi8> to tensor<32x!quant.uniform<i8:f32, 1.0>>
  %w8 = quant.dcast %q8 : tensor<32x!quant.uniform<i8:f32, 1.0>> to tensor<32xf32>
  return %w4, %w8 : tensor<32xf32>, tensor<32xf32>
}

// Unsigned with a zero point.
// BYTES: unsigned q4_1 32: 1.25 everywhere
// CHECK-LABEL: func.func @unsigned_bits
func.func @unsigned_bits() -> tensor<32xf32> {
  %c = arith.constant dense<13> : tensor<32xi4> loc("unsigned")
  %q = quant.scast %c : tensor<32xi4> to tensor<32x!quant.uniform<u4:f32, 0.25:8>>
  %w = quant.dcast %q : tensor<32x!quant.uniform<u4:f32, 0.25:8>> to tensor<32xf32>
  return %w : tensor<32xf32>
}

// Where f16 holds the scale but not the minimum (2047 * 3), codes take 8 bits instead.
// BYTES: wide q8_0 32: 4094.0 everywhere
// CHECK-LABEL: func.func @wide_minimum
func.func @wide_minimum() -> tensor<32xf32> {
  %c = arith.constant dense<5> : tensor<32xi4> loc("wide")
  %q = quant.scast %c : tensor<32xi4> to tensor<32x!quant.uniform<u4:f32, 2047.0:3>>
  %w = quant.dcast %q : tensor<32x!quant.uniform<u4:f32, 2047.0:3>> to tensor<32xf32>
  return %w : tensor<32xf32>
}

// Codes may lie in a resource.
// BYTES: blob q8_0 32: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30 -1
// CHECK-LABEL: func.func @resource
func.func @resource() -> tensor<32xf32> {
  %c = arith.constant dense_resource<codes> : tensor<32xi8> loc("blob")
  %q = quant.scast %c : tensor<32xi8> to tensor<32x!quant.uniform<i8:f32, 1.0>>
  %w = quant.dcast %q : tensor<32x!quant.uniform<i8:f32, 1.0>> to tensor<32xf32>
  return %w : tensor<32xf32>
}

// One constant read twice is one weight; a second of the same name gets another name.
// CHECK-LABEL: func.func @shared
// CHECK: %[[A:.+]] = quench.get_weight @blocks_0
// CHECK: quench.dequantize %[[A]]
// CHECK: %[[B:.+]] = quench.get_weight @blocks_0
// CHECK: quench.dequantize %[[B]]
func.func @shared() -> (tensor<32xf32>, tensor<32xf32>) {
  %c = arith.constant dense<7> : tensor<32xi8> loc("blocks")
  %q = quant.scast %c : tensor<32xi8> to tensor<32x!quant.uniform<i8:f32, 1.0>>
  %v = quant.dcast %q : tensor<32x!quant.uniform<i8:f32, 1.0>> to tensor<32xf32>
  %w = quant.dcast %q : tensor<32x!quant.uniform<i8:f32, 1.0>> to tensor<32xf32>
  return %v, %w : tensor<32xf32>, tensor<32xf32>
}

{-#
  dialect_resources: {
    builtin: {
      codes: "0x01000000000102030405060708090A0B0C0D0E0F101112131415161718191A1B1C1D1EFF"
    }
  }
#-}
