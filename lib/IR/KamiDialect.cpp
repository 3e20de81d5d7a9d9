//===- KamiDialect.cpp - The dialect -------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/IR/KamiDialect.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/DialectImplementation.h"

using namespace kami;

#include "kami/IR/KamiDialect.cpp.inc"

namespace {
/// Atoms, plans and fragments recur on every line of warp-level IR; an alias
/// keeps a kernel readable on one screen.
struct KamiAsmInterface : mlir::OpAsmDialectInterface {
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(mlir::Attribute attribute,
                       llvm::raw_ostream &os) const override {
    if (auto atom = mlir::dyn_cast<MmaAtomAttr>(attribute)) {
      os << "m" << atom.getM() << "n" << atom.getN() << "k" << atom.getK()
         << "_" << atom.getAType() << "_" << atom.getCType();
      return AliasResult::OverridableAlias;
    }
    if (mlir::isa<PlanAttr>(attribute)) {
      os << "plan";
      return AliasResult::OverridableAlias;
    }
    if (auto matrix = mlir::dyn_cast<SharedMatrixAttr>(attribute)) {
      os << "shared_" << stringifyRole(matrix.getRole()) << matrix.getRows()
         << "x" << matrix.getColumns();
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }

  AliasResult getAlias(mlir::Type type, llvm::raw_ostream &os) const override {
    if (auto fragment = mlir::dyn_cast<FragmentType>(type)) {
      os << stringifyRole(fragment.getRole()) << fragment.getRows() << "x"
         << fragment.getColumns();
      if (!fragment.hasAtomElementType())
        os << "_" << fragment.getElementType();
      return AliasResult::OverridableAlias;
    }
    if (auto block = mlir::dyn_cast<DistributedType>(type)) {
      os << "block_" << stringifyRole(block.getRole()) << block.getShape()[0]
         << "x" << block.getShape()[1];
      return AliasResult::OverridableAlias;
    }
    return AliasResult::NoAlias;
  }
};
} // namespace

void KamiDialect::initialize() {
  registerAttributes();
  registerTypes();
  addOperations<
#define GET_OP_LIST
#include "kami/IR/KamiOps.cpp.inc"
      >();
  addInterfaces<KamiAsmInterface>();
}
