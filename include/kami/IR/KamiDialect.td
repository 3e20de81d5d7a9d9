//===- KamiDialect.td - The dialect -----------------------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_IR_KAMIDIALECT_TD
#define KAMI_IR_KAMIDIALECT_TD

include "mlir/IR/OpBase.td"

def Kami_Dialect : Dialect {
  let name = "kami";
  let cppNamespace = "::kami";
  let summary = "Matrix products inside one GPU thread block";
  let description = [{
    The warps of a thread block are the processors of a communication-avoiding
    algorithm: registers are their local memory, shared memory is the network
    between them.

    The dialect speaks at four levels. A *problem* (`kami.gemm`) says what is
    computed; with a `#kami.plan` it is *planned*. At *warp* level every warp's
    part is written down in SPMD form inside a `gpu.func`: `kami.load`,
    `kami.broadcast`, `kami.mma`, `kami.reduce`, `kami.store` on
    `!kami.fragment` values. At *target* level there are lanes and registers,
    mostly in upstream dialects; `kami.mma_sync` stands in where those lack an
    instruction. Every level can be written by hand.
  }];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::gpu::GPUDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::tensor::TensorDialect"];
}

#endif // KAMI_IR_KAMIDIALECT_TD
