//===- Check.cu - Are the peers right, and how fast? ----------------------===//
//--------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// kami-peers-check LIBRARY [--filter=TEXT] [--blocks=N] [--repeats=R]
//                  [--runs=N] [--no-timing]
//
// Runs every peer on small integers and compares C = R·A·B exactly, then times
// it. One line each, those that are wrong once more at the end; ends with 1 if
// any is.
//
//===----------------------------------------------------------------------===//

#include "KamiPeers.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <cuda_runtime.h>
#include <dlfcn.h>
#include <random>
#include <string>
#include <vector>

namespace {
struct Library {
  decltype(&kami_peers_version) version;
  decltype(&kami_peer_count) count;
  decltype(&kami_peer) peer;
  decltype(&kami_peer_run) run;
  decltype(&kami_peer_resources) resources;
};

struct Options {
  std::string library, filter;
  int blocks = 16384;
  int repeats = 1000;
  int runs = 3;
  bool timing = true;
};

/// A buffer on the device.
class Buffer {
public:
  explicit Buffer(size_t bytes) {
    if (cudaMalloc(&pointer, bytes))
      pointer = nullptr;
  }
  ~Buffer() { cudaFree(pointer); }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  void *get() const { return pointer; }

private:
  void *pointer = nullptr;
};
} // namespace

static size_t bytesOf(const std::string &type) {
  if (type == "f64")
    return 8;
  if (type == "f32" || type == "tf32" || type == "i32")
    return 4;
  return type == "f16" || type == "bf16" ? 2 : 1;
}

static void encode(const std::string &type, double value, void *to) {
  auto put = [&](auto element) { std::memcpy(to, &element, sizeof element); };
  if (type == "f64")
    put(value);
  else if (type == "f32" || type == "tf32")
    put(static_cast<float>(value));
  else if (type == "f16")
    put(__float2half(static_cast<float>(value)));
  else if (type == "bf16")
    put(__float2bfloat16(static_cast<float>(value)));
  else if (type == "i8")
    put(static_cast<int8_t>(value));
  else
    put(__nv_fp8_e4m3(static_cast<float>(value)));
}

static double decode(const std::string &type, const void *from) {
  auto get = [&](auto element) {
    std::memcpy(&element, from, sizeof element);
    return element;
  };
  if (type == "f64")
    return get(double());
  if (type == "f32")
    return get(float());
  if (type == "i32")
    return get(int32_t());
  return __half2float(get(__half()));
}

/// Elements in {-2 … 2} / divisor, as numbers and in `type`.
static std::vector<unsigned char> randomElements(std::mt19937 &generator,
                                                 const std::string &type,
                                                 std::vector<int> &numbers,
                                                 int divisor) {
  size_t width = bytesOf(type);
  std::vector<unsigned char> encoded(numbers.size() * width);
  for (size_t i = 0; i < numbers.size(); ++i) {
    numbers[i] = static_cast<int>(generator() % 5) - 2;
    encode(type, static_cast<double>(numbers[i]) / divisor,
           &encoded[i * width]);
  }
  return encoded;
}

