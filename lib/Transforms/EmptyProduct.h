//===- EmptyProduct.h - Products without elements or terms -*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_TRANSFORMS_EMPTYPRODUCT_H
#define KAMI_LIB_TRANSFORMS_EMPTYPRODUCT_H

#include "kami/IR/KamiOps.h"

namespace kami {

/// Whether C is known to have no elements, so that nothing happens.
bool isEmpty(GemmOp op);

/// Lets extents that are known to be 0, of products without terms, look as if
/// they were known at run time only: there are neither tiles of extent 0 nor
/// views that begin in one, and a kernel that finds a k of 0 leaves β·C.
void hideEmptyExtents(GemmOp op);

} // namespace kami

#endif // KAMI_LIB_TRANSFORMS_EMPTYPRODUCT_H
