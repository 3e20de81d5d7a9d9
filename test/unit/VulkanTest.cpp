//===- VulkanTest.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of a device are skipped where there is none; test/Integration/vulkan
// runs them on a software device.
//
//===----------------------------------------------------------------------===//

#include "kami/Runtime/Vulkan.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

using namespace kami;

// Adds the first word of buffer 1 to the word of every invocation in buffer 0,
// in workgroups of 8: SPIR-V 1.3, each instruction below its text.
// clang-format off
static const uint32_t addKernel[] = {
    0x07230203, 0x00010300, 0, 23, 0,
    // OpCapability Shader
    0x20011, 0x1,
    // OpMemoryModel Logical GLSL450
    0x3000e, 0x0, 0x1,
    // OpEntryPoint GLCompute %1 "add" %2 %3 %4
    0x7000f, 0x5, 0x1, 0x646461, 0x2, 0x3, 0x4,
    // OpExecutionMode %1 LocalSize 8 1 1
    0x60010, 0x1, 0x11, 0x8, 0x1, 0x1,
    // OpDecorate %2 BuiltIn GlobalInvocationId
    0x40047, 0x2, 0xb, 0x1c,
    // OpDecorate %3 DescriptorSet 0
    0x40047, 0x3, 0x22, 0x0,
    // OpDecorate %3 Binding 0
    0x40047, 0x3, 0x21, 0x0,
    // OpDecorate %4 DescriptorSet 0
    0x40047, 0x4, 0x22, 0x0,
    // OpDecorate %4 Binding 1
    0x40047, 0x4, 0x21, 0x1,
    // OpDecorate %5 ArrayStride 4
    0x40047, 0x5, 0x6, 0x4,
    // OpDecorate %6 Block
    0x30047, 0x6, 0x2,
    // OpMemberDecorate %6 0 Offset 0
    0x50048, 0x6, 0x0, 0x23, 0x0,
    // %7 = OpTypeVoid
    0x20013, 0x7,
    // %8 = OpTypeFunction %7
    0x30021, 0x8, 0x7,
    // %9 = OpTypeInt 32 0
    0x40015, 0x9, 0x20, 0x0,
    // %10 = OpTypeVector %9 3
    0x40017, 0xa, 0x9, 0x3,
    // %11 = OpTypePointer Input %10
    0x40020, 0xb, 0x1, 0xa,
    // %2 = OpVariable %11 Input
    0x4003b, 0xb, 0x2, 0x1,
    // %5 = OpTypeRuntimeArray %9
    0x3001d, 0x5, 0x9,
    // %6 = OpTypeStruct %5
    0x3001e, 0x6, 0x5,
    // %12 = OpTypePointer StorageBuffer %6
    0x40020, 0xc, 0xc, 0x6,
    // %3 = OpVariable %12 StorageBuffer
    0x4003b, 0xc, 0x3, 0xc,
    // %4 = OpVariable %12 StorageBuffer
    0x4003b, 0xc, 0x4, 0xc,
    // %13 = OpConstant %9 0
    0x4002b, 0x9, 0xd, 0x0,
    // %14 = OpTypePointer StorageBuffer %9
    0x40020, 0xe, 0xc, 0x9,
    // %1 = OpFunction %7 None %8
    0x50036, 0x7, 0x1, 0x0, 0x8,
    // %15 = OpLabel
    0x200f8, 0xf,
    // %16 = OpLoad %10 %2
    0x4003d, 0xa, 0x10, 0x2,
    // %17 = OpCompositeExtract %9 %16 0
    0x50051, 0x9, 0x11, 0x10, 0x0,
    // %18 = OpAccessChain %14 %3 %13 %17
    0x60041, 0xe, 0x12, 0x3, 0xd, 0x11,
    // %19 = OpAccessChain %14 %4 %13 %13
    0x60041, 0xe, 0x13, 0x4, 0xd, 0xd,
    // %20 = OpLoad %9 %18
    0x4003d, 0x9, 0x14, 0x12,
    // %21 = OpLoad %9 %19
    0x4003d, 0x9, 0x15, 0x13,
    // %22 = OpIAdd %9 %20 %21
    0x50080, 0x9, 0x16, 0x14, 0x15,
    // OpStore %18 %22
    0x3003e, 0x12, 0x16,
    // OpReturn
    0x100fd,
    // OpFunctionEnd
    0x10038,
};
// clang-format on

// The loader is loaded once a process, so these run in one of their own.
static void countWithLoader(const char *library) {
  setenv("KAMI_VULKAN_LOADER", library, 1);
  int count = -1;
  KamiStatus status = kamiVulkanCountDevices(&count);
  std::fprintf(stderr, "%d %d %s", status, count, kamiRuntimeLastError());
  std::exit(0);
}

TEST(VulkanLoaderDeathTest, MissingLibraryIsNamed) {
  EXPECT_EXIT(countWithLoader("libvulkan-absent.so.1"),
              testing::ExitedWithCode(0),
              "^1 0 no Vulkan driver found: libvulkan-absent.so.1: cannot open "
              "shared object file");
}

TEST(VulkanLoaderDeathTest, LibraryThatIsNoLoaderIsNamed) {
  EXPECT_EXIT(countWithLoader("libm.so.6"), testing::ExitedWithCode(0),
              "^1 0 the Vulkan driver libm.so.6 has no vkGetInstanceProcAddr");
}

