// RUN: quench-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(quench-spmdize)'

// expected-error @+1 {{expected structured control flow}}
func.func @blocks() {
  cf.br ^end
^end:
  return
}

// -----

func.func @tensors(%x: tensor<8xf32>) -> tensor<8xf32> {
  // expected-error @+1 {{expected a loop on buffers}}
  %0 = scf.forall (%i) in (8) shared_outs(%o = %x) -> (tensor<8xf32>) {
    %s = tensor.extract_slice %o[%i] [1] [1] : tensor<8xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %s into %o[%i] [1] [1] : tensor<1xf32> into tensor<8xf32>
    }
  } {mapping = [#quench.thread]}
  return %0 : tensor<8xf32>
}

// -----

func.func @no_mapping(%x: memref<8xf32>) {
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{expected a mapping to #quench.thread in every dimension}}
  scf.forall (%i) in (8) {
    memref.store %f, %x[%i] : memref<8xf32>
  }
  return
}

// -----

func.func @other_mapping(%x: memref<8xf32>) {
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{expected a mapping to #quench.thread in every dimension}}
  scf.forall (%i) in (8) {
    memref.store %f, %x[%i] : memref<8xf32>
  } {mapping = [#gpu.thread<x>]}
  return
}

// -----

func.func @inside(%x: memref<8xf32>, %k: index) {
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{cannot contain a distributed loop}}
  scf.index_switch %k
  default {
    scf.forall (%i) in (8) {
      memref.store %f, %x[%i] : memref<8xf32>
    } {mapping = [#quench.thread]}
    scf.yield
  }
  return
}

// -----

func.func @result_of_one(%x: memref<8xf32>, %i: index) -> f32 {
  %f = arith.constant 1.0 : f32
  // expected-error @+1 {{writes memory and has results, which one thread alone cannot give to all}}
  %0 = memref.atomic_rmw addf %f, %x[%i] : (f32, memref<8xf32>) -> f32
  return %0 : f32
}
