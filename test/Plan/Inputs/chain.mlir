func.func @chain(%a: memref<4096x256x16xf16>, %b: memref<4096x16x256xf16>, %c: memref<4096x256x64xf16>, %d: memref<4096x256x64xf32>) {
  kami.chain ins(%a, %b, %c : memref<4096x256x16xf16>, memref<4096x16x256xf16>, memref<4096x256x64xf16>)
             outs(%d : memref<4096x256x64xf32>) accumulator(f32)
  return
}
