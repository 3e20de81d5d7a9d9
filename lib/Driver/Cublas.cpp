//===- Cublas.cpp - NVIDIA's library, where there is one -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The ABI is that of "cuBLAS" (NVIDIA, release 13.0, cublas_api.h and
// library_types.h), declared here so that building needs no toolkit.
//
//===----------------------------------------------------------------------===//

#include "Cublas.h"
#include "CudaStatus.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Process.h"
#include <dlfcn.h>

using namespace kami;

// Prevents a mix-up of the handle with the many other pointers below.
typedef struct cublasContext *CublasHandle;

namespace {
constexpr int cublasSuccess = 0;
/// CUBLAS_OP_N, CUBLAS_GEMM_DEFAULT.
constexpr int cublasNoTranspose = 0, cublasDefaultAlgorithm = -1;
/// cublasComputeType_t.
constexpr int cublasCompute32F = 68, cublasCompute64F = 70,
              cublasCompute32FFastTF32 = 77;
/// cudaDataType.
constexpr int cudaReal32F = 0, cudaReal64F = 1, cudaReal16F = 2,
              cudaReal16BF = 14;
/// What the documentation of cublasSetWorkspace asks for on Hopper.
constexpr size_t workspaceBytes = size_t(32) << 20;
} // namespace

// X(member, symbol, parameters...). All return cublasStatus_t.
#define KAMI_CUBLAS_FUNCTIONS(X)                                               \
  X(create, "cublasCreate_v2", CublasHandle *)                                 \
  X(destroy, "cublasDestroy_v2", CublasHandle)                                 \
  X(setStream, "cublasSetStream_v2", CublasHandle, KamiCudaStream)             \
  X(setWorkspace, "cublasSetWorkspace_v2", CublasHandle, void *, size_t)       \
  X(getVersion, "cublasGetVersion_v2", CublasHandle, int *)                    \
  X(gemmStridedBatched, "cublasGemmStridedBatchedEx", CublasHandle, int, int,  \
    int, int, int, const void *, const void *, int, int, long long,            \
    const void *, int, int, long long, const void *, void *, int, int,         \
    long long, int, int, int)                                                  \
  X(gemm, "cublasGemmEx", CublasHandle, int, int, int, int, int, const void *, \
    const void *, int, int, const void *, int, int, const void *, void *, int, \
    int, int, int)                                                             \
  X(gemmGrouped, "cublasGemmGroupedBatchedEx", CublasHandle, const int *,      \
    const int *, const int *, const int *, const int *, const void *,          \
    const void *const *, int, const int *, const void *const *, int,           \
    const int *, const void *, void *const *, int, const int *, int,           \
    const int *, int)

struct kami::CublasFunctions {
#define KAMI_CUBLAS_MEMBER(member, symbol, ...) int (*member)(__VA_ARGS__);
  KAMI_CUBLAS_FUNCTIONS(KAMI_CUBLAS_MEMBER)
#undef KAMI_CUBLAS_MEMBER
};

/// What to hand to dlopen, in order.
static llvm::SmallVector<std::string> candidates() {
  if (std::optional<std::string> path =
          llvm::sys::Process::GetEnv("KAMI_CUBLAS");
      path && !path->empty())
    return {*path};
  const char *names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
  llvm::SmallVector<std::string> paths(std::begin(names), std::end(names));
  llvm::SmallVector<std::string> roots;
  for (const char *variable : {"CUDA_HOME", "CUDA_PATH"})
    if (std::optional<std::string> root = llvm::sys::Process::GetEnv(variable))
      roots.push_back(*root);
  roots.push_back("/usr/local/cuda");
  for (const std::string &root : roots)
    for (const char *folder : {"/lib64/", "/lib/"})
      for (const char *name : names)
        paths.push_back(root + folder + name);
  return paths;
}

