//===- LaneTarget.h - What a vendor's lanes do in their own ways --------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Fragments, their places in memory and what is exchanged of them are the same
// for all vendors. What is not is asked of an object that the vendor's
// conversion makes.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_KAMITOLANES_LANETARGET_H
#define KAMI_CONVERSION_KAMITOLANES_LANETARGET_H

#include "kami/Conversion/KamiToLanes/FragmentWindow.h"
#include <map>
#include <memory>

namespace kami::lanes {

/// A fragment's elements in lines of a matrix, which instructions move for all
/// lanes of a warp together. Whether lines are aligned and in the matrix is up
/// to the caller: `FragmentWindow::isRight`.
class LineAccess {
public:
  virtual ~LineAccess() = default;

  /// Bytes of a line, and what its address is a multiple of.
  virtual int64_t lineBytes() const = 0;
  /// What the lane gets, by place.
  virtual std::map<MatrixPlace, mlir::Value>
  load(mlir::ImplicitLocOpBuilder &b) const = 0;
  /// `convert` makes elements of the matrix of a vector of the tiles' elements.
  virtual void
  store(mlir::ImplicitLocOpBuilder &b, mlir::ValueRange tiles,
        llvm::function_ref<mlir::Value(mlir::Value)> convert) const = 0;
};

class LaneTarget {
public:
  explicit LaneTarget(int64_t warpSize) : warpSize(warpSize) {}
  virtual ~LaneTarget() = default;

  /// Lanes of a warp.
  const int64_t warpSize;

  /// A warp waits for those of its group, or for more of the block.
  virtual void wait(mlir::ImplicitLocOpBuilder &b, const Place &place,
                    llvm::ArrayRef<int64_t> grid, BarrierScopeKind scope) const;
  /// The same, where only what was written to shared memory has to be visible
  /// behind it.
  virtual void waitForShared(mlir::ImplicitLocOpBuilder &b, const Place &place,
                             llvm::ArrayRef<int64_t> grid,
                             BarrierScopeKind scope) const {
    wait(b, place, grid, scope);
  }
  /// Starts to copy an element to shared memory, or 0 if it does not exist,
  /// which has an address all the same. The thread that does finds it there
  /// behind `waitForCopies`.
  virtual void startCopy(mlir::ImplicitLocOpBuilder &b, mlir::Value from,
                         mlir::ValueRange at, mlir::Value to,
                         mlir::ValueRange toAt, mlir::Value exists) const;
  virtual void waitForCopies(mlir::ImplicitLocOpBuilder &b) const {}
  /// What a fragment of that type holds of an element that was loaded for it.
  virtual mlir::Value held(mlir::ImplicitLocOpBuilder &b, FragmentType fragment,
                           mlir::Value element) const {
    return element;
  }
  /// How a fragment, or one whose elements are the matrix's, is moved by lines;
  /// null where it is not.
  virtual std::unique_ptr<LineAccess>
  linesToLoad(FragmentType fragment, const FragmentWindow &window) const {
    return nullptr;
  }
  virtual std::unique_ptr<LineAccess>
  linesToStore(FragmentType fragment, const FragmentWindow &window) const {
    return nullptr;
  }
};

/// Patterns share it.
using LaneTargetRef = std::shared_ptr<const LaneTarget>;

} // namespace kami::lanes

#endif // KAMI_CONVERSION_KAMITOLANES_LANETARGET_H