/// An empty string, or what is wrong.
static std::string check(const Library &library, int index) {
  const KamiPeerInfo &info = *library.peer(index);
  constexpr int sets = 3, blocks = 5, repeats = 3;
  int m = info.m, n = info.n, k = info.k;
  std::mt19937 generator(index);
  std::vector<int> a(size_t(sets) * m * k), b(size_t(sets) * k * n);
  auto encodedA = randomElements(generator, info.type, a, 1);
  auto encodedB = randomElements(generator, info.type, b, 1);
  size_t width = bytesOf(info.accumulator);
  std::vector<unsigned char> c(size_t(blocks) * m * n * width, 0xff);
  Buffer deviceA(encodedA.size()), deviceB(encodedB.size()), deviceC(c.size());
  cudaMemcpy(deviceA.get(), encodedA.data(), encodedA.size(),
             cudaMemcpyHostToDevice);
  cudaMemcpy(deviceB.get(), encodedB.data(), encodedB.size(),
             cudaMemcpyHostToDevice);
  cudaMemcpy(deviceC.get(), c.data(), c.size(), cudaMemcpyHostToDevice);
  int error = library.run(index, deviceA.get(), int64_t(m) * k, deviceB.get(),
                          int64_t(k) * n, deviceC.get(), int64_t(m) * n, sets,
                          blocks, repeats, nullptr);
  if (!error)
    error = cudaDeviceSynchronize();
  if (!error)
    error =
        cudaMemcpy(c.data(), deviceC.get(), c.size(), cudaMemcpyDeviceToHost);
  if (error)
    return cudaGetErrorString(static_cast<cudaError_t>(error));
  int64_t scale = repeats * (info.chained ? info.work : 1);
  for (int block = 0; block < blocks; ++block)
    for (int row = 0; row < m; ++row)
      for (int column = 0; column < n; ++column) {
        int64_t expected = 0;
        for (int i = 0; i < k; ++i)
          expected += int64_t(a[(size_t(block % sets) * m + row) * k + i]) *
                      b[(size_t(block % sets) * k + i) * n + column];
        expected *= scale;
        size_t at = (size_t(block) * m + row) * n + column;
        double got = decode(info.accumulator, &c[at * width]);
        if (got != static_cast<double>(expected))
          return "C(" + std::to_string(row) + ", " + std::to_string(column) +
                 ") of block " + std::to_string(block) + " is " +
                 std::to_string(got) + ", expected " + std::to_string(expected);
      }
  return "";
}

/// Fills `buffer` with copies of random elements.
static void fill(const std::string &type, size_t elements, void *buffer) {
  std::mt19937 generator(1);
  std::vector<int> numbers(std::min<size_t>(elements, 1 << 20));
  // 1000 products of sixteenths stay finite in f16.
  auto encoded =
      randomElements(generator, type, numbers, type == "i8" ? 1 : 16);
  size_t bytes = elements * bytesOf(type);
  for (size_t at = 0; at < bytes; at += encoded.size())
    cudaMemcpy(static_cast<char *>(buffer) + at, encoded.data(),
               std::min(encoded.size(), bytes - at), cudaMemcpyHostToDevice);
}

/// The median of some runs, in TFLOPS; or 0.
static double time(const Library &library, int index, const Options &options) {
  const KamiPeerInfo &info = *library.peer(index);
  int64_t a = int64_t(info.m) * info.k, b = int64_t(info.k) * info.n,
          c = int64_t(info.m) * info.n;
  size_t width = bytesOf(info.type), widthC = bytesOf(info.accumulator);
  constexpr int sets = 64;
  Buffer deviceA(sets * a * width), deviceB(sets * b * width),
      deviceC(options.blocks * c * widthC);
  if (!deviceA.get() || !deviceB.get() || !deviceC.get())
    return 0;
  fill(info.type, sets * a, deviceA.get());
  fill(info.type, sets * b, deviceB.get());
  cudaEvent_t begin, end;
  cudaEventCreate(&begin);
  cudaEventCreate(&end);
  std::vector<float> times;
  int error = 0;
  for (int run = 0; run <= options.runs && !error; ++run) {
    cudaEventRecord(begin);
    error =
        library.run(index, deviceA.get(), a, deviceB.get(), b, deviceC.get(), c,
                    sets, options.blocks, options.repeats, nullptr);
    cudaEventRecord(end);
    error = error ? error : cudaEventSynchronize(end);
    float milliseconds = 0;
    cudaEventElapsedTime(&milliseconds, begin, end);
    if (run) // the first warms up
      times.push_back(milliseconds);
  }
  cudaEventDestroy(begin);
  cudaEventDestroy(end);
  if (error || times.empty())
    return 0;
  std::sort(times.begin(), times.end());
  return 2.0 * info.m * info.n * info.k * info.work * options.repeats *
         options.blocks / (times[times.size() / 2] * 1e-3) / 1e12;
}

