//===- TimedGraph.cpp -----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TimedGraph.h"
#include "CudaStatus.h"
#include "llvm/ADT/STLExtras.h"

using namespace kami;

llvm::Error
TimedGraph::capture(int64_t count, KamiCudaStream stream,
                    llvm::function_ref<llvm::Error(int64_t)> enqueue) {
  launches = count;
  if (llvm::Error error = check(kamiCudaBeginCapture(device, stream)))
    return error;
  llvm::Error failed = llvm::Error::success();
  for (int64_t launch = 0; launch != count && !failed; ++launch)
    failed = enqueue(launch);
  // Also after a failure, so that the stream leaves the capture.
  KamiStatus ended = kamiCudaEndCapture(device, stream, graph.out());
  if (failed)
    return failed;
  return check(ended);
}

llvm::Expected<double> TimedGraph::replay(KamiCudaStream stream,
                                          KamiCudaEvent start,
                                          KamiCudaEvent stop) {
  double elapsed = 0;
  // The first replay keeps the device busy while the host queues the rest, so
  // that the host's time to launch a graph is not between the events.
  for (KamiStatus status : {kamiCudaLaunchGraph(device, graph.get(), stream),
                            kamiCudaRecordEvent(device, start, stream),
                            kamiCudaLaunchGraph(device, graph.get(), stream),
                            kamiCudaRecordEvent(device, stop, stream),
                            kamiCudaElapsed(device, start, stop, &elapsed)})
    if (llvm::Error error = check(status))
      return error;
  return elapsed / launches;
}

LaunchTime TimedGraph::time() const {
  if (times.empty())
    return {};
  std::vector<double> sorted = times;
  llvm::sort(sorted);
  size_t half = sorted.size() / 2;
  double median =
      sorted.size() % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  return {median, sorted.front(), sorted.back()};
}

llvm::Error kami::takeTurns(llvm::ArrayRef<TimedGraph *> graphs,
                            int64_t repeats, KamiCudaStream stream,
                            KamiCudaEvent start, KamiCudaEvent stop) {
  // Until the clocks have risen from idle, and at least twice.
  constexpr double warmUpMicroseconds = 50e3;
  constexpr int64_t mostRounds = 1000;
  double spent = 0;
  for (int64_t round = 0;
       round < 2 || (spent < warmUpMicroseconds && round < mostRounds); ++round)
    for (TimedGraph *graph : graphs) {
      llvm::Expected<double> time = graph->replay(stream, start, stop);
      if (!time)
        return time.takeError();
      // A replay is of ten launches or more, twice.
      spent += 20 * *time;
    }
  for (int64_t round = 0; round != repeats; ++round)
    for (TimedGraph *graph : graphs) {
      llvm::Expected<double> time = graph->replay(stream, start, stop);
      if (!time)
        return time.takeError();
      graph->times.push_back(*time);
    }
  return llvm::Error::success();
}
