//===- MemoryAccess.h - Where a warp's lanes access memory ---- -*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_SIMULATOR_MEMORYACCESS_H
#define KAMI_LIB_SIMULATOR_MEMORYACCESS_H

#include "Execution.h"

namespace kami::sim {

/// Fills the addresses of the lanes of the access. `extent` elements of the
/// last dimension are accessed from the index on. Unless `isBounded`, indices
/// may be any, and only the allocation's bounds remain to be checked.
mlir::LogicalResult
computeAddresses(Execution &x, Warp &warp, const Instruction &instruction,
                 const MemRef &memref, llvm::ArrayRef<Slot> indices,
                 int64_t extent, Access &access, bool isBounded = true);

} // namespace kami::sim

#endif // KAMI_LIB_SIMULATOR_MEMORYACCESS_H
