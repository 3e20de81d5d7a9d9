//===- Passes.td - Passes between dialects ----------------*- tablegen -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_CONVERSION_PASSES_TD
#define KAMI_CONVERSION_PASSES_TD

include "mlir/Pass/PassBase.td"

def ConvertLinalgToKami : Pass<"convert-linalg-to-kami"> {
  let summary = "Turn linalg's matrix products into kami.gemm";
  let description = [{
    Converts `linalg.matmul`, `linalg.batch_matmul`, their forms with transposed
    or broadcast indexing maps, `linalg.matvec` and `linalg.vecmat` as thin
    products, and any `linalg.generic` that is a contraction, on tensors or
    memrefs. A `linalg.fill` with zero that feeds the product becomes β = 0. What
    is not such a product, or has types that cannot be multiplied as linalg says,
    stays as it is. So do products of tensors whose dimensions would have to be
    permuted; buffers are viewed in the order that `kami.gemm` wants.

    Where linalg sums f16, bf16 or floats of 8 bits in the elements' own type,
    `kami.gemm` sums in f32 and rounds once, which is at least as accurate. f32
    is multiplied exactly unless `precision` says that less will do.

    On tensors, element-wise ops join the product, unless `fuse` is false: those
    that use its result, one after the other, become its epilogue, and those that
    make A's or B's elements, if they are cheap, a prologue. Each must be the only
    one to use what it is fused with. Results are the same bits. What is to be
    rounded to `tf32` or split has no prologue.
  }];
  let options = [
    Option<"precision", "precision", "std::string", "\"exact\"",
           "How products of f32 are multiplied: exact, tf32 or tf32x3">,
    Option<"fuse", "fuse", "bool", "true",
           "Make element-wise producers and consumers part of the product">,
  ];
  let dependentDialects = ["::kami::KamiDialect", "::mlir::arith::ArithDialect",
                           "::mlir::complex::ComplexDialect", "::mlir::tensor::TensorDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ConvertKamiToNVGPU : Pass<"convert-kami-to-nvgpu", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Turn warp-level ops into lanes and registers of NVIDIA's devices";
  let description = [{
    Fragments become one flat vector of a lane's registers per tile, following
    the atom's fragment maps. A matrix is accessed by `vector.load` and
    `vector.store` where a lane's elements are adjacent, aligned and in the
    matrix, which is tested at run time as far as it is not known; else by
    element. In workgroup memory, a fragment whose registers are 8×8 matrices is
    loaded by `nvgpu.ldmatrix`, where rows begin at multiples of 16 bytes, and
    stored by `kami.stmatrix` where the chip of the surrounding `kami.target` has
    it. Products become `nvgpu.mma.sync` where it is right and `kami.mma_sync`
    elsewhere, or `math.fma` where the atom is `fma`; f32 elements that a matrix
    unit reads as tf32 are rounded by `nvvm.convert.float.to.tf32` where the chip
    has it, else by adding half a unit of the last bit that is read. Broadcasts,
    shared slices and reductions become accesses of shared memory in fragment
    order and `gpu.barrier`.
    Products of four warps in unison become `kami.wgmma` between a fence and a
    wait; what is placed for them is written where the layout says, and fenced.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::mlir::nvgpu::NVGPUDialect",
                           "::mlir::math::MathDialect", "::mlir::NVVM::NVVMDialect"];
}

def ConvertKamiToAMDGPU : Pass<"convert-kami-to-amdgpu", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Turn warp-level ops into lanes and registers of AMD's devices";
  let description = [{
    Fragments, accesses of matrices, broadcasts, shared slices and reductions
    become what `convert-kami-to-nvgpu` makes of them, by the fragment maps of
    AMD's instructions, for waves of 64 or 32 lanes as the chip of the surrounding
    `kami.target` has them. Products become `amdgpu.mfma` or `amdgpu.wmma`, or
    `math.fma` where the atom is `fma`. An `mfma` of 4 columns is one of 4 × 4 in
    blocks: A's rows, four to a block, with one B. Who broadcasts or reduces waits
    at an `amdgpu.lds_barrier`, behind which loads of device memory go on.

    Copies to shared memory, stores via a buffer and products of four warps in
    unison are left, and an error: no plan for these chips has them.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect", "::mlir::amdgpu::AMDGPUDialect",
                           "::mlir::math::MathDialect"];
}

def ConvertKamiToROCDL : Pass<"convert-kami-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Prepare kernels for AMD's chips for conversions to ROCDL";
  let description = [{
    A kernel's module without a target gets a `rocdl.target` for the chip of the
    surrounding `kami.target`. Elementary operations of `math` (`math.fma`,
    `math.sqrt`, roundings, ...) become calls of LLVM's intrinsics, which are
    instructions, and extents of grid and block loads of what a launch passes
    behind a kernel's arguments, where `convert-gpu-to-rocdl` would call AMD's
    library.
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect"];
}

def KamiConvertGPUToROCDL : Pass<"kami-convert-gpu-to-rocdl", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Run convert-gpu-to-rocdl for the chip of the module's target";
  let description = [{
    Upstream's pass wants to be told the chip, which decides which instruction an
    `amdgpu.mfma` is. In a module it is known by its `rocdl.target`.
  }];
  let dependentDialects = ["::mlir::ROCDL::ROCDLDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::amdgpu::AMDGPUDialect", "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
}

def ConvertKamiToNVVM : Pass<"convert-kami-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Expand kami.mma_sync, kami.wgmma and elementary operations to NVVM";
  let description = [{
    bf16 and integers become `nvvm.mma.sync`; f64 and floats of 8 bits become a
    call of the intrinsic of their shape. It is the last step before LLVM's
    dialect, so that everything above sees an op with the instruction's
    semantics. A kernel's module without a target gets an `nvvm.target` for the
    chip of the surrounding `kami.target`, in the lowest version of PTX that has
    its instructions. Where all extents and strides of matrices are known, and
    warp groups multiply or matrices of f64 have 128 rows and columns at most,
    its `ptxas-cmd-options` are what is worth ptxas's time: `-O1`, `-O2`.

    `kami.wgmma` becomes inline assembly with tied registers, which neither NVVM
    nor the intrinsics have with A in registers; a module with it is compiled for
    the chip's architecture-specific variant (`sm_90a`).

    `kami.stmatrix` is left for conversions to LLVM's dialect, which know where a
    matrix lies; here it is an error on a chip that does not have it.

    Elementary operations of `math` (`math.fma`, `math.sqrt`, roundings, ...)
    become calls of LLVM's intrinsics, which are instructions, where
    `convert-gpu-to-nvvm` would call NVIDIA's library.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::vector::VectorDialect"];
}

def KamiExpandFloat8 : Pass<"kami-expand-float8"> {
  let summary = "Convert floats of 8 bits, which LLVM does not have";
  let description = [{
    Expands `arith.extf` from and `arith.truncf` to f8E4M3FN, f8E5M2 and their
    FNUZ kin, which LLVM has no types for, bit for bit as arith defines them: to the
    nearest, ties to even; beyond the largest, f8E5M2 becomes infinite and the
    others NaN. They become integer arithmetic; where the chip of the surrounding
    `kami.target` extends pairs to f16, `nvvm.convert.f8x2.to.f16x2`. `nvgpu.ldmatrix` loads
    bytes instead.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::vector::VectorDialect",
                           "::mlir::NVVM::NVVMDialect", "::mlir::nvgpu::NVGPUDialect"];
}

def KamiAnnotateLoops : Pass<"kami-annotate-loops"> {
  let summary = "Pass on to LLVM what loops ask of it";
  let description = [{
    A loop's `llvm.loop_annotation`, which `convert-scf-to-cf` gives to the branch
    that closes it and conversions to LLVM's dialect keep, becomes the branch's
    `loop_annotation`, which is what the translation to LLVM IR reads.
  }];
  let dependentDialects = ["::mlir::LLVM::LLVMDialect"];
}

def KamiLowerControlFlow : Pass<"kami-lower-control-flow"> {
  let summary = "Convert scf to branches from the last op to the first";
  let description = [{
    What `convert-scf-to-cf` does, by the same patterns, in an order in which each
    operation moves once: upstream's pass takes a time that grows with the square
    of how many ops with regions follow each other. The branches are the same.
  }];
  let dependentDialects = ["::mlir::cf::ControlFlowDialect"];
}

def KamiLowerViews : Pass<"kami-lower-views"> {
  let summary = "Write shape casts and slices of vectors, and views of memory, as simpler ops";
  let description = [{
    `convert-gpu-to-nvvm` and `convert-gpu-to-rocdl` convert neither shape casts nor
    strided slices. Upstream's `convert-vector-to-llvm` does, but it converts loads
    and stores of vectors as well, and does not know GPUs' memory spaces: it
    complains of each in workgroup memory, and goes on. A vector of elements that
    one or two others have becomes a shuffle of these, which is an instruction
    where LLVM had two for each element.

    Views of memory become casts of what they view, by the patterns of upstream's
    `expand-strided-metadata`, whose driver simplifies all regions as well.
  }];
  let dependentDialects = ["::mlir::vector::VectorDialect", "::mlir::arith::ArithDialect",
                           "::mlir::affine::AffineDialect", "::mlir::memref::MemRefDialect"];
}

def KamiDeclareDynamicShared : Pass<"kami-declare-dynamic-shared", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Declare a kernel's dynamic shared memory as external";
  let description = [{
    Upstream's `convert-gpu-to-nvvm` defines dynamic shared memory as an internal
    array of no bytes, which LLVM's NVPTX back end then moves into the kernel as a
    variable of one byte. PTX wants `.extern .shared`; this gives the array
    external linkage. In a module for an architecture-specific variant, it is
    aligned to 1024 bytes, as matrices for warpgroup instructions need it.
  }];
}

def KamiConvertGPUToNVVM : Pass<"kami-convert-gpu-to-nvvm", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Convert kernels as convert-gpu-to-nvvm does, in less time";
  let description = [{
    The patterns are upstream's. But upstream's pass begins with some that hardly
    any kernel needs, by a driver that folds every op and simplifies all regions,
    which is 1 to 4 % of what compiling a kernel takes. This one looks first.
  }];
  let dependentDialects = ["::mlir::NVVM::NVVMDialect", "::mlir::LLVM::LLVMDialect",
                           "::mlir::cf::ControlFlowDialect",
                           "::mlir::memref::MemRefDialect"];
}

def KamiKeepConverged : Pass<"kami-keep-converged", "::mlir::gpu::GPUModuleOp"> {
  let summary = "Keep mma.sync where all lanes of a warp pass";
  let description = [{
    LLVM does not know that all lanes of a warp have to execute `mma.sync`
    together: its intrinsics are not convergent, so that a product whose result
    only some lanes use may be moved into their branch. This pass declares the
    intrinsics that become of a module's products as functions that are.
  }];
}

def KamiRereadThreadIndex : Pass<"kami-reread-thread-index", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Read the thread's index anew for each tile of a block";
  let description = [{
    In loops that have `kami.tile_loop`, one `gpu.thread_id x` at the begin takes
    the place of all others, and has `kami.reread`. `convert-kami-to-nvvm` makes
    it a read that LLVM neither moves out of the loop nor knows to be the same
    as another. What a thread computes of its index, positions in shared memory
    and in rows mostly, is then computed once a tile, where LLVM would have all
    of it in registers from the kernel's begin to its end.
  }];
}

def ConvertKamiToSPIRV : Pass<"convert-kami-to-spirv", "::mlir::gpu::GPUFuncOp"> {
  let summary = "Turn warp-level ops into cooperative matrices of SPIR-V";
  let description = [{
    A warp is a subgroup, a tile of a fragment a `spirv.coopmatrix`, a product
    `spirv.KHR.CooperativeMatrixMulAdd`. Which lane has which element of a matrix
    is the device's secret. So what concerns elements goes through workgroup
    memory, tile by tile, between barriers of the subgroup: tiles at a matrix's
    edge, those in rows that are not aligned as Vulkan wants them or whose
    elements are adjacent nowhere, scaled or converted sums, regions. Whole
    tiles are loaded and stored at once; which of both it is, is decided at run
    time as far as it is not known. Nothing is read or written beyond a matrix.

    Broadcasts, shared slices and sums over layers go through workgroup memory as
    matrices, between barriers of the block. Whole aligned slices that a warp loads
    only to share them are copied by its lanes instead, in words of 16 bytes, and
    are matrices from workgroup memory on. The kernel's dynamic shared memory
    becomes variables, one for each type of elements, since shaders cannot view
    bytes as another type; so does what tiles are staged in.

    The flavor is that of the surrounding `kami.target`: pointers are to storage
    buffers of shaders, or the arguments of kernels. Matrices have extents and
    strides known at compile time.
  }];
  let dependentDialects = ["::mlir::gpu::GPUDialect", "::mlir::scf::SCFDialect",
                           "::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect",
                           "::mlir::affine::AffineDialect", "::mlir::spirv::SPIRVDialect"];
}

def KamiKernelsToSPIRV : Pass<"kami-kernels-to-spirv", "::mlir::ModuleOp"> {
  let summary = "Make a spirv.module of every gpu.module";
  let description = [{
    Upstream's patterns convert `gpu`, `scf`, `arith` and `math`; ours what these
    lack: accesses of memory, which are not private to an invocation where others
    see it, barriers that make it available and visible, workgroup variables. A
    module for Vulkan has logical addressing and Vulkan's memory model, one with
    kernels physical addresses of 64 bits and OpenCL's.

    Arguments are the storage buffers of descriptor set 0, in their order, scalars
    in buffers of their own; or a kernel's parameters. The `gpu.module` stays,
    since launches name it.
  }];
  let dependentDialects = ["::mlir::spirv::SPIRVDialect"];
}

def KamiDeclareCapabilities : Pass<"kami-declare-capabilities", "::mlir::spirv::ModuleOp"> {
  let summary = "Declare what memory models, built-ins and matrices of bf16 need";
  let description = [{
    `spirv-update-vce` finds most capabilities that a module's ops and types need,
    but not those of Vulkan's memory model, of a subgroup's built-in variables in
    shaders, and of cooperative matrices of bf16.
  }];
}

#endif // KAMI_CONVERSION_PASSES_TD
