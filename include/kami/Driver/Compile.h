//===- Compile.h - From a module to a kernel -----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_DRIVER_COMPILE_H
#define KAMI_DRIVER_COMPILE_H

#include "kami/Plan/Planner.h"
#include "kami/Target/Chip.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include <memory>
#include <string>
#include <vector>

namespace kami {

/// A context in which every pipeline of the project can run.
void loadAllDialects(mlir::MLIRContext &context);

/// Where compilation stops; `--emit`'s spellings in lower case.
enum class Level {
  Kami,
  Planned,
  Warp,
  Target,
  LLVM,
  /// NVIDIA's assembly and machine code.
  PTX,
  Cubin,
  /// AMD's.
  Asm,
  Hsaco,
  /// Everybody else's.
  SPIRV
};
std::optional<Level> parseLevel(llvm::StringRef spelling);

struct CompileOptions {
  std::string chip = "sm_90";
  std::string algorithm = "auto";
  int64_t warps = 0;
  std::string model = "calibrated";
  /// What a block computes, as MxNxK; empty to choose.
  std::string tile;
  /// The plan for every product that has none, instead of the planner's.
  std::optional<Plan> plan;
  /// How linalg's products of f32 are multiplied: exact, tf32 or tf32x3.
  std::string precision = "exact";
  /// A file of `kami-bench calibrate`; empty for what is built in.
  std::string calibration;
  /// What executes instructions: auto, warp, warpgroup or lane.
  std::string unit = "auto";
  /// Tiles along k that have room at a time; 0 to choose.
  int64_t stages = 0;
  /// What brings copied operands: auto, threads or bulk (the copy engine).
  std::string copies = "auto";
  /// Of blocks in turn, the last turns of tiles that they take as they are done
  /// with others; 0 to choose, -1 for none.
  int64_t taken = 0;
  /// Products of a batch whose number is known only at run time; 0 for many.
  int64_t products = 0;
  /// Whether IR is verified after each pass below level `Warp`, too.
  bool verifiesEach = false;
};

/// What an assembler makes of a kernel.
struct AssemblerReport {
  int64_t registers = 0;
  int64_t spillBytes = 0;
  /// What AMD's code objects say in their metadata, and others do not: vector
  /// registers that were spilled, and a thread's bytes of scratch memory.
  std::optional<int64_t> spilledRegisters, scratchBytes;
};

/// A kernel of the compiled module.
/// A product, as planned.
struct PlannedProduct {
  Problem problem;
  Plan plan;
  /// C's elements.
  ElementKind output = ElementKind::F32;
};

/// What a kernel computes: the last product of a chain, or the first of a
/// kernel that somebody wrote.
struct Kernel : PlannedProduct {
  /// Its other products.
  std::vector<PlannedProduct> others;
  /// Name of the function, and of the `gpu.module` around it.
  std::string name;
  std::string module;
  /// Blocks along x; nothing where that depends on sizes known at run time.
  std::optional<int64_t> blocks;
  int64_t threads = 0;
  int64_t sharedBytes = 0;
  std::vector<std::string> argumentTypes;
  /// PTX text, cubin, AMD's assembly or code object, or SPIR-V, from those
  /// levels on.
  std::string binary;
  std::optional<AssemblerReport> assembler;
  /// What the plan was judged by, if not by what is built in.
  std::shared_ptr<const Calibration> calibration;
};

struct Compilation {
  const Chip *chip = nullptr;
  std::vector<Kernel> kernels;
  /// Of the options.
  bool verifiesEach = false;
};

/// Lowers `module` in place to `level`. Errors go to the context's handler. A
/// module without a product that kami takes is an error; products that have no
/// elements become no kernels.
mlir::FailureOr<Compilation>
compile(mlir::ModuleOp module, const CompileOptions &options, Level level);

/// Goes on from level `Target` to a level below: fills in the kernels'
/// binaries and, where an assembler is found and PTX is not handed to one
/// later, its report.
mlir::LogicalResult compileKernels(mlir::ModuleOp module,
                                   Compilation &compilation,
                                   Level level = Level::PTX,
                                   bool assembles = true);

/// What `kami-compile` writes beside its output, and `kami-run` prints.
llvm::json::Object describe(const Kernel &kernel, const Chip &chip);

/// The path of ptxas: on PATH, in CUDA_HOME or CUDA_PATH, or where a toolkit
/// usually stands. Empty if there is none.
std::string findPtxas();

/// What the metadata at the end of AMD's assembly say of its only kernel (LLVM,
/// User Guide for AMDGPU Backend, Code Object V5 Metadata).
llvm::Expected<AssemblerReport> readMetadata(llvm::StringRef assembly);

/// The path of lld for ELF: ld.lld-22 or ld.lld on PATH, or in LLVM's folder.
/// Empty if there is none.
std::string findLLD();

/// Makes a code object of an object file, by lld.
llvm::Expected<std::string> linkCodeObject(llvm::ArrayRef<char> object);

/// Runs ptxas on `ptx`, for the chip's variant that it names. `cubin`, if not
/// null, receives the binary.
llvm::Expected<AssemblerReport>
assemble(llvm::StringRef ptx, llvm::StringRef chip, std::string *cubin);

} // namespace kami

#endif // KAMI_DRIVER_COMPILE_H
