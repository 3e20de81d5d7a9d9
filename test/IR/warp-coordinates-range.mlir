// A warp's coordinates are within its grid, which MLIR's range analysis knows.

// RUN: kami-opt %s --int-range-optimizations | FileCheck %s

// CHECK-LABEL: func @within
// CHECK-DAG:     %[[TRUE:.+]] = arith.constant true
// CHECK-DAG:     %[[LAYER:.+]] = arith.constant 0 : index
// CHECK:         %{{.+}}, %[[COLUMN:.+]], %{{.+}} = kami.warp_coordinates
// CHECK:         %[[LESS:.+]] = arith.cmpi ult, %[[COLUMN]], %{{.+}} : index
// CHECK:         return %[[TRUE]], %[[LESS]], %[[LAYER]]
func.func @within() -> (i1, i1, index) {
  %rows = arith.constant 2 : index
  %row, %column, %layer = kami.warp_coordinates [2, 4, 1]
  %inside = arith.cmpi ult, %row, %rows : index
  %less = arith.cmpi ult, %column, %rows : index
  return %inside, %less, %layer : i1, i1, index
}
