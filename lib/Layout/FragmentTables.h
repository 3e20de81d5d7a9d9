//===- FragmentTables.h - One table of fragments per vendor -------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_LAYOUT_FRAGMENTTABLES_H
#define KAMI_LIB_LAYOUT_FRAGMENTTABLES_H

#include "kami/Layout/FragmentMap.h"

namespace kami {

llvm::ArrayRef<FragmentMap> nvidiaFragments();
llvm::ArrayRef<FragmentMap> amdFragments();

} // namespace kami

#endif // KAMI_LIB_LAYOUT_FRAGMENTTABLES_H
