//===- RuntimeTest.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Runtime/Cuda.h"
#include "kami/Runtime/Hip.h"
#include "gtest/gtest.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

using namespace kami;

// Adds its second argument to the word of every thread of a block, by way of
// dynamic shared memory.
static const char addKernel[] = R"(
.version 7.0
.target sm_70
.address_size 64
.extern .shared .align 4 .b8 words[];
.visible .entry add(.param .u64 data, .param .u32 addend) {
  .reg .b32 %r<5>;
  .reg .b64 %a<6>;
  ld.param.u64 %a1, [data];
  ld.param.u32 %r1, [addend];
  cvta.to.global.u64 %a1, %a1;
  mov.u32 %r2, %tid.x;
  mul.wide.u32 %a2, %r2, 4;
  add.s64 %a3, %a1, %a2;
  mov.u64 %a4, words;
  add.s64 %a5, %a4, %a2;
  ld.global.u32 %r3, [%a3];
  add.u32 %r3, %r3, %r1;
  st.shared.u32 [%a5], %r3;
  ld.shared.u32 %r4, [%a5];
  st.global.u32 [%a3], %r4;
  ret;
}
)";

// The driver is loaded once a process, so these run in one of their own.
static void countWithDriver(const char *library) {
  setenv("KAMI_CUDA_DRIVER", library, 1);
  int count = -1;
  KamiStatus status = kamiCudaCountDevices(&count);
  std::fprintf(stderr, "%d %d %s", status, count, kamiRuntimeLastError());
  std::exit(0);
}

TEST(CudaOptimizationLevel, IsWhatTheFirstLineSays) {
  auto levelOf = [](std::string_view image) {
    return kamiCudaOptimizationLevel(image.data(), image.size());
  };
  EXPECT_EQ(levelOf("// optimization level: 1\n.version 8.0\n"), 1);
  EXPECT_EQ(levelOf("// optimization level: 0"), 0);
  EXPECT_EQ(levelOf("// optimization level: 4\n"), 4);
  EXPECT_EQ(levelOf("// optimization level: 9\n"), 4);
  EXPECT_EQ(levelOf("// optimization level: "), 4);
  EXPECT_EQ(levelOf(".version 8.0\n// optimization level: 1\n"), 4);
  EXPECT_EQ(levelOf("\177ELF"), 4);
  EXPECT_EQ(levelOf(""), 4);
}

TEST(CudaDriverDeathTest, MissingLibraryIsNamed) {
  EXPECT_EXIT(countWithDriver("libcuda-absent.so.1"),
              testing::ExitedWithCode(0),
              "^1 0 no CUDA driver found: libcuda-absent.so.1: cannot open "
              "shared object file");
}

TEST(CudaDriverDeathTest, LibraryThatIsNoDriverIsNamed) {
  EXPECT_EXIT(countWithDriver("libm.so.6"), testing::ExitedWithCode(0),
              "^1 0 the CUDA driver libm.so.6 has no cuInit");
}

static void countWithHip(const char *library) {
  setenv("KAMI_HIP_DRIVER", library, 1);
  int count = -1;
  KamiStatus status = kamiHipCountDevices(&count);
  KamiHipDevice *device;
  KamiStatus opened = kamiHipOpenDevice(0, &device);
  std::fprintf(stderr, "%d %d %d %s", status, opened, count,
               kamiRuntimeLastError());
  std::exit(0);
}

TEST(HipDriverDeathTest, MissingLibraryIsNamed) {
  EXPECT_EXIT(countWithHip("libamdhip64-absent.so"), testing::ExitedWithCode(0),
              "^1 1 0 no HIP driver found: libamdhip64-absent.so: cannot open "
              "shared object file");
}

TEST(HipDriverDeathTest, LibraryThatIsNoDriverIsNamed) {
  EXPECT_EXIT(countWithHip("libm.so.6"), testing::ExitedWithCode(0),
              "^1 1 0 the HIP driver libm.so.6 has no hipInit");
}

namespace {
class CudaDeviceTest : public testing::Test {
protected:
  void SetUp() override {
    int count = 0;
    if (kamiCudaCountDevices(&count) != KAMI_STATUS_OK)
      GTEST_SKIP() << kamiRuntimeLastError();
    if (count == 0)
      GTEST_SKIP() << "no CUDA device";
    KamiCudaDevice *opened;
    check(kamiCudaOpenDevice(0, &opened));
    device.reset(opened);
  }

  static void check(KamiStatus status) {
    ASSERT_EQ(status, KAMI_STATUS_OK) << kamiRuntimeLastError();
  }

  static void expectError(const char *part) {
    std::string error = kamiRuntimeLastError();
    EXPECT_NE(error.find(part), std::string::npos) << error;
  }

