//===- Peers.cpp - Other libraries' products inside a block ---------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Peers.h"
#include "CudaStatus.h"
#include "KamiPeers.h"
#include "kami/Driver/Compile.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace kami;

/// Where a library is looked for that nobody named.
static std::string findLibrary() {
  constexpr llvm::StringLiteral name = "libkami-peers.so";
  // Any address inside the program tells where it is.
  std::string executable =
      llvm::sys::fs::getMainExecutable(nullptr, (void *)&findLibrary);
  std::string folder = llvm::sys::path::parent_path(executable).str();
  for (const std::string &place :
       {folder, folder + "/../../build-peers", std::string("build-peers")}) {
    llvm::SmallString<128> path(place);
    llvm::sys::path::append(path, name);
    if (llvm::sys::fs::exists(path))
      return path.str().str();
  }
  return "";
}

llvm::Expected<Peers> Peers::open(llvm::StringRef path) {
  Peers peers;
  peers.file = path.empty() ? findLibrary() : path.str();
  if (peers.file.empty())
    return peers;
  std::string message;
  peers.library =
      llvm::sys::DynamicLibrary::getLibrary(peers.file.c_str(), &message);
  if (!peers.library.isValid())
    return llvm::createStringError("cannot open '" + peers.file +
                                   "': " + message);
  auto find = [&](auto &function, const char *symbol) {
    function = reinterpret_cast<std::decay_t<decltype(function)>>(
        peers.library.getAddressOfSymbol(symbol));
    return function != nullptr;
  };
  int (*version)() = nullptr, (*count)() = nullptr;
  if (!find(version, "kami_peers_version") || !find(count, "kami_peer_count") ||
      !find(peers.peer, "kami_peer") || !find(peers.run, "kami_peer_run"))
    return llvm::createStringError("'" + peers.file +
                                   "' is no library of peers");
  if (version() != KAMI_PEERS_VERSION)
    return llvm::createStringError(
        "expected version " + llvm::Twine(KAMI_PEERS_VERSION) + " of '" +
        peers.file + "', but got " + llvm::Twine(version()));
  peers.count = count();
  return peers;
}

Rival Peers::rival(int index, BlockMatrices &matrices,
                   const TimingOptions &options) const {
  return {[=, this, &matrices](int64_t repeats) -> llvm::Error {
    int status =
        run(index, reinterpret_cast<void *>(matrices.deviceA()),
            matrices.sizeA(), reinterpret_cast<void *>(matrices.deviceB()),
            matrices.sizeB(), reinterpret_cast<void *>(matrices.deviceC()),
            matrices.sizeC(), int(operandSets), int(options.blocks),
            int(repeats), /*stream=*/nullptr);
    if (status == 0)
      return llvm::Error::success();
    const KamiPeerInfo &info = *peer(index);
    return llvm::createStringError(llvm::Twine(info.peer) + ", " +
                                   info.variant + ": CUDA error " +
                                   llvm::Twine(status));
  }};
}

Problem Peers::problemOf(int index, const Problem &like) const {
  const KamiPeerInfo &info = *peer(index);
  Problem problem = like;
  problem.extents = {info.m, info.n, info.k};
  return problem;
}

double Peers::rate(int index, const TimingOptions &options, int64_t repeats,
                   double microseconds) const {
  const KamiPeerInfo &info = *peer(index);
  return 2.0 * info.m * info.n * info.k * info.work * options.blocks * repeats /
         microseconds * 1e-6;
}

llvm::Expected<double> Peers::measure(int index, BlockTimer &timer,
                                      BlockMatrices &matrices,
                                      const TimingOptions &options,
                                      llvm::raw_ostream &log) const {
  const KamiPeerInfo &info = *peer(index);
  Rival rival = this->rival(index, matrices, options);
  constexpr int64_t checkedRepeats = 3;
  if (llvm::Error error = matrices.upload(/*integers=*/true))
    return error;
  if (llvm::Error error = matrices.poison())
    return error;
  if (llvm::Error error = rival.launch(checkedRepeats))
    return error;
  llvm::Expected<std::string> difference =
      matrices.compare(checkedRepeats * (info.chained ? info.work : 1));
  if (!difference)
    return difference.takeError();
  if (!difference->empty()) {
    log << "kami-bench: error: " << info.peer << ", " << info.variant
        << ": wrong: " << *difference << "\n";
    return 0;
  }
  if (llvm::Error error = matrices.upload(/*integers=*/false))
    return error;
  llvm::Expected<Timing> timing = timer.time(options, rival.launch);
  if (!timing)
    return timing.takeError();
  return rate(index, options, timing->repeats, timing->median);
}

static bool isOfTypes(const KamiPeerInfo &info, const Problem &problem) {
  return info.type == name(problem.operand) &&
         info.accumulator == name(problem.accumulator) &&
         problem.operandB() == problem.operand;
}

llvm::Expected<PeerResult>
Peers::limit(BlockTimer &timer, mlir::MLIRContext &context,
             const Problem &problem, const TimingOptions &options,
             llvm::raw_ostream &log, int &fastest) const {
  PeerResult best;
  for (int index = 0; index != count; ++index) {
    const KamiPeerInfo &info = *peer(index);
    if (info.kind != KAMI_PEER_LIMIT || !isOfTypes(info, problem))
      continue;
    BlockMatrices matrices(timer.get(), &context, problemOf(index, problem),
                           options.blocks);
    if (llvm::Error error = matrices.allocate())
      return error;
    llvm::Expected<double> rate = measure(index, timer, matrices, options, log);
    if (!rate)
      return rate.takeError();
    if (*rate <= best.teraflops)
      continue;
    best = {*rate, info.variant};
    fastest = index;
  }
  return best;
}

llvm::Expected<PeerResults> Peers::measure(BlockTimer &timer,
                                           BlockMatrices &matrices,
                                           const Problem &problem,
                                           const TimingOptions &options,
                                           llvm::raw_ostream &log) const {
  PeerResults results;
  for (int index = 0; index != count; ++index) {
    const KamiPeerInfo &info = *peer(index);
    if (info.kind != KAMI_PEER_PRODUCT || !isOfTypes(info, problem) ||
        !(Extents{info.m, info.n, info.k} == problem.extents))
      continue;
    llvm::StringRef name = info.peer;
    bool isCute = name.starts_with("cute");
    if (!isCute && !name.starts_with("cublasdx"))
      continue;
    PeerResult &best = isCute ? results.cute : results.cublasDx;
    llvm::Expected<double> rate = measure(index, timer, matrices, options, log);
    if (!rate)
      return rate.takeError();
    if (*rate <= best.teraflops)
      continue;
    best = {*rate, std::string(info.peer) + ", " + info.variant};
    (isCute ? results.cuteIndex : results.cublasDxIndex) = index;
  }
  mlir::MLIRContext context;
  loadAllDialects(context);
  llvm::Expected<PeerResult> bound =
      limit(timer, context, problem, options, log, results.limitIndex);
  if (!bound)
    return bound.takeError();
  results.limit = *bound;
  return results;
}