static bool load(const std::string &path, Library &library) {
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    std::fprintf(stderr, "%s\n", dlerror());
    return false;
  }
  auto find = [&](auto &function, const char *name) {
    function =
        reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(handle, name));
    return function != nullptr;
  };
  if (!find(library.version, "kami_peers_version") ||
      !find(library.count, "kami_peer_count") ||
      !find(library.peer, "kami_peer") || !find(library.run, "kami_peer_run") ||
      !find(library.resources, "kami_peer_resources")) {
    std::fprintf(stderr, "'%s' is no library of peers\n", path.c_str());
    return false;
  }
  if (library.version() != KAMI_PEERS_VERSION) {
    std::fprintf(stderr, "expected version %d of '%s', but got %d\n",
                 KAMI_PEERS_VERSION, path.c_str(), library.version());
    return false;
  }
  return true;
}

static bool parse(int argc, char **argv, Options &options) {
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    auto value = [&](const char *flag) -> const char * {
      size_t length = std::strlen(flag);
      return argument.compare(0, length, flag) == 0 ? argv[i] + length
                                                    : nullptr;
    };
    if (const char *text = value("--filter="))
      options.filter = text;
    else if (const char *text = value("--blocks="))
      options.blocks = std::atoi(text);
    else if (const char *text = value("--repeats="))
      options.repeats = std::atoi(text);
    else if (const char *text = value("--runs="))
      options.runs = std::atoi(text);
    else if (argument == "--no-timing")
      options.timing = false;
    else if (argument[0] != '-' && options.library.empty())
      options.library = argument;
    else
      return false;
  }
  return !options.library.empty() && options.blocks > 0 &&
         options.repeats > 0 && options.runs > 0;
}

int main(int argc, char **argv) {
  Options options;
  if (!parse(argc, argv, options)) {
    std::fprintf(stderr,
                 "usage: kami-peers-check LIBRARY [--filter=TEXT] [--blocks=N] "
                 "[--repeats=R] [--runs=N] [--no-timing]\n");
    return 2;
  }
  Library library;
  if (!load(options.library, library))
    return 2;
  std::vector<std::string> wrong;
  int passed = 0;
  std::printf("peer\tvariant\ttype\taccumulator\tproduct\tthreads\tregisters\t"
              "spilled\tshared\tTFLOPS\n");
  for (int index = 0; index < library.count(); ++index) {
    const KamiPeerInfo &info = *library.peer(index);
    std::string line = std::string(info.peer) + "\t" + info.variant + "\t" +
                       info.type + "\t" + info.accumulator + "\t" +
                       std::to_string(info.m) + "x" + std::to_string(info.n) +
                       "x" + std::to_string(info.k);
    if (line.find(options.filter) == std::string::npos)
      continue;
    int registers = 0, localBytes = 0;
    library.resources(index, &registers, &localBytes);
    std::string error = check(library, index);
    double rate =
        error.empty() && options.timing ? time(library, index, options) : 0;
    std::printf("%s\t%d\t%d\t%d\t%d\t%.2f\n", line.c_str(), info.threads,
                registers, localBytes, info.sharedBytes, rate);
    std::fflush(stdout);
    if (error.empty()) {
      ++passed;
      continue;
    }
    wrong.push_back(line + ": " + error);
    // A kernel that traps takes the context with it.
    if (cudaGetLastError() == cudaErrorIllegalInstruction ||
        cudaDeviceSynchronize())
      break;
  }
  for (const std::string &line : wrong)
    std::printf("wrong: %s\n", line.c_str());
  std::printf("%d passed, %zu failed\n", passed, wrong.size());
  return wrong.empty() ? 0 : 1;
}
