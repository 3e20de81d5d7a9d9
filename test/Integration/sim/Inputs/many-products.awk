# 1001 products by 22 blocks, each of sizes of its own.
function append(list, value) { return list (list == "" ? "" : ", ") value }
function array(name, list, type) {
  return sprintf("    %%%s: memref<1001x%s> {kami.contents = dense<[%s]> : tensor<1001x%s>}", name, type, list, type)
}
BEGIN {
  for (i = 0; i < 1001; ++i) {
    isLarge = i == 500
    m = isLarge ? 100 : i % 5 + 1; n = isLarge ? 90 : i % 7 + 1; k = isLarge ? 20 : i % 3
    ms = append(ms, m); ns = append(ns, n); ks = append(ks, k)
    as = append(as, a + 0); bs = append(bs, b + 0); cs = append(cs, c + 0)
    a += m * k; b += k * n; c += m * n
  }
  print "#hmma = #kami.mma_atom<mma_sync 16x8x16, f16, f16, f32, [\"nv.a.16x16.b16\", \"nv.b.16x8.b16\", \"nv.c.16x8.b32\"]>"
  print "#plan = #kami.plan<one_d, grid = [1, 1, 1], unit = warp, atom = #hmma, tile = 16x16x16, transport = copied,"
  print "                   slices = {k = 16, shared = [0, 0]}, stages = 2, blocks = 22, rows = skewed>"
  printf "func.func @main(%%a: memref<%dxf16>, %%b: memref<%dxf16>, %%c: memref<%dxf32>,\n", a, b, c
  print array("aAt", as, "i64") ","
  print array("bAt", bs, "i64") ","
  print array("cAt", cs, "i64") ","
  print array("m", ms, "i32") ",\n" array("n", ns, "i32") ",\n" array("k", ks, "i32") ") {"
  printf "  kami.grouped_gemm ins(%%a, %%b : memref<%dxf16>, memref<%dxf16>) outs(%%c : memref<%dxf32>)\n", a, b, c
  print "      at(%aAt, %bAt, %cAt : memref<1001xi64>, memref<1001xi64>, memref<1001xi64>)"
  print "      sizes(%m, %n, %k : memref<1001xi32>, memref<1001xi32>, memref<1001xi32>)"
  print "      accumulator(f32) typical [1, 1, 1] plan(#plan)"
  print "  return\n}"
}
