#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (n, k)>
#c = affine_map<(m, n, k) -> (m, n)>
func.func @transposed(%a: memref<21x33xbf16>, %b: memref<18x21xbf16>, %c: memref<33x18xf32>) {
  linalg.matmul indexing_maps = [#a, #b, #c]
      ins(%a, %b : memref<21x33xbf16>, memref<18x21xbf16>) outs(%c : memref<33x18xf32>)
  return
}