  KamiStatus load(const char *text, CudaModule &module) {
    return kamiCudaLoadModule(device.get(), text, std::strlen(text),
                              module.out());
  }

  CudaDevice device;
};
} // namespace

TEST_F(CudaDeviceTest, Describes) {
  KamiCudaDeviceInfo info;
  check(kamiCudaDescribeDevice(device.get(), &info));
  EXPECT_STRNE(info.name, "");
  EXPECT_GE(info.major, 5);
  EXPECT_EQ(info.warpSize, 32);
  EXPECT_GE(info.sharedBytesPerBlock, 48 * 1024);
  EXPECT_GT(info.memoryBytes, 0u);
}

TEST_F(CudaDeviceTest, NoSuchDevice) {
  KamiCudaDevice *opened;
  EXPECT_EQ(kamiCudaOpenDevice(1000, &opened), KAMI_STATUS_NO_DEVICE);
  expectError("cuDeviceGet failed: CUDA_ERROR_INVALID_DEVICE (");
}

TEST_F(CudaDeviceTest, RefusedPTXCarriesTheAssemblersWords) {
  CudaModule module(device.get());
  EXPECT_EQ(
      load(".version 7.0\n.target sm_70\n.address_size 64\nnonsense\n", module),
      KAMI_STATUS_FAILED);
  expectError("cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX (");
  expectError("nonsense");
}

TEST_F(CudaDeviceTest, MissingFunctionIsNamed) {
  CudaModule module(device.get());
  check(load(addKernel, module));
  KamiCudaFunction function;
  EXPECT_EQ(
      kamiCudaGetFunction(device.get(), module.get(), "absent", &function),
      KAMI_STATUS_FAILED);
  expectError(": absent");
}

// Launched once, then from a graph of three launches that runs twice: 7 times
// the addend in all. More dynamic shared memory than a kernel has unasked.
TEST_F(CudaDeviceTest, LaunchesCapturesAndTimes) {
  CudaModule module(device.get());
  check(load(addKernel, module));
  KamiCudaFunction function;
  check(kamiCudaGetFunction(device.get(), module.get(), "add", &function));
  KamiCudaFunctionInfo info;
  check(kamiCudaDescribeFunction(device.get(), function, &info));
  EXPECT_GT(info.registers, 0);
  EXPECT_EQ(info.localBytes, 0);
  EXPECT_EQ(info.staticSharedBytes, 0);

  std::vector<uint32_t> words(64, 5);
  size_t bytes = words.size() * sizeof(uint32_t);
  CudaBuffer buffer(device.get());
  check(kamiCudaAllocate(device.get(), bytes, buffer.out()));
  check(kamiCudaCopyToDevice(device.get(), buffer.get(), words.data(), bytes));

  KamiCudaPointer data = buffer.get();
  uint32_t addend = 10;
  void *arguments[] = {&data, &addend};
  KamiCudaLaunch launch = {{1, 1, 1}, {64, 1, 1}, 60 * 1024};
  CudaStream stream(device.get());
  check(kamiCudaCreateStream(device.get(), stream.out()));
  check(kamiCudaLaunchKernel(device.get(), function, &launch, stream.get(),
                             arguments));

  CudaGraph graph(device.get());
  check(kamiCudaBeginCapture(device.get(), stream.get()));
  for (int i = 0; i < 3; ++i)
    check(kamiCudaLaunchKernel(device.get(), function, &launch, stream.get(),
                               arguments));
  check(kamiCudaEndCapture(device.get(), stream.get(), graph.out()));

  CudaEvent start(device.get()), stop(device.get());
  check(kamiCudaCreateEvent(device.get(), start.out()));
  check(kamiCudaCreateEvent(device.get(), stop.out()));
  check(kamiCudaRecordEvent(device.get(), start.get(), stream.get()));
  for (int i = 0; i < 2; ++i)
    check(kamiCudaLaunchGraph(device.get(), graph.get(), stream.get()));
  check(kamiCudaRecordEvent(device.get(), stop.get(), stream.get()));
  double microseconds = 0;
  check(kamiCudaElapsed(device.get(), start.get(), stop.get(), &microseconds));
  EXPECT_GT(microseconds, 0);
  check(kamiCudaSynchronizeStream(device.get(), stream.get()));

  check(kamiCudaCopyToHost(device.get(), words.data(), buffer.get(), bytes));
  EXPECT_EQ(words, std::vector<uint32_t>(64, 75u));
  check(kamiCudaFillBytes(device.get(), buffer.get(), 0xff, bytes));
  check(kamiCudaSynchronize(device.get()));
  check(kamiCudaCopyToHost(device.get(), words.data(), buffer.get(), bytes));
  EXPECT_EQ(words, std::vector<uint32_t>(64, 0xffffffffu));
}
