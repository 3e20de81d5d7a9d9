// RUN: kami-opt %s --split-input-file --verify-diagnostics

// (C1)
func.func @global(%r: vector<4x2xf16>, %m: memref<64x64xf16>, %i: index) {
  // expected-error@+1 {{expected a matrix in workgroup memory, but got 'memref<64x64xf16>'}}
  kami.stmatrix %r, %m[%i, %i] : vector<4x2xf16>, memref<64x64xf16>
  return
}

// -----

// (C1)
func.func @stride(%r: vector<4x2xf16>, %m: memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected a matrix whose last stride is 1, but got}}
  kami.stmatrix %r, %m[%i, %i] : vector<4x2xf16>, memref<64x64xf16, strided<[1, 64]>, #gpu.address_space<workgroup>>
  return
}

// -----

// (C2)
func.func @indices(%r: vector<4x2xf16>, %m: memref<64x64xf16, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected 2 indices, but got 1}}
  kami.stmatrix %r, %m[%i] : vector<4x2xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
  return
}

// -----

// (C3)
func.func @count(%r: vector<3x2xf16>, %m: memref<64x64xf16, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected 1, 2 or 4 rows of 32 bits of 'f16', but got 'vector<3x2xf16>'}}
  kami.stmatrix %r, %m[%i, %i] : vector<3x2xf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
  return
}

// -----

// (C3)
func.func @element(%r: vector<4x2xbf16>, %m: memref<64x64xf16, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected 1, 2 or 4 rows of 32 bits of 'f16', but got 'vector<4x2xbf16>'}}
  kami.stmatrix %r, %m[%i, %i] : vector<4x2xbf16>, memref<64x64xf16, #gpu.address_space<workgroup>>
  return
}

// -----

// (C4)
func.func @transpose(%r: vector<4x4xi8>, %m: memref<64x64xi8, #gpu.address_space<workgroup>>, %i: index) {
  // expected-error@+1 {{expected elements of 16 bits to transpose, but got 'i8'}}
  kami.stmatrix %r, %m[%i, %i] transpose : vector<4x4xi8>, memref<64x64xi8, #gpu.address_space<workgroup>>
  return
}
