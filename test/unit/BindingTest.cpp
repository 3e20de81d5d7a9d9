//===- BindingTest.cpp - Host functions with their sizes known ------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/Binding.h"
#include "kami/Driver/Compile.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gtest/gtest.h"

using namespace kami;

namespace {

class BindingTest : public ::testing::Test {
protected:
  BindingTest() { loadAllDialects(context); }

  mlir::func::FuncOp parse(llvm::StringRef text) {
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    llvm::Expected<mlir::func::FuncOp> entry = entryPoint(*module);
    return entry ? *entry : nullptr;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

/// A host that launches two blocks a row on what begins in the second row, on
/// a buffer of its own, and on both scalars, one of which it looks at itself.
constexpr llvm::StringLiteral program = R"(
module attributes {gpu.container_module} {
  func.func @f(%a: memref<?x4xf16, strided<[?, 1]>>, %s: f32, %n: index) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %rows = memref.dim %a, %c0 : memref<?x4xf16, strided<[?, 1]>>
    %blocks = arith.muli %rows, %c2 : index
    %rest = arith.subi %rows, %c1 : index
    %sub = memref.subview %a[1, 0] [%rest, 4] [1, 1]
        : memref<?x4xf16, strided<[?, 1]>> to memref<?x4xf16, strided<[?, 1], offset: ?>>
    %buffer = memref.alloc(%n) : memref<?xf32>
    gpu.launch_func @m::@k blocks in (%blocks, %c1, %c1) threads in (%c2, %c1, %c1)
        args(%sub : memref<?x4xf16, strided<[?, 1], offset: ?>>, %buffer : memref<?xf32>,
             %s : f32, %n : index)
    return
  }
  gpu.module @m {
    gpu.func @k(%x: memref<?x4xf16, strided<[?, 1], offset: ?>>, %y: memref<?xf32>, %s: f32,
                %n: index) kernel {
      gpu.return
    }
  }
}
)";

TEST_F(BindingTest, LaunchesBecomeWords) {
  const int64_t sizes[] = {3, 4}, strides[] = {10, 1};
  HostArgument array;
  array.sizes = sizes;
  array.strides = strides;
  HostArgument scale, count;
  scale.bits = 0x3f800000;
  count.bits = 6;
  llvm::Expected<Binding> binding =
      bindArguments(parse(program), {array, scale, count});
  ASSERT_TRUE(bool(binding)) << llvm::toString(binding.takeError());
  ASSERT_EQ(binding->launches.size(), 1u);
  const BoundLaunch &launch = binding->launches.front();
  EXPECT_EQ(launch.module, "m");
  EXPECT_EQ(launch.shape.grid[0], 6u);
  EXPECT_EQ(launch.shape.block[0], 2u);
  // Six numbers of f32, as argument number 3.
  EXPECT_EQ(binding->workspaces, std::vector<int64_t>({24}));
  EXPECT_EQ(binding->isFixed, std::vector<bool>({false, false, true}));
  using Source = ParameterWord::Source;
  const std::vector<ParameterWord> expected = {
      {Source::Address, 0, 0},   {Source::Address, 0, 0},
      {Source::Constant, 10, 0}, {Source::Constant, 2, 0},
      {Source::Constant, 4, 0},  {Source::Constant, 10, 0},
      {Source::Constant, 1, 0},  {Source::Address, 0, 3},
      {Source::Address, 0, 3},   {Source::Constant, 0, 0},
      {Source::Constant, 6, 0},  {Source::Constant, 1, 0},
      {Source::Scalar, 0, 1},    {Source::Scalar, 0, 2},
  };
  ASSERT_EQ(launch.words.size(), expected.size());
  for (size_t i = 0; i != expected.size(); ++i) {
    EXPECT_EQ(launch.words[i].source, expected[i].source) << i;
    EXPECT_EQ(launch.words[i].value, expected[i].value) << i;
    if (expected[i].source != Source::Constant) {
      EXPECT_EQ(launch.words[i].number, expected[i].number) << i;
    }
  }
}

TEST_F(BindingTest, PromisesOfArguments) {
  const int64_t sizes[] = {4}, strides[] = {1};
  HostArgument array;
  array.sizes = sizes;
  array.strides = strides;
  mlir::func::FuncOp host = parse(R"(
    func.func @f(%a: memref<4xf32>, %b: memref<4xf32>, %c: memref<4xf32>) {
      %0 = memref.assume_alignment %b, 16 : memref<4xf32>
      %1 = memref.subview %c[1] [2] [1]
          : memref<4xf32> to memref<2xf32, strided<[1], offset: 1>>
      %2 = memref.assume_alignment %1, 4
          : memref<2xf32, strided<[1], offset: 1>>
      return
    }
  )");
  llvm::Expected<Binding> binding = bindArguments(host, {array, array, array});
  ASSERT_TRUE(bool(binding)) << llvm::toString(binding.takeError());
  ASSERT_EQ(binding->alignments.size(), 1u);
  EXPECT_EQ(binding->alignments[0].first, 1u);
  EXPECT_EQ(binding->alignments[0].second, 16u);
}

TEST_F(BindingTest, WorkOfTheHostIsRefused) {
  mlir::func::FuncOp host = parse(R"(
    func.func @f(%a: memref<2xf32>, %b: memref<2xf32>) {
      memref.copy %a, %b : memref<2xf32> to memref<2xf32>
      return
    })");
  const int64_t sizes[] = {2}, strides[] = {1};
  HostArgument array;
  array.sizes = sizes;
  array.strides = strides;
  llvm::Expected<Binding> binding = bindArguments(host, {array, array});
  ASSERT_FALSE(bool(binding));
  EXPECT_EQ(llvm::toString(binding.takeError()),
            "expected all work on arrays in kernels, but got 'memref.copy' on "
            "the host, which only the simulator runs");
}

/// What strides of a single row, or of nothing, say is not looked at.
TEST_F(BindingTest, StridesThatSayNothing) {
  mlir::func::FuncOp host = parse(R"(
    func.func @f(%a: memref<?x4xf32>) { return })");
  auto type = mlir::cast<mlir::MemRefType>(host.getArgumentTypes()[0]);
  const int64_t one[] = {1, 4}, none[] = {0, 4}, three[] = {3, 4},
                strides[] = {77, 1}, zero[] = {0, 0};
  HostArgument array;
  array.sizes = one;
  array.strides = strides;
  EXPECT_FALSE(bool(checkArguments(host, array)));
  EXPECT_EQ(stridesOf(type, array), (llvm::SmallVector<int64_t, 4>{4, 1}));
  array.sizes = none;
  array.strides = zero;
  EXPECT_FALSE(bool(checkArguments(host, array)));
  EXPECT_EQ(stridesOf(type, array), (llvm::SmallVector<int64_t, 4>{4, 1}));
  array.sizes = three;
  array.strides = strides;
  EXPECT_EQ(llvm::toString(checkArguments(host, array)),
            "argument 0: expected stride 4 along dimension 0, but got 77");
}

} // namespace