/// Never closed: cuBLAS registers kernels with the driver.
static llvm::Expected<void *> loadLibrary() {
  std::string reason;
  for (const std::string &path : candidates()) {
    if (void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
      return library;
    const char *said = dlerror();
    // The first is what a user would want to hear about; the rest is guesses.
    if (reason.empty())
      reason = said ? said : path;
  }
  return llvm::createStringError("no cuBLAS found: " + reason);
}

llvm::Error Cublas::check(int status, llvm::StringRef call) const {
  if (status == cublasSuccess)
    return llvm::Error::success();
  return llvm::createStringError(call + " failed with cublasStatus_t " +
                                 llvm::Twine(status));
}

llvm::Expected<std::unique_ptr<Cublas>> Cublas::open(KamiCudaDevice *device,
                                                     KamiCudaStream stream) {
  llvm::Expected<void *> library = loadLibrary();
  if (!library)
    return library.takeError();
  static CublasFunctions functions;
#define KAMI_CUBLAS_RESOLVE(member, symbol, ...)                               \
  *reinterpret_cast<void **>(&functions.member) = dlsym(*library, symbol);     \
  if (!functions.member)                                                       \
    return llvm::createStringError("cuBLAS has no " symbol                     \
                                   "; one of CUDA 12.5 or newer is needed");
  KAMI_CUBLAS_FUNCTIONS(KAMI_CUBLAS_RESOLVE)
#undef KAMI_CUBLAS_RESOLVE
  std::unique_ptr<Cublas> cublas(new Cublas(device));
  cublas->functions = &functions;
  if (llvm::Error error = cublas->prepare(device, stream))
    return error;
  return cublas;
}

llvm::Error Cublas::prepare(KamiCudaDevice *device, KamiCudaStream stream) {
  // kami's runtime leaves no context current between its calls. cuBLAS goes
  // through the CUDA runtime, which then makes the primary context of device 0
  // current: the one in which the stream and the buffers were made.
  CublasHandle made = nullptr;
  if (llvm::Error error = check(functions->create(&made), "cublasCreate"))
    return error;
  handle = made;
  int version = 0;
  if (llvm::Error error =
          check(functions->getVersion(made, &version), "cublasGetVersion"))
    return error;
  // CUBLAS_VERSION.
  versionText =
      (llvm::Twine(version / 10000) + "." + llvm::Twine(version / 100 % 100) +
       "." + llvm::Twine(version % 100))
          .str();
  if (kamiCudaAllocate(device, workspaceBytes, workspace.out()) !=
      KAMI_STATUS_OK)
    return llvm::createStringError(llvm::StringRef(kamiRuntimeLastError()));
  // In this order: a new stream resets the workspace to one of cuBLAS's own
  // pool, which a captured graph must not depend on.
  own = stream;
  return useStream(stream, workspace.get());
}

llvm::Error Cublas::useStream(KamiCudaStream stream, KamiCudaPointer space) {
  auto *made = static_cast<CublasHandle>(handle);
  if (llvm::Error error =
          check(functions->setStream(made, stream), "cublasSetStream"))
    return error;
  return check(functions->setWorkspace(made, reinterpret_cast<void *>(space),
                                       workspaceBytes),
               "cublasSetWorkspace");
}

Cublas::~Cublas() {
  if (handle)
    functions->destroy(static_cast<CublasHandle>(handle));
}

static int dataType(ElementKind type) {
  switch (type) {
  case ElementKind::F64:
    return cudaReal64F;
  case ElementKind::F32:
  case ElementKind::TF32:
    return cudaReal32F;
  case ElementKind::BF16:
    return cudaReal16BF;
  default:
    return cudaReal16F;
  }
}

static int computeType(ElementKind type) {
  switch (type) {
  case ElementKind::F64:
    return cublasCompute64F;
  case ElementKind::TF32:
    return cublasCompute32FFastTF32;
  default:
    return cublasCompute32F;
  }
}

llvm::Error Cublas::multiply(const CublasProduct &product) {
  auto [m, n, k] = product.extents;
  bool wide = product.type == ElementKind::F64;
  double wideOne = 1, wideZero = 0;
  float one = 1, zero = 0;
  const void *alpha = wide ? static_cast<const void *>(&wideOne) : &one;
  const void *beta = wide ? static_cast<const void *>(&wideZero) : &zero;
  int type = dataType(product.type);
  auto pointer = [](KamiCudaPointer address) {
    return reinterpret_cast<void *>(address);
  };
  // To cuBLAS a row-major matrix is its transpose in column-major order, so it
  // is asked for Cᵀ = Bᵀ·Aᵀ: B comes first, and n is the number of rows.
  return check(functions->gemmStridedBatched(
                   static_cast<CublasHandle>(handle), cublasNoTranspose,
                   cublasNoTranspose, n, m, k, alpha, pointer(product.b), type,
                   n, k * n, pointer(product.a), type, k, m * k, beta,
                   pointer(product.c), type, n, m * n, product.batch,
                   computeType(product.type), cublasDefaultAlgorithm),
               "cublasGemmStridedBatchedEx");
}

llvm::Error Cublas::multiplyGrouped(const CublasGroup &group, KamiCudaPointer a,
                                    KamiCudaPointer b, KamiCudaPointer c) {
  size_t count = group.extents.size();
  bool wide = group.type == ElementKind::F64;
  std::vector<int> transposes(count, cublasNoTranspose), ones(count, 1);
  std::vector<int> m, n, k;
  std::vector<double> wideOnes(count, 1), wideZeros(count, 0);
  std::vector<float> floatOnes(count, 1), floatZeros(count, 0);
  for (const Extents &extents : group.extents) {
    m.push_back(extents.m);
    n.push_back(extents.n);
    k.push_back(extents.k);
  }
  const void *alpha =
      wide ? static_cast<const void *>(wideOnes.data()) : floatOnes.data();
  const void *beta =
      wide ? static_cast<const void *>(wideZeros.data()) : floatZeros.data();
  int type = dataType(group.type);
  // As above, of transposes.
  return check(functions->gemmGrouped(
                   static_cast<CublasHandle>(handle), transposes.data(),
                   transposes.data(), n.data(), m.data(), k.data(), alpha,
                   reinterpret_cast<const void *const *>(b), type, n.data(),
                   reinterpret_cast<const void *const *>(a), type, k.data(),
                   beta, reinterpret_cast<void *const *>(c), type, n.data(),
                   int(count), ones.data(), computeType(group.type)),
               "cublasGemmGroupedBatchedEx");
}

llvm::Error Cublas::openStreams() {
  constexpr size_t count = 16;
  if (!lanes.empty())
    return llvm::Error::success();
  begun.emplace(device);
  if (llvm::Error error =
          kami::check(kamiCudaCreateEvent(device, begun->out())))
    return error;
  for (size_t i = 0; i != count; ++i) {
    Lane &lane = lanes.emplace_back(device);
    for (KamiStatus status :
         {kamiCudaCreateStream(device, lane.stream.out()),
          kamiCudaCreateEvent(device, lane.done.out()),
          kamiCudaAllocate(device, workspaceBytes, lane.workspace.out())})
      if (llvm::Error error = kami::check(status))
        return error;
  }
  return llvm::Error::success();
}

llvm::Error Cublas::multiplyOnStreams(
    const CublasGroup &group,
    llvm::function_ref<KamiCudaPointer(unsigned, int64_t)> matrix) {
  if (llvm::Error error = openStreams())
    return error;
  if (llvm::Error error =
          kami::check(kamiCudaRecordEvent(device, begun->get(), own)))
    return error;
  double wideOne = 1, wideZero = 0;
  float one = 1, zero = 0;
  bool wide = group.type == ElementKind::F64;
  const void *alpha = wide ? static_cast<const void *>(&wideOne) : &one;
  const void *beta = wide ? static_cast<const void *>(&wideZero) : &zero;
  int type = dataType(group.type);
  auto pointer = [&](unsigned operand, int64_t product) {
    return reinterpret_cast<void *>(matrix(operand, product));
  };
  llvm::Error failed = llvm::Error::success();
  size_t used = std::min(lanes.size(), group.extents.size());
  for (size_t i = 0; i != used && !failed; ++i) {
    Lane &lane = lanes[i];
    failed =
        kami::check(kamiCudaWaitEvent(device, lane.stream.get(), begun->get()));
    if (!failed)
      failed = useStream(lane.stream.get(), lane.workspace.get());
    for (size_t product = i; product < group.extents.size() && !failed;
         product += used) {
      auto [m, n, k] = group.extents[product];
      failed = check(
          functions->gemm(static_cast<CublasHandle>(handle), cublasNoTranspose,
                          cublasNoTranspose, n, m, k, alpha,
                          pointer(1, product), type, n, pointer(0, product),
                          type, k, beta, pointer(2, product), type, n,
                          computeType(group.type), cublasDefaultAlgorithm),
          "cublasGemmEx");
    }
    // Also after a failure, so that the streams meet again.
    for (KamiStatus status :
         {kamiCudaRecordEvent(device, lane.done.get(), lane.stream.get()),
          kamiCudaWaitEvent(device, own, lane.done.get())})
      if (!failed)
        failed = kami::check(status);
  }
  llvm::Error back = useStream(own, workspace.get());
  if (failed) {
    llvm::consumeError(std::move(back));
    return failed;
  }
  return back;
}
