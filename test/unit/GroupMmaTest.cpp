//===- GroupMmaTest.cpp - Four warps' products, level by level ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel written at warp level, and what the lowering makes of it, run in the
// simulator on integers: both are exact, and move the same bytes.
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Compile.h"
#include "kami/Pipelines/Pipelines.h"
#include "kami/Simulator/Scalar.h"
#include "kami/Simulator/Simulator.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/FormatVariadic.h"
#include "gtest/gtest.h"

using namespace kami;
using namespace mlir;

namespace {

struct Case {
  /// The product that eight warps, two groups, compute: each warp has m / 8
  /// rows of C, and writes n / 8 columns of B.
  int64_t m, n, k;
  const char *atom;
  const char *operand;
  const char *accumulator;
  const char *major;
  int64_t swizzle;
  /// A window of B that starts inside the matrix.
  int64_t firstColumn = 0;
  bool sharedA = false;
};

constexpr char f16Atom[] =
    "16x8x16, f16, f16, f32, [\"nv.a.16x16.b16\", \"nv.b.16x8.b16\", "
    "\"nv.c.16x8.b32\"]";
constexpr char halfAtom[] =
    "16x8x16, f16, f16, f16, [\"nv.a.16x16.b16\", \"nv.b.16x8.b16\", "
    "\"nv.c.16x8.b16\"]";
constexpr char bf16Atom[] =
    "16x8x16, bf16, bf16, f32, [\"nv.a.16x16.b16\", \"nv.b.16x8.b16\", "
    "\"nv.c.16x8.b32\"]";
constexpr char tf32Atom[] =
    "16x8x8, f32, f32, f32, [\"nv.a.16x8.b32\", \"nv.b.8x8.b32\", "
    "\"nv.c.16x8.b32\"]";
constexpr char f8Atom[] =
    "16x8x32, f8E4M3FN, f8E4M3FN, f32, [\"nv.a.16x32.b8\", \"nv.b.32x8.b8\", "
    "\"nv.c.16x8.b32\"]";

const Case cases[] = {
    {128, 64, 64, f16Atom, "f16", "f32", "k_major", 128},
    {256, 128, 128, f16Atom, "f16", "f32", "k_major", 128},
    {128, 64, 32, f16Atom, "f16", "f32", "k_major", 64},
    {128, 64, 16, f16Atom, "f16", "f32", "k_major", 32, 24},
    {128, 320, 16, f16Atom, "f16", "f32", "k_major", 16},
    {128, 128, 64, f16Atom, "f16", "f32", "mn_major", 128, 64},
    {128, 64, 32, f16Atom, "f16", "f32", "mn_major", 64, 32},
    {128, 64, 64, f16Atom, "f16", "f32", "k_major", 128, 8, true},
    {128, 64, 64, halfAtom, "f16", "f16", "k_major", 128},
    {128, 64, 64, bf16Atom, "bf16", "f32", "mn_major", 128},
    {128, 64, 64, tf32Atom, "f32", "f32", "k_major", 128},
    {128, 64, 64, f8Atom, "f8E4M3FN", "f32", "k_major", 64},
};

/// The columns that are computed.
int64_t columns(const Case &c) { return c.n - c.firstColumn; }

std::string kernel(const Case &c) {
  std::string types = llvm::formatv(
      R"(
#w = #kami.mma_atom<wgmma {0}>
#a = #kami.shared_matrix<{1}x{2}x{3}, a, k_major, swizzle = {4}>
#b = #kami.shared_matrix<{2}x{5}x{3}, b, {6}, swizzle = {7}>
!a = !kami.fragment<{8}x{2}x{3}, a, #w>
!b = !kami.fragment<{2}x{9}x{3}, b, #w>
!c = !kami.fragment<{8}x{10}x{11}, c, #w>
!shared = memref<?xi8, #gpu.address_space<workgroup>>
!ma = memref<{1}x{2}x{3}>
!mb = memref<{2}x{5}x{3}>
!mc = memref<{1}x{10}x{11}>
)",
      c.atom, c.m, c.k, c.operand, c.swizzle, c.n, c.major, c.swizzle, c.m / 8,
      c.n / 8, columns(c), c.accumulator);
  // Where A is read from shared memory, a group has half of its rows, and the
  // warp at position w of a group the 16 rows from 16 w on.
  std::string product = llvm::formatv(c.sharedA ? R"(
    kami.place %fa, %bufA[%m, %c0] in #a : !a, !shared
    gpu.barrier
    %d = kami.group_mma %bufA[%half, %c0] in #a, %bufB[%c0, %first] in #b, %acc depth {0} : !shared, !shared, !c
)"
                                                : R"(
    gpu.barrier
    %d = kami.group_mma %fa, %bufB[%c0, %first] in #b, %acc : !a, !shared, !c
)",
                                      c.k);
  return types + llvm::formatv(R"(
module attributes {{kami.target = #kami.target<"sm_90">} {{
gpu.module @kernels {{
  gpu.func @k(%a: !ma, %b: !mb, %c: !mc) kernel attributes {{known_block_size = array<i32: 256, 1, 1>} {{
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    %rows = arith.constant {0} : index
    %strip = arith.constant {1} : index
    %first = arith.constant {2} : index
    %halfRows = arith.constant {3} : index
    %sizeA = arith.constant {4} : index
    %sizeB = arith.constant {5} : index
    %zero = arith.constant 0.0 : {6}
    %warp, %column, %layer = kami.warp_coordinates [8, 1, 1]
    %m = arith.muli %warp, %rows : index
    %n = arith.muli %warp, %strip : index
    %group = arith.divui %warp, %c4 : index
    %half = arith.muli %group, %halfRows : index
    %all = gpu.dynamic_shared_memory : !shared
    %bufA = memref.view %all[%c0][%sizeA] : !shared to !shared
    %bufB = memref.view %all[%sizeA][%sizeB] : !shared to !shared
    %fa = kami.load %a[%m, %c0] : !ma -> !a
    %fb = kami.load %b[%c0, %n] : !mb -> !b
    %acc = kami.fill %zero : {6} -> !c
    kami.place %fb, %bufB[%c0, %n] in #b : !b, !shared
    {7}
    kami.store %d, %c[%m, %c0] : !c, !mc
    gpu.return
  }
}
}
)",
                               c.m / 8, c.n / 8, c.firstColumn, c.m / 2,
                               // A multiple of 1024.
                               c.m * c.k * 4, c.n * c.k * 4, c.accumulator,
                               product)
                     .str();
}

double pattern(int64_t i, int64_t j, int64_t seed) {
  return (i * 5 + j * 3 + seed * 7) % 9 - 4;
}

class GroupMmaTest : public ::testing::TestWithParam<Case> {
protected:
  GroupMmaTest() { loadAllDialects(context); }

  sim::MemRef matrix(gpu::GPUFuncOp function, unsigned argument, int64_t seed) {
    auto type = cast<MemRefType>(function.getArgument(argument).getType());
    sim::MemRef memref =
        memory.allocate("matrix", type.getShape(), type.getElementType());
    sim::ElementFormat format = *sim::formatOf(type.getElementType());
    for (int64_t i = 0; seed && i != type.getDimSize(0); ++i)
      for (int64_t j = 0; j != type.getDimSize(1); ++j)
        sim::writeBits(memref.buffer->bytes.data() + memref.address({i, j}),
                       format.bytes(),
                       sim::fromDouble(format, pattern(i, j, seed)));
    return memref;
  }

  void run(ModuleOp module, sim::SimulatorReport &report) {
    const Case &c = GetParam();
    gpu::GPUFuncOp function;
    module.walk([&](gpu::GPUFuncOp op) { function = op; });
    sim::MemRef result = matrix(function, 2, 0);
    sim::SimulatorOptions options;
    options.order = sim::WarpOrder::Random;
    ASSERT_TRUE(succeeded(sim::simulateLaunch(
        function, {}, {256}, (c.m + c.n) * c.k * 4,
        {matrix(function, 0, 1), matrix(function, 1, 2), result}, options,
        report)));
    sim::ElementFormat format = *sim::formatOf(result.elementType);
    for (int64_t i = 0; i != c.m; ++i) {
      for (int64_t j = 0; j != columns(c); ++j) {
        double sum = 0;
        for (int64_t k = 0; k != c.k; ++k)
          sum += pattern(i, k, 1) * pattern(k, j + c.firstColumn, 2);
        uint64_t bits =
            sim::readBits(result.buffer->bytes.data() + result.address({i, j}),
                          format.bytes());
        ASSERT_EQ(sim::toDouble(format, bits), sum) << i << " " << j;
      }
    }
  }

  MLIRContext context;
  sim::Memory memory;
};

TEST_P(GroupMmaTest, LevelsAgree) {
  auto module = parseSourceString<ModuleOp>(kernel(GetParam()), &context);
  ASSERT_TRUE(module);
  sim::SimulatorReport warp, target;
  run(*module, warp);
  PassManager pm(&context);
  addTargetPasses(pm, Backend::NVVM);
  ASSERT_TRUE(succeeded(pm.run(*module)));
  module->walk([](Operation *op) {
    EXPECT_NE(op->getName().getStringRef(), "kami.group_mma");
  });
  run(*module, target);
  EXPECT_EQ(warp.matrixInstructions, target.matrixInstructions);
  EXPECT_EQ(warp.shared.written, target.shared.written);
  EXPECT_EQ(warp.shared.matrixRead, target.shared.matrixRead);
  EXPECT_EQ(warp.wavefronts, target.wavefronts);
  EXPECT_EQ(target.maxBankConflict, 1);
  EXPECT_EQ(target.shared.read, 0);
}

/// ptxas takes what the lowering writes, for the variant that it names, and
/// keeps everything in registers.
TEST_P(GroupMmaTest, Assembles) {
  if (findPtxas().empty())
    GTEST_SKIP() << "no ptxas";
  auto module = parseSourceString<ModuleOp>(kernel(GetParam()), &context);
  ASSERT_TRUE(module);
  PassManager pm(&context);
  addTargetPasses(pm, Backend::NVVM);
  addLLVMPasses(pm, Backend::NVVM);
  GpuModuleToBinaryPassOptions options;
  options.compilationTarget = "isa";
  pm.addPass(createGpuModuleToBinaryPass(options));
  ASSERT_TRUE(succeeded(pm.run(*module)));
  auto binary = *module->getOps<gpu::BinaryOp>().begin();
  auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
  llvm::Expected<AssemblerReport> report =
      assemble(object.getObject().getValue().rtrim('\0'), "sm_90", nullptr);
  ASSERT_TRUE(bool(report)) << llvm::toString(report.takeError());
  EXPECT_EQ(report->spillBytes, 0);
}

INSTANTIATE_TEST_SUITE_P(Cases, GroupMmaTest, ::testing::ValuesIn(cases));

} // namespace
