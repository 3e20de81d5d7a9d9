//===- Bridge.h - Plans and targets as attributes ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The only place that turns a plan, a chip or an atom into an attribute and
// back. Below it nothing knows MLIR; above it nothing knows tables.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_BRIDGE_BRIDGE_H
#define KAMI_BRIDGE_BRIDGE_H

#include "kami/IR/KamiOps.h"
#include "kami/Model/SharedLayout.h"
#include "kami/Plan/Plan.h"
#include "kami/Plan/Problem.h"
#include "kami/Target/Chip.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace kami {

struct ChainPlan;
struct ChainProblem;

/// The module attribute that names the chip.
constexpr llvm::StringLiteral targetAttributeName = "kami.target";

/// Of a function's argument: what is stored as rows of the matrices begins at
/// multiples of 16 bytes, which is looked at where the function is called.
constexpr llvm::StringLiteral alignedRowsAttributeName = "kami.aligned_rows";

/// Of a loop over the tiles of a block: what threads compute of their number is
/// to be computed anew for each.
constexpr llvm::StringLiteral tileLoopAttributeName = "kami.tile_loop";

/// Of a kernel whose blocks take tiles in turn: how many of them are meant to
/// share a multiprocessor, so that all run from the start.
constexpr llvm::StringLiteral residentBlocksAttributeName =
    "kami.resident_blocks";

/// What that attribute says; 0 where there is none.
int64_t residentBlocksOf(mlir::FunctionOpInterface kernel);

/// The real number that a complex scale is known to be; null if it is not, or
/// there is no scale.
mlir::FloatAttr realScale(mlir::Value scale);

/// The kind whose elements have the type in memory; nothing for a type that no
/// table knows. f32 is f32, never tf32, and i8 has a sign: only an op says
/// otherwise.
std::optional<ElementKind> elementKind(mlir::Type type);
/// The type of a kind's elements in memory and registers.
mlir::Type elementType(mlir::MLIRContext *context, ElementKind kind);

/// The precision that stands for the kind in IR; nothing for all but the tf32
/// kinds.
std::optional<Precision> precisionOf(ElementKind kind);

MmaAtomAttr toAttribute(mlir::MLIRContext *context, const Atom &atom);
/// The table's atom with the attribute's instruction, shape, types and layouts,
/// or null.
const Atom *findAtom(MmaAtomAttr attribute);

/// How `plan` uses a block's shared memory, with operands from memory, or from
/// where `exchange` says.
SharedLayout sharedLayout(const Plan &plan);
SharedLayout sharedLayout(const Plan &plan, const Exchange &exchange);
/// How threads copy what the plan's copy engine cannot bring.
Exchange withoutBulk(const Plan &plan, const Exchange &exchange);

/// How the slices of a planned product travel inside a kernel.
Exchange exchangeOf(GemmOp op, const Plan &plan);

PlanAttr toAttribute(mlir::MLIRContext *context, const Plan &plan);
/// Emits an error at `op` if no table has the plan's atom.
mlir::FailureOr<Plan> toPlan(mlir::Operation *op, PlanAttr attribute);

/// Whether `op` or what is around it names a chip.
bool namesTarget(mlir::Operation *op);

/// The chip that `op`'s module is compiled for. Emits an error at `op` if the
/// module names none, or one that is not known.
mlir::FailureOr<const Chip *> targetOf(mlir::Operation *op);

/// Whether all lines of A and B are known, or promised, to begin at multiples
/// of 16 bytes.
bool areLinesAligned(GemmOp op);

/// The product that `op` computes; an extent or batch known only at run time
/// counts as `dynamicExtent`. Emits an error at `op` for a type that no matrix
/// instruction has.
mlir::FailureOr<Problem> problemOf(GemmOp op);

mlir::FailureOr<ChainProblem> problemOf(ChainOp op);

/// A batch of products of the size that `op` calls typical.
mlir::FailureOr<Problem> problemOf(GroupedGemmOp op);

/// The plans of a chain that has some. Emits an error at `op` if no table has
/// an atom of theirs.
mlir::FailureOr<ChainPlan> toPlan(ChainOp op);

/// What an extent that is known only at run time is planned as: large enough to
/// be tiled, so that any size runs.
constexpr int64_t dynamicExtent = 4096;

} // namespace kami

#endif // KAMI_BRIDGE_BRIDGE_H
