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
#include <numeric>

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

llvm::Expected<double> TimedGraph::replay(const GraphClock &clock) {
  auto [stream, start, stop] = clock;
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

LaunchTime kami::summarize(std::vector<double> times) {
  if (times.empty())
    return {};
  llvm::sort(times);
  size_t half = times.size() / 2;
  double median =
      times.size() % 2 ? times[half] : (times[half - 1] + times[half]) / 2;
  return {median, times.front(), times.back()};
}

LaunchTime TimedGraph::time() const { return summarize(times); }

llvm::Error kami::takeTurns(llvm::ArrayRef<TimedGraph *> graphs,
                            int64_t repeats, const GraphClock &clock) {
  // Until the clocks have risen from idle, and at least twice.
  constexpr double warmUpMicroseconds = 50e3;
  constexpr int64_t mostRounds = 1000;
  double spent = 0;
  for (int64_t round = 0;
       round < 2 || (spent < warmUpMicroseconds && round < mostRounds); ++round)
    for (TimedGraph *graph : graphs) {
      llvm::Expected<double> time = graph->replay(clock);
      if (!time)
        return time.takeError();
      // A replay is of ten launches or more, twice.
      spent += 20 * *time;
    }
  for (int64_t round = 0; round != repeats; ++round)
    for (TimedGraph *graph : graphs) {
      llvm::Expected<double> time = graph->replay(clock);
      if (!time)
        return time.takeError();
      graph->times.push_back(*time);
    }
  return llvm::Error::success();
}

llvm::Expected<std::vector<size_t>>
kami::findFastest(llvm::ArrayRef<TimedGraph *> graphs, size_t count,
                  const GraphClock &clock) {
  constexpr int64_t rounds = 3;
  std::vector<size_t> places(graphs.size());
  std::iota(places.begin(), places.end(), 0);
  if (places.size() <= count)
    return places;
  if (llvm::Error error = takeTurns(graphs, rounds, clock))
    return error;
  std::vector<double> medians;
  for (TimedGraph *graph : graphs) {
    medians.push_back(graph->time().median);
    graph->times.clear();
  }
  llvm::stable_sort(places, [&](size_t left, size_t right) {
    return medians[left] < medians[right];
  });
  places.resize(count);
  return places;
}
