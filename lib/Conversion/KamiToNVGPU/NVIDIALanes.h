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
#include "kami/Target/Chip.h"

namespace kami::nvgpu_lowering {

/// Lanes of NVIDIA's warps.
constexpr int64_t warpSize = 32;

/// How f32 becomes the nearest tf32 number, of which the matrix unit reads the
/// leading 19 bits alone: by an instruction of the chip, ties to even, or,
/// where it has none or is not known (null), by two that all chips have. Those
/// round ties away from zero, and what is below f32's smallest normal number
/// towards zero.
class TF32Rounding {
public:
  explicit TF32Rounding(const Chip *chip)
      : hasInstruction(chip && chip->roundsToTF32) {}
  /// An f32 whose leading 19 bits are the number.
  mlir::Value factor(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const;
  /// The same for each element of a vector.
  mlir::Value factors(mlir::ImplicitLocOpBuilder &b, mlir::Value vector) const;
  /// The number: the other 13 bits are zero.
  mlir::Value number(mlir::ImplicitLocOpBuilder &b, mlir::Value value) const;

private:
  bool hasInstruction;
};

class NVIDIALanes : public lanes::LaneTarget {
public:
  /// Null: what any chip has.
  explicit NVIDIALanes(const Chip *chip)
      : LaneTarget(nvgpu_lowering::warpSize),
        copiesAsync(chip && chip->copiesAsync),
        storesMatrices(chip && chip->storesMatrices), rounding(chip) {}

  /// At PTX's barriers, which have numbers, while there are enough of them.
  void wait(mlir::ImplicitLocOpBuilder &b, const lanes::Place &place,
            llvm::ArrayRef<int64_t> grid,
            BarrierScopeKind scope) const override;
  /// By `cp.async`, which needs no registers, where the chip has it.
  void startCopy(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                 mlir::ValueRange at, mlir::Value to, mlir::ValueRange toAt,
                 mlir::Value exists) const override;
  void waitForCopies(mlir::ImplicitLocOpBuilder &b) const override;
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
  bool copiesAsync, storesMatrices;
  TF32Rounding rounding;
};

/// What the thread has written to shared memory, the matrix unit reads after
/// the next barrier.
void fenceForMatrixUnit(mlir::ImplicitLocOpBuilder &b);
/// All lanes of the warp wait for each other, and see what they have written.
void syncWarp(mlir::ImplicitLocOpBuilder &b);
/// The 32 bits that begin so many behind the lowest of two words, of which the
/// five lowest bits count: one instruction, a funnel shift. `prmt`, which takes
/// a number of bytes, makes ptxas spill where registers are few: 256 products
/// of f16 up to 512 × 512 × 512 in odd rows 99.6 µs instead of 92.6 (H200,
/// 2026-11-27).
mlir::Value shiftWords(mlir::ImplicitLocOpBuilder &b, mlir::Value low,
                       mlir::Value high, mlir::Value bits);

} // namespace kami::nvgpu_lowering

#endif // KAMI_LIB_CONVERSION_KAMITONVGPU_NVIDIALANES_H
