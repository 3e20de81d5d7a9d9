//===- Passes.td - Passes within the dialect --------------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TRANSFORMS_PASSES_TD
#define KAMI_TRANSFORMS_PASSES_TD

include "mlir/Pass/PassBase.td"

def KamiAttachTarget : Pass<"kami-attach-target", "::mlir::ModuleOp"> {
  let summary = "Say which chip a module is compiled for";
  let description = [{
    Sets `kami.target` on the module. A chip that no table knows is an error that
    lists those known. A module that has a target keeps it if the option is empty.
  }];
  let dependentDialects = ["::kami::KamiDialect"];
  let options = [
    Option<"chip", "chip", "std::string", "\"\"", "The chip, for example sm_90">,
  ];
}

def KamiTransposeResults : Pass<"kami-transpose-results"> {
  let summary = "Compute narrow results in columns as transposes in rows";
  let description = [{
    On NVIDIA's chips, a `kami.gemm` in device memory without a plan whose C has
    adjacent elements in columns, of less than four bytes, becomes Cᵀ = Bᵀ · Aᵀ of
    the same matrices, regions included. m and n of its plan are the transpose's.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def KamiFlattenBatch : Pass<"kami-flatten-batch"> {
  let summary = "Make batches of one dimension where they have no gaps";
  let description = [{
    Where the dimensions of a batch follow each other without gaps in C and in every
    operand that has them, they become one, so that products of all of them may
    share a block. Products of tensors, inside a kernel, with regions, or with an
    operand that some of the dimensions repeat stay as they are.
  }];
  let dependentDialects = ["::mlir::memref::MemRefDialect"];
}

def KamiAssignPlan : Pass<"kami-assign-plan"> {
  let summary = "Choose how each product is split over a block's warps";
  let description = [{
    Gives every `kami.gemm` without a plan the one that the cost model prefers
    for the module's target. Extents known only at run time are planned for as
    if they were large, and batches as if they had thousands of products, unless
    `products` says how many. That changes no bits of `reproducible` sums. Plans
    that are there already stay; `kami-verify-target` judges them.

    A product inside a kernel is one block's: m and n have to be static and the
    tile covers them, and the warps are those of the kernel's `known_block_size`,
    if it has one. If an operand is distributed, its plan is the product's.
  }];
  let dependentDialects = ["::kami::KamiDialect"];
  let options = [
    Option<"algorithm", "algorithm", "std::string", "\"auto\"",
           "auto, 1d, 2d or 3d: the grids to choose from">,
    Option<"warps", "warps", "int64_t", "0", "Warps a block, or 0 to choose">,
    Option<"unit", "unit", "std::string", "\"auto\"",
           "auto, warp, warpgroup or lane: what executes instructions">,
    Option<"tile", "tile", "std::string", "\"\"",
           "What a block computes, as MxNxK, instead of the planner's choice">,
    Option<"stages", "stages", "int64_t", "0",
           "Tiles along k that have room at a time, or 0 to choose">,
    Option<"taken", "taken", "int64_t", "0",
           "Of blocks in turn, the last turns of tiles that they take as they are "
           "done with others, 0 to choose, or -1 for none">,
    Option<"copies", "copies", "std::string", "\"auto\"",
           "auto, threads or bulk: what brings copied operands">,
    Option<"products", "products", "int64_t", "0",
           "Products of a batch whose number is known only at run time, or 0 for "
           "many">,
    Option<"model", "model", "std::string", "\"calibrated\"",
           "The cost model: calibrated or paper">,
    Option<"calibration", "calibration", "std::string", "\"\"",
           "A file of `kami-bench calibrate`, instead of what is built in">,
  ];
}

def KamiVerifyTarget : Pass<"kami-verify-target"> {
  let summary = "Refuse plans that the target cannot execute";
  let description = [{
    Checks every planned `kami.gemm` against the module's target: the chip has
    the atom, the atom's types are the product's, and threads, registers and
    shared memory suffice. A product without a plan is an error too.
  }];
}

def KamiInterleaveParts : Pass<"kami-interleave-parts"> {
  let summary = "Write complex products as one of reals, where plans say so";
  let description = [{
    Every `kami.gemm` of complex numbers whose plan says `complex = interleaved`
    becomes one of reals, with `interleaved_parts`, of A, B and C as they lie in
    memory: (P + iQ)·(R + iS), element by element of a row, is

        [P Q] · [[R, S], [-S, R]] = [PR - QS, PS + QR]

    so that each operand is copied once, in pieces of 16 bytes, and one sum has
    both parts. Others are left to `kami-expand-complex`.
  }];
  let dependentDialects = ["::kami::KamiDialect", "::mlir::arith::ArithDialect"];
}

def KamiMapToGrid : Pass<"kami-map-to-grid", "::mlir::ModuleOp"> {
  let summary = "Give every tile of every product of a batch a thread block";
  let description = [{
    Turns a planned `kami.gemm` on memrefs into a `gpu.launch_func` of a kernel
    that contains the product of one block: tiles of C, and the batch's products,
    are numbered along the grid's x dimension; beyond what that can count, blocks
    take several in turn.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

def KamiExpandComplex : Pass<"kami-expand-complex", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Write a block's complex product as four real ones";
  let description = [{
    Turns each `kami.gemm` of complex numbers inside a kernel into four products
    of A's and B's real and imaginary parts, in place, which are added up in two
    distributed matrices, scaled there, and collected into the parts of C. No sum
    goes through memory. The plan is that of each of the four.

    Where α or β is known to have no imaginary part, nothing is multiplied by its
    zero, so that an infinity stays one. Where β is 0, also at run time, C is not
    read.
  }];
  let dependentDialects = ["::kami::KamiDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::complex::ComplexDialect",
                           "::mlir::memref::MemRefDialect"];
}

def KamiDistributeToWarps : Pass<"kami-distribute-to-warps", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Write down every warp's part of a block's product";
  let description = [{
    Turns each planned `kami.gemm` inside a kernel into loads of the warp's
    slices, broadcasts stage by stage, multiply-accumulates, the sum over layers
    and the store, as its plan says. A distributed matrix becomes the warp's
    fragments of it, and a buffer for the slices that lie in shared memory.

    Products take turns in the first bytes of the dynamic shared memory; the
    kernel's `kami.shared_bytes` says how many bytes it needs in all.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
                           "::mlir::memref::MemRefDialect", "::mlir::vector::VectorDialect",
                           "::mlir::LLVM::LLVMDialect"];
}

def KamiRollSlices : Pass<"kami-roll-slices", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Make stages that differ by their slots a loop";
  let description = [{
    Of products by lanes' multiply-adds (`fma`), three or more in a row whose
    slices of A and B lie in shared memory, one slot after the other, become an
    `scf.for` over the slots. The order of the sum stays as it is.

    A stage of a 64×64 tile is 512 multiply-adds of a lane: eight of them in a row
    take most of the time that a kernel's compilation takes.
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::arith::ArithDialect"];
}

def KamiSizeSharedMemory : Pass<"kami-size-shared-memory", "::mlir::ModuleOp"> {
  let summary = "Launch kernels with the shared memory that they need";
  let description = [{
    Gives each `gpu.launch_func` of a kernel with `kami.shared_bytes` that many
    bytes of dynamic shared memory, unless it says a number of its own, which has
    to suffice.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::arith::ArithDialect"];
}

def KamiExpandMath : Pass<"kami-expand-math", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Write transcendental functions of a kernel as arithmetic";
  let description = [{
    A device's compiler would call a vendor's library for `math.exp` and the
    like, or approximate them coarsely. This expands `math.exp`, `math.exp2`,
    `math.tanh`, `math.erf` and `math.rsqrt` on scalars and vectors. f32 and f64
    are computed in their own precision, with an error of less than 2 units in
    the last place, subnormal results included; narrower types in f32, rounded
    once. NaN, infinities and the sign of zero are as in C.

    What devices have instructions for (`math.fma`, `math.sqrt`, roundings, ...)
    stays. Any other function of `math`, and `arith.remf`, is an error.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::math::MathDialect"];
}

#endif // KAMI_TRANSFORMS_PASSES_TD
