//===- TorchTimes.h - What torch.bmm took -----------------------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_TORCHTIMES_H
#define KAMI_LIB_DRIVER_TORCHTIMES_H

#include "kami/Layout/ElementKind.h"
#include "llvm/Support/Error.h"
#include <map>
#include <tuple>

namespace kami {

/// The medians of a file of scripts/peers/triton-batch.py --torch, measured by
/// the method of kami-bench, in a process of their own.
class TorchTimes {
public:
  static llvm::Expected<TorchTimes> load(llvm::StringRef path);

  /// Microseconds of a launch; 0 where the file has none.
  double find(ElementKind type, int64_t n, int64_t batch) const;

private:
  std::map<std::tuple<ElementKind, int64_t, int64_t>, double> times;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_TORCHTIMES_H
