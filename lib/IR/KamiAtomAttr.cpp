//===- KamiAtomAttr.cpp - What a matrix instruction is ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiAttrs.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using mlir::failure;
using mlir::LogicalResult;
using mlir::success;

/// (C1) to (C3) for one operand.
static LogicalResult
verifyLayout(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
             llvm::StringRef role, llvm::StringRef layout, int64_t rows,
             int64_t columns, mlir::Type type) {
  const FragmentMap *map = findFragmentMap(layout);
  if (!map)
    return emitError() << "unknown layout '" << layout << "' for " << role;
  if (map->rows != rows || map->columns != columns)
    return emitError() << "expected a layout of " << rows << "x" << columns
                       << " for " << role << ", but '" << layout << "' is "
                       << map->rows << "x" << map->columns;
  if (!type.isIntOrFloat())
    return emitError() << "expected an integer or float type for " << role
                       << ", but got " << type;
  if (map->elementBytes * 8 != type.getIntOrFloatBitWidth())
    return emitError() << "expected a layout of "
                       << type.getIntOrFloatBitWidth() << "-bit elements for "
                       << role << ", but '" << layout << "' is for "
                       << map->elementBytes * 8 << " bits";
  return success();
}

/// Whether each lane holds, in the same registers as all, every factor of its
/// elements of C.
static bool feedsLanes(const FragmentMap &a, const FragmentMap &b,
                       const FragmentMap &c) {
  for (unsigned value = 0; value != c.valuesPerLane(); ++value)
    for (unsigned k = 0; k != a.columns; ++k) {
      Coordinate first = c.at(0, value);
      std::optional<unsigned> left = a.valueAt(0, {first.row, k});
      std::optional<unsigned> right = b.valueAt(0, {k, first.column});
      if (!left || !right)
        return false;
      for (unsigned lane = 1; lane != c.lanes(); ++lane) {
        Coordinate at = c.at(lane, value);
        if (!(a.at(lane, *left) == Coordinate{at.row, k} &&
              b.at(lane, *right) == Coordinate{k, at.column}))
          return false;
      }
    }
  return true;
}

/// (C7): what is known of an instruction whose layouts are the device's.
static LogicalResult
verifyOpaque(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
             llvm::ArrayRef<int64_t> extents, llvm::ArrayRef<mlir::Type> types,
             llvm::ArrayRef<llvm::StringRef> layouts, int64_t products,
             int64_t lanes) {
  for (llvm::StringRef layout : layouts)
    if (!layout.empty())
      return emitError() << "expected empty layouts for cooperative_matrix, "
                            "but got '"
                         << layout << "'";
  for (int64_t extent : extents)
    if (extent < 1)
      return emitError() << "expected a positive extent for "
                            "cooperative_matrix, but got "
                         << extent;
  for (mlir::Type type : types)
    if (!type.isIntOrFloat())
      return emitError() << "expected an integer or float type for "
                            "cooperative_matrix, but got "
                         << type;
  constexpr int64_t mostLanes = 128;
  if (lanes < 2 || lanes > mostLanes || !llvm::isPowerOf2_64(lanes))
    return emitError() << "expected lanes to be a power of two from 2 to "
                       << mostLanes << ", but got " << lanes;
  if (products != 1)
    return emitError() << "expected 1 product for cooperative_matrix, but got "
                       << products;
  return success();
}

LogicalResult
MmaAtomAttr::verify(llvm::function_ref<mlir::InFlightDiagnostic()> emitError,
                    InstructionKind instruction, int64_t m, int64_t n,
                    int64_t k, mlir::Type aType, mlir::Type bType,
                    mlir::Type cType, llvm::StringRef aLayout,
                    llvm::StringRef bLayout, llvm::StringRef cLayout,
                    int64_t products, int64_t opaqueLanes) {
  if (instruction == InstructionKind::CooperativeMatrix)
    return verifyOpaque(emitError, {m, n, k}, {aType, bType, cType},
                        {aLayout, bLayout, cLayout}, products, opaqueLanes);
  if (opaqueLanes != 0)
    return emitError() << "expected lanes only for cooperative_matrix, but got "
                       << opaqueLanes << " for "
                       << stringifyInstructionKind(instruction);
  if (failed(verifyLayout(emitError, "A", aLayout, m, k, aType)) ||
      failed(verifyLayout(emitError, "B", bLayout, k, n, bType)) ||
      failed(verifyLayout(emitError, "C", cLayout, m, n, cType)))
    return failure();
  unsigned lanes = findFragmentMap(aLayout)->lanes();
  if (findFragmentMap(bLayout)->lanes() != lanes ||
      findFragmentMap(cLayout)->lanes() != lanes)
    return emitError() << "expected layouts of one number of lanes";
  if (lanes == 1 && instruction != InstructionKind::Fma)
    return emitError() << "expected layouts of a warp's lanes for "
                       << stringifyInstructionKind(instruction);
  if (findFragmentMap(cLayout)->replicas() != 1)
    return emitError() << "expected a layout without replicas for C, but got '"
                       << cLayout << "'";
  if (instruction == InstructionKind::Fma &&
      !feedsLanes(*findFragmentMap(aLayout), *findFragmentMap(bLayout),
                  *findFragmentMap(cLayout)))
    return emitError() << "expected layouts for fma in which each lane holds "
                          "the rows of A and the columns of B that its "
                          "elements of C need";
  if (products != 1 && products != 3)
    return emitError() << "expected 1 or 3 products, but got " << products;
  bool splits = instruction == InstructionKind::MmaSync && aType.isF32() &&
                bType.isF32() && cType.isF32();
  if (products == 3 && !splits)
    return emitError() << "expected mma_sync on f32 for 3 products, but got "
                       << stringifyInstructionKind(instruction) << " on "
                       << aType << ", " << bType << " and " << cType;
  return success();
}

bool MmaAtomAttr::isTF32() const {
  return (getInstruction() == InstructionKind::MmaSync ||
          getInstruction() == InstructionKind::Wgmma) &&
         getAType().isF32();
}

mlir::Type MmaAtomAttr::getElementType(Role role) const {
  return role == Role::A   ? getAType()
         : role == Role::B ? getBType()
                           : getCType();
}

int64_t MmaAtomAttr::getRows(Role role) const {
  return role == Role::B ? getK() : getM();
}

int64_t MmaAtomAttr::getColumns(Role role) const {
  return role == Role::A ? getK() : getN();
}

const FragmentMap &MmaAtomAttr::getMap(Role role) const {
  return *findFragmentMap(role == Role::A   ? getALayout()
                          : role == Role::B ? getBLayout()
                                            : getCLayout());
}
