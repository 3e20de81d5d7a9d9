// Shape casts and strided slices become extractions and insertions; loads and stores
// of vectors in workgroup memory are left to who knows memory spaces.

// RUN: kami-opt %s --kami-lower-views | FileCheck %s

// CHECK: #[[AT:.+]] = affine_map<()[s0, s1] -> (s0 * 64 + s1)>

// CHECK-LABEL: func.func @casts
// CHECK-NOT:     vector.shape_cast
// CHECK-NOT:     vector.extract_strided_slice
// CHECK-NOT:     vector.insert_strided_slice
// CHECK:         vector.store %{{.+}}, %{{.+}} : memref<64xf16, #gpu.address_space<workgroup>>, vector<4xf16>
func.func @casts(%v: vector<8xf16>, %m: memref<64xf16, #gpu.address_space<workgroup>>, %i: index) -> vector<4x2xf16> {
  %pairs = vector.shape_cast %v : vector<8xf16> to vector<4x2xf16>
  %half = vector.extract_strided_slice %v {offsets = [4], sizes = [4], strides = [1]} : vector<8xf16> to vector<4xf16>
  vector.store %half, %m[%i] : memref<64xf16, #gpu.address_space<workgroup>>, vector<4xf16>
  return %pairs : vector<4x2xf16>
}

// Elements of two vectors are a shuffle, those of three are not.
// CHECK-LABEL: func.func @elements
// CHECK-SAME:    %[[A:.+]]: vector<4xf32>, %[[B:.+]]: vector<4xf32>, %[[C:.+]]: vector<4xf32>
// CHECK:         %[[TWO:.+]] = vector.shuffle %[[B]], %[[A]] [2, 4] : vector<4xf32>, vector<4xf32>
// CHECK:         %[[THREE:.+]] = vector.from_elements
// CHECK:         return %[[TWO]], %[[THREE]]
func.func @elements(%a: vector<4xf32>, %b: vector<4xf32>, %c: vector<4xf32>) -> (vector<2xf32>, vector<3xf32>) {
  %0 = vector.extract %a[0] : f32 from vector<4xf32>
  %1 = vector.extract %b[2] : f32 from vector<4xf32>
  %2 = vector.extract %c[1] : f32 from vector<4xf32>
  %two = vector.from_elements %1, %0 : vector<2xf32>
  %three = vector.from_elements %0, %1, %2 : vector<3xf32>
  return %two, %three : vector<2xf32>, vector<3xf32>
}

// Views of memory become one of its base each, with an offset and strides.
// CHECK-LABEL: func.func @subview
// CHECK-SAME:    %[[M:.+]]: memref<?x64xf32>, %[[I:.+]]: index, %[[J:.+]]: index, %[[N:.+]]: index
// CHECK-NOT:     memref.subview
// CHECK:         %[[BASE:.+]], %{{.+}}, %{{.+}}:2, %{{.+}}:2 = memref.extract_strided_metadata %[[M]]
// CHECK:         %[[OFFSET:.+]] = affine.apply #[[AT]]()[%[[I]], %[[J]]]
// CHECK:         %[[PART:.+]] = memref.reinterpret_cast %[[BASE]] to offset: [%[[OFFSET]]], sizes: [%[[N]], 32], strides: [64, 1]
// CHECK:         memref.load %[[PART]]
func.func @subview(%m: memref<?x64xf32>, %i: index, %j: index, %n: index) -> f32 {
  %part = memref.subview %m[%i, %j] [%n, 32] [1, 1] : memref<?x64xf32> to memref<?x32xf32, strided<[64, 1], offset: ?>>
  %v = memref.load %part[%i, %j] : memref<?x32xf32, strided<[64, 1], offset: ?>>
  return %v : f32
}

// CHECK-LABEL: func.func @collapsed
// CHECK-NOT:     memref.collapse_shape
// CHECK:         memref.reinterpret_cast %{{.+}} to offset: [0], sizes: [%{{.+}}], strides: [1]
func.func @collapsed(%m: memref<4x?x8xf32>, %i: index) -> f32 {
  %flat = memref.collapse_shape %m [[0, 1, 2]] : memref<4x?x8xf32> into memref<?xf32>
  %v = memref.load %flat[%i] : memref<?xf32>
  return %v : f32
}

// Nothing is said on the way to PTX.
// RUN: kami-compile --gemm=64x64x64 --batch=1000 --type=f16 --output-type=f16 --unit=warp --tile=64x64x32 --stages=2 --target=sm_90 --emit=ptx -o %t.ptx 2>&1 | not grep .
// RUN: FileCheck %s --check-prefix=PTX < %t.ptx
// PTX-DAG: cp.async.cg.shared.global
// PTX-DAG: cp.async.commit_group
// PTX-DAG: cp.async.wait_group
// PTX-DAG: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-DAG: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
// PTX-DAG: stmatrix.sync.aligned.m8n8.x4.shared.b16
// PTX-DAG: st.global.v4.b32
