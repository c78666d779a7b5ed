// Attributes and types read back as they were written: as text and as bytecode.
// RUN: quench-opt %s --verify-roundtrip | FileCheck %s
// RUN: quench-opt %s --emit-bytecode | quench-opt | FileCheck %s

// Every storage format, by the name that the runtime's table has.
// CHECK-LABEL: func.func private @formats
func.func private @formats(
  // CHECK-SAME: !quench.qtensor<3x256, #quench.f32>, !quench.qtensor<3x256, #quench.f16>, !quench.qtensor<3x256, #quench.bf16>
  !quench.qtensor<3x256, #quench.f32>, !quench.qtensor<3x256, #quench.f16>, !quench.qtensor<3x256, #quench.bf16>,
  // CHECK-SAME: !quench.qtensor<3x256, #quench.q4_0>, !quench.qtensor<3x256, #quench.q4_1>
  !quench.qtensor<3x256, #quench.q4_0>, !quench.qtensor<3x256, #quench.q4_1>,
  // CHECK-SAME: !quench.qtensor<3x256, #quench.q5_0>, !quench.qtensor<3x256, #quench.q5_1>, !quench.qtensor<3x256, #quench.q8_0>
  !quench.qtensor<3x256, #quench.q5_0>, !quench.qtensor<3x256, #quench.q5_1>, !quench.qtensor<3x256, #quench.q8_0>,
  // CHECK-SAME: !quench.qtensor<3x256, #quench.q2_k>, !quench.qtensor<3x256, #quench.q3_k>, !quench.qtensor<3x256, #quench.q4_k>
  !quench.qtensor<3x256, #quench.q2_k>, !quench.qtensor<3x256, #quench.q3_k>, !quench.qtensor<3x256, #quench.q4_k>,
  // CHECK-SAME: !quench.qtensor<3x256, #quench.q5_k>, !quench.qtensor<3x256, #quench.q6_k>)
  !quench.qtensor<3x256, #quench.q5_k>, !quench.qtensor<3x256, #quench.q6_k>)

// A vector is a weight of rank 1.
// CHECK-LABEL: func.func private @vector
// CHECK-SAME: !quench.qtensor<7, #quench.f32>, !quench.qtensor<64, #quench.q8_0>
func.func private @vector(!quench.qtensor<7, #quench.f32>, !quench.qtensor<64, #quench.q8_0>)

// CHECK-LABEL: func.func private @caches
// CHECK-SAME: !quench.paged_cache<layers = 30, heads = 3, dim = 64, element = f16, slots = 32>
// CHECK-SAME: !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>
func.func private @caches(!quench.paged_cache<layers = 30, heads = 3, dim = 64, element = f16, slots = 32>,
                          !quench.paged_cache<layers = 1, heads = 1, dim = 8, element = f32, slots = 8>)

// CHECK-LABEL: func.func private @attributes
// CHECK-SAME: draft = [#quench.lookup, #quench.model]
// CHECK-SAME: enums = [#quench<activations i8>, #quench<rope_style halves>, #quench<norm_kind layer>, #quench<cache_part values>]
// CHECK-SAME: layouts = [#quench.plain, #quench.rows<8>]
// CHECK-SAME: mapping = [#quench.thread]
// CHECK-SAME: rule = #quench.greedy
func.func private @attributes() attributes {
  draft = [#quench.lookup, #quench.model], rule = #quench.greedy, layouts = [#quench.plain, #quench.rows<8>], mapping = [#quench.thread],
  enums = [#quench<activations i8>, #quench<rope_style halves>, #quench<norm_kind layer>, #quench<cache_part values>]
}
