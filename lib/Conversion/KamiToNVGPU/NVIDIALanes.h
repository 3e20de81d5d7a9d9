//===- NVIDIALanes.h - What NVIDIA's lanes do in their own ways ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_CONVERSION_KAMITONVGPU_NVIDIALANES_H
#define KAMI_LIB_CONVERSION_KAMITONVGPU_NVIDIALANES_H

#include "kami/Conversion/KamiToLanes/LaneTarget.h"

namespace kami::nvgpu_lowering {

/// Lanes of NVIDIA's warps.
constexpr int64_t warpSize = 32;

class NVIDIALanes : public lanes::LaneTarget {
public:
  /// `storesMatrices` tells whether the chip has `stmatrix`.
  explicit NVIDIALanes(bool storesMatrices)
      : LaneTarget(nvgpu_lowering::warpSize), storesMatrices(storesMatrices) {}

  /// At PTX's barriers, which have numbers, while there are enough of them.
  void wait(mlir::ImplicitLocOpBuilder &b, const lanes::Place &place,
            llvm::ArrayRef<int64_t> grid,
            BarrierScopeKind scope) const override;
  /// f32 as the nearest tf32 number, for matrix units that take those.
  mlir::Value held(mlir::ImplicitLocOpBuilder &b, FragmentType fragment,
                   mlir::Value element) const override;
  std::unique_ptr<lanes::LineAccess>
  linesToLoad(FragmentType fragment,
              const lanes::FragmentWindow &window) const override;
  std::unique_ptr<lanes::LineAccess>
  linesToStore(FragmentType fragment,
               const lanes::FragmentWindow &window) const override;

private:
  bool storesMatrices;
};

/// An f32 whose leading 19 bits, all that the matrix unit reads, are the
/// nearest tf32 number, ties away from zero; below the smallest normal number
/// of f32, the next one towards zero.
mlir::Value roundFactor(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
/// The same, and the other 13 bits zero.
mlir::Value roundToTF32(mlir::ImplicitLocOpBuilder &b, mlir::Value value);
/// What the thread has written to shared memory, the matrix unit reads after
/// the next barrier.
void fenceForMatrixUnit(mlir::ImplicitLocOpBuilder &b);
/// All lanes of the warp wait for each other, and see what they have written.
void syncWarp(mlir::ImplicitLocOpBuilder &b);

} // namespace kami::nvgpu_lowering

#endif // KAMI_LIB_CONVERSION_KAMITONVGPU_NVIDIALANES_H
