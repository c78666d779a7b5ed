// NUM-8: what the processor lacks becomes plain operations; what it has stays.
// RUN: quench-opt %s --quench-legalize-floats | FileCheck %s --check-prefixes=CHECK,HAS
// RUN: quench-opt %s --quench-legalize-floats='fma=false f16=false' | FileCheck %s --check-prefixes=CHECK,LACKS

// CHECK-LABEL: func.func @fma
// HAS-NEXT: math.fma
// LACKS-NEXT: %[[P:.+]] = arith.mulf %{{.+}}, %{{.+}} : vector<8xf32>
// LACKS-NEXT: arith.addf %[[P]], %{{.+}} : vector<8xf32>
func.func @fma(%a: vector<8xf32>, %b: vector<8xf32>, %c: vector<8xf32>) -> vector<8xf32> {
  %0 = math.fma %a, %b, %c : vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func.func @widen
// HAS-NEXT: arith.extf %{{.+}} : vector<8xf16> to vector<8xf32>
// LACKS-NOT: arith.extf
// LACKS: arith.shli %{{.+}} : vector<8xi32>
// CHECK: return
func.func @widen(%a: vector<8xf16>) -> vector<8xf32> {
  %0 = arith.extf %a : vector<8xf16> to vector<8xf32>
  return %0 : vector<8xf32>
}

// CHECK-LABEL: func.func @narrow
// HAS-NEXT: arith.truncf %{{.+}} : f32 to f16
// LACKS-NOT: arith.truncf
// LACKS: arith.trunci %{{.+}} : i32 to i16
// CHECK: return
func.func @narrow(%a: f32) -> f16 {
  %0 = arith.truncf %a : f32 to f16
  return %0 : f16
}

// bf16 is expanded everywhere.
// CHECK-LABEL: func.func @bfloat
// CHECK-NOT: arith.extf
// CHECK-NOT: arith.truncf
// CHECK: return
func.func @bfloat(%a: bf16) -> bf16 {
  %0 = arith.extf %a : bf16 to f32
  %1 = arith.addf %0, %0 : f32
  %2 = arith.truncf %1 : f32 to bf16
  return %2 : bf16
}

// Not ours: f64.
// CHECK-LABEL: func.func @double
// CHECK-NEXT: arith.extf %{{.+}} : f32 to f64
// CHECK-NEXT: arith.truncf %{{.+}} : f64 to f32
func.func @double(%a: f32) -> f32 {
  %0 = arith.extf %a : f32 to f64
  %1 = arith.truncf %0 : f64 to f32
  return %1 : f32
}
