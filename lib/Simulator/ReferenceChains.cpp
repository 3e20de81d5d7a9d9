//===- ReferenceChains.cpp ------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReferenceInterpreter.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

/// (A·B)·C, whatever the association: nothing is rounded in between.
LogicalResult ReferenceInterpreter::runChain(ChainOp op) {
  MemRef d = get(op.getD()).memref;
  long double alpha = scaleOf(op.getAlpha(), 1),
              beta = scaleOf(op.getBeta(), 0);
  if (op.hasTensorSemantics()) {
    d = clone(d);
    set(op.getResult(), Cell::ofMemRef(d));
  }
  return forEachIndex(
      ArrayRef<int64_t>(d.sizes).drop_back(2),
      [&](ArrayRef<int64_t> batch) -> LogicalResult {
        MemRef md = matrixOf(d, batch, false), factors[3];
        for (unsigned i = 0; i != 3; ++i)
          factors[i] =
              matrixOf(get(op.getFactor(i)).memref, batch, op.isTransposed(i));
        auto &[a, b, c] = factors;
        if (a.sizes[0] != md.sizes[0] || a.sizes[1] != b.sizes[0] ||
            b.sizes[1] != c.sizes[0] || c.sizes[1] != md.sizes[1])
          return op.emitError("expected extents that agree, but got A ")
                 << a.sizes[0] << "x" << a.sizes[1] << ", B " << b.sizes[0]
                 << "x" << b.sizes[1] << ", C " << c.sizes[0] << "x"
                 << c.sizes[1] << " and D " << md.sizes[0] << "x"
                 << md.sizes[1];
        MemRef made = multiplied(a, b, op.getAccumulator());
        MemRef sum = multiplied(made, c, op.getAccumulator());
        LogicalResult status =
            forEachIndex(md.sizes, [&](ArrayRef<int64_t> index) {
              int64_t from = sum.address(index) / int64_t(sizeof(long double));
              int64_t to = md.address(index) / int64_t(sizeof(long double));
              auto [value, error] = scaled(sum, from, md, to, alpha, beta);
              data(md)[to] = value;
              if (sumUnit)
                errors(md)[to] = error;
              return success();
            });
        memory.release(made.buffer);
        memory.release(sum.buffer);
        return status;
      });
}