namespace {
class VulkanDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    int count = 0;
    if (kamiVulkanCountDevices(&count) != KAMI_STATUS_OK)
      GTEST_SKIP() << kamiRuntimeLastError();
    if (count == 0)
      GTEST_SKIP() << "no Vulkan device";
    KamiVulkanDevice *opened;
    check(kamiVulkanOpenDevice(0, &opened));
    device.reset(opened);
  }

  static void check(KamiStatus status) {
    ASSERT_EQ(status, KAMI_STATUS_OK) << kamiRuntimeLastError();
  }

  static void expectError(const char *part) {
    std::string error = kamiRuntimeLastError();
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  VulkanDevice device;
};
} // namespace

TEST_F(VulkanDeviceTest, Describes) {
  KamiVulkanDeviceInfo info;
  check(kamiVulkanDescribeDevice(device.get(), &info));
  EXPECT_STRNE(info.name, "");
  EXPECT_STRNE(info.driver, "");
  EXPECT_GE(info.major * 100 + info.minor, 103u);
  EXPECT_LE(info.minSubgroupSize, info.subgroupSize);
  EXPECT_LE(info.subgroupSize, info.maxSubgroupSize);
  // The least that the specification allows (Required Limits).
  EXPECT_GE(info.sharedBytes, 16384u);
  EXPECT_GE(info.maxInvocations, 128u);
  EXPECT_GE(info.maxSizeX, 128u);
  EXPECT_GE(info.maxGroupsX, 65535u);
  EXPECT_GE(info.maxBufferBytes, uint64_t(1) << 27);
  EXPECT_GT(info.memoryBytes, 0u);
}

TEST_F(VulkanDeviceTest, ListsMatrixShapes) {
  KamiVulkanDeviceInfo info;
  check(kamiVulkanDescribeDevice(device.get(), &info));
  int count = -1;
  check(kamiVulkanListMatrixShapes(device.get(), 0, nullptr, &count));
  EXPECT_EQ(count > 0, info.hasCooperativeMatrix != 0);
  std::vector<KamiVulkanMatrixShape> shapes(count);
  check(kamiVulkanListMatrixShapes(device.get(), count, shapes.data(), &count));
  for (const KamiVulkanMatrixShape &shape : shapes)
    EXPECT_GT(shape.m * shape.n * shape.k, 0u);
}

TEST_F(VulkanDeviceTest, NoSuchDevice) {
  KamiVulkanDevice *opened;
  EXPECT_EQ(kamiVulkanOpenDevice(1000, &opened), KAMI_STATUS_NO_DEVICE);
  expectError("but got 1000");
}

TEST_F(VulkanDeviceTest, CopiesStayInTheirBuffer) {
  VulkanBuffer buffer(device.get());
  check(kamiVulkanAllocate(device.get(), 4, buffer.out()));
  uint32_t words[2] = {1, 2};
  EXPECT_EQ(kamiVulkanCopyToDevice(device.get(), buffer.get(), words, 8),
            KAMI_STATUS_FAILED);
  expectError("expected to copy at most 4 bytes, but got 8");
}

TEST_F(VulkanDeviceTest, RefusesSubgroupsThatTheDeviceDoesNotHave) {
  VulkanKernel kernel(device.get());
  EXPECT_EQ(kamiVulkanLoadKernel(device.get(), addKernel, sizeof(addKernel),
                                 "add", 2, 4096, kernel.out()),
            KAMI_STATUS_FAILED);
  expectError("invocations, but got 4096");
}

// Two workgroups of the buffer's three: what is behind them stays as it is.
TEST_F(VulkanDeviceTest, LaunchesAndTimes) {
  VulkanKernel kernel(device.get());
  check(kamiVulkanLoadKernel(device.get(), addKernel, sizeof(addKernel), "add",
                             2, 0, kernel.out()));
  std::vector<uint32_t> words(24);
  for (uint32_t i = 0; i != 24; ++i)
    words[i] = 100 * i;
  uint32_t addend = 7;
  VulkanBuffer data(device.get()), other(device.get());
  check(kamiVulkanAllocate(device.get(), 96, data.out()));
  check(kamiVulkanAllocate(device.get(), 4, other.out()));
  check(kamiVulkanCopyToDevice(device.get(), data.get(), words.data(), 96));
  check(kamiVulkanCopyToDevice(device.get(), other.get(), &addend, 4));
  KamiVulkanBuffer *arguments[] = {data.get(), other.get()};
  double microseconds = -1;
  check(kamiVulkanLaunch(device.get(), kernel.get(), 2, arguments,
                         &microseconds));
  EXPECT_GE(microseconds, 0);
  check(kamiVulkanLaunch(device.get(), kernel.get(), 1, arguments, nullptr));
  // Two more, of which the second counts from what the first left.
  KamiVulkanBuffer *twice[] = {data.get(), other.get(), data.get(),
                               other.get()};
  check(kamiVulkanLaunchInTurn(device.get(), kernel.get(), 1, 2, twice,
                               &microseconds));
  std::vector<uint32_t> result(24);
  check(kamiVulkanCopyToHost(device.get(), result.data(), data.get(), 96));
  for (uint32_t i = 0; i != 24; ++i)
    EXPECT_EQ(result[i], 100 * i + (i < 8 ? 28 : i < 16 ? 7 : 0)) << i;
}
