//===- TimedGraph.h - Launches that are timed in turn -----------*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_TIMEDGRAPH_H
#define KAMI_LIB_DRIVER_TIMEDGRAPH_H

#include "kami/Driver/Benchmark.h"
#include "kami/Runtime/Cuda.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace kami {

/// A stream, and the events that say how long something took on it.
struct GraphClock {
  KamiCudaStream stream = nullptr;
  KamiCudaEvent start = nullptr, stop = nullptr;
};

/// A graph of launches of one contestant, and the times of its replays.
class TimedGraph {
public:
  explicit TimedGraph(KamiCudaDevice *device) : device(device), graph(device) {}

  /// Makes the graph of what `enqueue` queues on the stream for the launches 0,
  /// 1, ....
  llvm::Error capture(int64_t launches, KamiCudaStream stream,
                      llvm::function_ref<llvm::Error(int64_t)> enqueue);
  /// Replays it twice, and times the second one.
  llvm::Expected<double> replay(const GraphClock &clock);
  /// Microseconds of a launch.
  LaunchTime time() const;

  std::vector<double> times;

private:
  KamiCudaDevice *device;
  CudaGraph graph;
  int64_t launches = 0;
};

/// Times each so often, in turn, once the clocks have risen.
llvm::Error takeTurns(llvm::ArrayRef<TimedGraph *> graphs, int64_t repeats,
                      const GraphClock &clock);

/// The places of the fastest few, best first, by a few replays of each, whose
/// times are not kept.
llvm::Expected<std::vector<size_t>>
findFastest(llvm::ArrayRef<TimedGraph *> graphs, size_t count,
            const GraphClock &clock);

} // namespace kami

#endif // KAMI_LIB_DRIVER_TIMEDGRAPH_H
