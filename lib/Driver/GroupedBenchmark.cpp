//===- GroupedBenchmark.cpp -----------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/GroupedBenchmark.h"
#include "BenchmarkOperands.h"
#include "Csv.h"
#include "Cublas.h"
#include "CudaStatus.h"
#include "SpeedOfLight.h"
#include "TimedGraph.h"
#include "kami/Driver/Compile.h"
#include "kami/Driver/GroupedSpec.h"
#include "kami/Driver/Run.h"
#include "kami/Plan/Explain.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <cmath>
#include <deque>
#include <random>

using namespace kami;

llvm::Expected<GroupedSizes> GroupedSizes::parse(llvm::StringRef text) {
  constexpr int64_t most = 4096;
  auto [left, right] = text.split('/');
  GroupedSizes sizes;
  if (!left.getAsInteger(10, sizes.mostMN) &&
      !right.getAsInteger(10, sizes.mostK) && sizes.mostMN >= 1 &&
      sizes.mostMN <= most && sizes.mostK >= 1 && sizes.mostK <= most)
    return sizes;
  return llvm::createStringError(
      "expected --sizes=MN/K with bounds from 1 to 4096, but got '" + text +
      "'");
}

static ElementKind storedKind(ElementKind type) {
  return type == ElementKind::TF32 ? ElementKind::F32 : type;
}

namespace {

/// One row's products.
struct Group {
  ElementKind type;
  GroupedSizes sizes;
  int64_t batch;
  int64_t multiple;
  std::vector<GroupedProduct> products;

  double flops() const;
  double bytes() const;
  /// Of an operand of all products.
  int64_t bytes(unsigned operand) const;
};

/// The operands of several sets of the same products, and the arrays that say
/// where they are.
class GroupOperands {
public:
  GroupOperands(KamiCudaDevice *device, const Group &group);

  llvm::Error allocate();
  int64_t setCount() const { return sets; }
  KamiCudaPointer matrix(unsigned operand, int64_t set, int64_t product) const {
    return pools[operand].get() +
           (set * elements[operand] + starts[operand][product]) * width;
  }
  /// Arrays of a set: positions in elements, and addresses.
  KamiCudaPointer positions(unsigned operand, int64_t set) const {
    return arrays.get() + arrayAt(operand, set);
  }
  KamiCudaPointer addresses(unsigned operand, int64_t set) const {
    return arrays.get() + arrayAt(3 + operand, set);
  }
  /// m, n, k, then the leading dimensions of A, B and C, of 32 bits.
  KamiCudaPointer counts(unsigned number) const {
    return integers.get() + number * products() * int64_t(sizeof(int32_t));
  }
  KamiCudaPointer pool(unsigned operand) const { return pools[operand].get(); }
  int64_t poolElements(unsigned operand) const {
    return sets * elements[operand];
  }
  int64_t products() const { return group.batch; }
  llvm::Error poison() const;
  /// Largest error of some elements of every product of the last set, relative
  /// to |A|·|B|; NaN if one is.
  llvm::Expected<double> largestError() const;

private:
  int64_t arrayAt(unsigned array, int64_t set) const {
    return (set * 6 + array) * products() * int64_t(sizeof(uint64_t));
  }
  double value(unsigned operand, int64_t element) const {
    return values[(element + 7919 * operand) % int64_t(values.size())];
  }

  KamiCudaDevice *device;
  const Group &group;
  int64_t width;
  int64_t sets;
  sim::ElementFormat format;
  /// Elements of a set, and where each product's begin.
  int64_t elements[3] = {};
  std::vector<int64_t> starts[3];
  std::vector<double> values;
  CudaBuffer pools[3];
  CudaBuffer arrays, integers;
};

} // namespace

double Group::flops() const {
  double sum = 0;
  for (const GroupedProduct &product : products)
    sum += 2.0 * product.extents.m * product.extents.n * product.extents.k;
  return sum;
}

int64_t Group::bytes(unsigned operand) const {
  int64_t sum = 0;
  for (const GroupedProduct &product : products) {
    auto [m, n, k] = product.extents;
    int64_t elements[] = {m * k, k * n, m * n};
    sum += elements[operand];
  }
  return sum * byteWidth(storedKind(type));
}

double Group::bytes() const { return double(bytes(0) + bytes(1) + bytes(2)); }

GroupOperands::GroupOperands(KamiCudaDevice *device, const Group &group)
    : device(device), group(group), width(byteWidth(storedKind(group.type))),
      format(benchmarkFormat(storedKind(group.type))),
      pools{CudaBuffer(device), CudaBuffer(device), CudaBuffer(device)},
      arrays(device), integers(device) {
  for (const GroupedProduct &product : group.products) {
    auto [m, n, k] = product.extents;
    int64_t sizes[] = {m * k, k * n, m * n};
    for (unsigned i = 0; i != 3; ++i) {
      starts[i].push_back(elements[i]);
      // As an allocation of its own would be aligned.
      elements[i] += llvm::alignTo(sizes[i], 256 / width);
    }
  }
  // Together they should exceed the second-level cache by far.
  constexpr int64_t leastBytes = 300'000'000, mostSets = 200;
  int64_t bytes = (elements[0] + elements[1] + elements[2]) * width;
  sets = std::clamp<int64_t>(llvm::divideCeil(leastBytes, bytes), 1, mostSets);
}

llvm::Error GroupOperands::allocate() {
  constexpr int64_t period = 1048573;
  std::mt19937_64 random(1);
  std::vector<uint8_t> bytes(period * width);
  for (int64_t i = 0; i != period; ++i) {
    // The same numbers from any standard library: its distributions may differ.
    double unit = std::ldexp(double(random() >> 11), -53);
    uint64_t bits = sim::fromDouble(format, 2 * unit - 1);
    values.push_back(sim::toDouble(format, bits));
    sim::writeBits(&bytes[i * width], width, bits);
  }
  for (unsigned i = 0; i != 3; ++i) {
    int64_t total = poolElements(i);
    if (llvm::Error error =
            check(kamiCudaAllocate(device, total * width, pools[i].out())))
      return error;
    if (i == 2)
      break;
    for (int64_t done = 0; done < total;) {
      int64_t from = (done + 7919 * i) % period;
      int64_t count = std::min(total - done, period - from);
      if (llvm::Error error =
              check(kamiCudaCopyToDevice(device, pools[i].get() + done * width,
                                         &bytes[from * width], count * width)))
        return error;
      done += count;
    }
  }
  std::vector<uint64_t> entries;
  for (int64_t set = 0; set != sets; ++set)
    for (bool isAddress : {false, true})
      for (unsigned i = 0; i != 3; ++i)
        for (int64_t product = 0; product != products(); ++product)
          entries.push_back(isAddress ? matrix(i, set, product)
                                      : set * elements[i] + starts[i][product]);
  std::vector<int32_t> numbers;
  for (unsigned number = 0; number != 6; ++number)
    for (const GroupedProduct &product : group.products) {
      auto [m, n, k] = product.extents;
      int64_t all[] = {
          m, n, k, product.leading[0], product.leading[1], product.leading[2]};
      numbers.push_back(int32_t(all[number]));
    }
  for (KamiStatus status :
       {kamiCudaAllocate(device, entries.size() * sizeof(uint64_t),
                         arrays.out()),
        kamiCudaCopyToDevice(device, arrays.get(), entries.data(),
                             entries.size() * sizeof(uint64_t)),
        kamiCudaAllocate(device, numbers.size() * sizeof(int32_t),
                         integers.out()),
        kamiCudaCopyToDevice(device, integers.get(), numbers.data(),
                             numbers.size() * sizeof(int32_t))})
    if (llvm::Error error = check(status))
      return error;
  return llvm::Error::success();
}

llvm::Error GroupOperands::poison() const {
  // All bits set is a NaN in every type.
  return check(
      kamiCudaFillBytes(device, pools[2].get(), 0xFF, poolElements(2) * width));
}

llvm::Expected<double> GroupOperands::largestError() const {
  constexpr int64_t samples = 64;
  std::mt19937_64 random(3);
  int64_t set = sets - 1;
  std::vector<uint8_t> bytes;
  double worst = 0;
  for (int64_t number = 0; number != products(); ++number) {
    auto [m, n, k] = group.products[number].extents;
    bytes.resize(m * n * width);
    if (llvm::Error error = check(kamiCudaCopyToHost(
            device, bytes.data(), matrix(2, set, number), bytes.size())))
      return error;
    auto computed = [&](int64_t i) {
      return sim::toDouble(format, sim::readBits(&bytes[i * width], width));
    };
    // Nothing is left out.
    for (int64_t i = 0; i != m * n; ++i)
      if (std::isnan(computed(i)))
        return std::nan("");
    for (int64_t sample = 0; sample != samples; ++sample) {
      int64_t row = random() % m, column = random() % n;
      long double sum = 0, magnitude = 0;
      for (int64_t i = 0; i != k; ++i) {
        int64_t a = set * elements[0] + starts[0][number] + row * k + i;
        int64_t b = set * elements[1] + starts[1][number] + i * n + column;
        long double term = (long double)(value(0, a)) * value(1, b);
        sum += term;
        magnitude += std::fabs(term);
      }
      worst = std::max(worst, relativeError(computed(row * n + column), sum,
                                            magnitude, format));
    }
  }
  return worst;
}

//===----------------------------------------------------------------------===//
// The run
//===----------------------------------------------------------------------===//

namespace {

class GroupedBenchmark {
public:
  GroupedBenchmark(const GroupedBenchmarkOptions &options,
                   llvm::raw_ostream &os, llvm::raw_ostream &log)
      : options(options), os(os), log(log) {}

  llvm::Error open();
  llvm::Error measure(const Group &group);

  bool right = true;

private:
  /// A kernel that is loaded.
  struct Loaded {
    explicit Loaded(KamiCudaDevice *device) : module(device) {}
    CudaModule module;
    KamiCudaFunction function = nullptr;
    KamiCudaLaunch launch = {};
    std::string plan;
    int registers = 0;
  };
  /// How the block's part is computed, as far as somebody asks.
  struct Wish {
    std::string tile;
    int64_t stages, warps;
    std::string unit, copies;
    int64_t taken;
  };
  llvm::Error load(const Group &group, const Wish &wish, Loaded &loaded);
  llvm::Error enqueue(const Loaded &loaded, const GroupOperands &operands,
                      int64_t set);
  llvm::Expected<std::vector<LightContestant>>
  makeLight(const Group &group, const GroupOperands &operands,
            int64_t launches);
  GraphClock clock() const {
    return {stream->get(), start->get(), stop->get()};
  }
  llvm::Expected<std::string>
  runOnce(const GroupOperands &operands, double bound,
          llvm::function_ref<llvm::Error(int64_t)> enqueue);

  const GroupedBenchmarkOptions &options;
  llvm::raw_ostream &os, &log;
  mlir::MLIRContext context;
  std::string deviceName, chipName;
  CudaDevice device;
  std::optional<CudaStream> stream;
  std::optional<CudaEvent> start, stop;
  std::unique_ptr<Cublas> cublas;
  std::optional<SpeedOfLight> light;
};

} // namespace

llvm::Error GroupedBenchmark::open() {
  if (llvm::Error error = probeCuda())
    return error;
  KamiCudaDevice *opened = nullptr;
  if (llvm::Error error = check(kamiCudaOpenDevice(0, &opened)))
    return error;
  device.reset(opened);
  KamiCudaDeviceInfo info;
  if (llvm::Error error = check(kamiCudaDescribeDevice(opened, &info)))
    return error;
  deviceName = info.name;
  chipName = "sm_" + std::to_string(info.major * 10 + info.minor);
  llvm::Expected<const Chip *> chip = findChip(chipName);
  if (!chip)
    return chip.takeError();
  stream.emplace(opened);
  start.emplace(opened);
  stop.emplace(opened);
  for (KamiStatus status : {kamiCudaCreateStream(opened, stream->out()),
                            kamiCudaCreateEvent(opened, start->out()),
                            kamiCudaCreateEvent(opened, stop->out())})
    if (llvm::Error error = check(status))
      return error;
  llvm::Expected<std::unique_ptr<Cublas>> found =
      Cublas::open(opened, stream->get());
  if (found)
    cublas = std::move(*found);
  else
    log << "kami-bench: warning: " << llvm::toString(found.takeError())
        << "; its columns stay empty\n";
  light.emplace(opened, **chip, info.multiprocessors, log);
  loadAllDialects(context);
  os << "type,max_mn,max_k,multiple,batch,tile,plan,registers,kami_us,kami_min,"
        "kami_max,grouped_us,streams_us,best_peer,GB/s,TFLOPS,light_us,"
        "of_light,device,cublas_version\n";
  return llvm::Error::success();
}

llvm::Error GroupedBenchmark::load(const Group &group, const Wish &wish,
                                   Loaded &loaded) {
  std::string errors;
  mlir::ScopedDiagnosticHandler handler(
      &context, [&](mlir::Diagnostic &diagnostic) {
        if (diagnostic.getSeverity() == mlir::DiagnosticSeverity::Error)
          errors += (errors.empty() ? "" : "; ") + diagnostic.str();
        return mlir::success();
      });
  GroupedSpec spec;
  spec.products = group.products;
  spec.operand = group.type;
  spec.accumulator = defaultAccumulator(group.type);
  spec.output = storedKind(group.type);
  spec.typical = typicalExtents(group.products);
  auto module = buildModule(&context, spec);
  CompileOptions compileOptions;
  compileOptions.chip = chipName;
  compileOptions.tile = wish.tile;
  compileOptions.stages = wish.stages;
  compileOptions.taken = wish.taken;
  compileOptions.warps = wish.warps;
  compileOptions.unit = wish.unit;
  compileOptions.copies = wish.copies;
  mlir::FailureOr<Compilation> compilation =
      compile(*module, compileOptions, Level::PTX);
  if (failed(compilation))
    return llvm::createStringError("compilation failed: " + errors);
  const Kernel &kernel = compilation->kernels.front();
  loaded.plan = summary(kernel.plan);
  KamiCudaFunctionInfo info;
  for (KamiStatus status :
       {kamiCudaLoadModule(device.get(), kernel.binary.data(),
                           kernel.binary.size(), loaded.module.out()),
        kamiCudaGetFunction(device.get(), loaded.module.get(),
                            kernel.name.c_str(), &loaded.function)})
    if (llvm::Error error = check(status))
      return error;
  if (llvm::Error error =
          check(kamiCudaDescribeFunction(device.get(), loaded.function, &info)))
    return error;
  loaded.registers = info.registers;
  loaded.launch = {{unsigned(*kernel.blocks), 1, 1},
                   {unsigned(kernel.threads), 1, 1},
                   unsigned(kernel.sharedBytes)};
  return llvm::Error::success();
}

llvm::Error GroupedBenchmark::enqueue(const Loaded &loaded,
                                      const GroupOperands &operands,
                                      int64_t set) {
  // Memrefs of rank 1 as the fields of their descriptors.
  llvm::SmallVector<uint64_t, 64> fields;
  auto add = [&](KamiCudaPointer pointer, int64_t size) {
    fields.append({pointer, pointer, 0, uint64_t(size), 1});
  };
  for (unsigned i = 0; i != 3; ++i)
    add(operands.pool(i), operands.poolElements(i));
  for (unsigned i = 0; i != 3; ++i)
    add(operands.positions(i, set), operands.products());
  for (unsigned i = 0; i != 6; ++i)
    add(operands.counts(i), operands.products());
  llvm::SmallVector<void *, 64> arguments;
  for (uint64_t &field : fields)
    arguments.push_back(&field);
  return check(kamiCudaLaunchKernel(device.get(), loaded.function,
                                    &loaded.launch, stream->get(),
                                    arguments.data()));
}

/// Every set once, outside a graph. Returns why it cannot be timed, if so.
llvm::Expected<std::string>
GroupedBenchmark::runOnce(const GroupOperands &operands, double bound,
                          llvm::function_ref<llvm::Error(int64_t)> enqueue) {
  if (llvm::Error error = operands.poison())
    return error;
  for (int64_t set = 0; set != operands.setCount(); ++set)
    if (llvm::Error error = enqueue(set))
      return llvm::toString(std::move(error));
  if (llvm::Error error = check(kamiCudaSynchronize(device.get())))
    return error;
  llvm::Expected<double> worst = operands.largestError();
  if (!worst)
    return worst.takeError();
  if (*worst <= bound)
    return std::string();
  std::string message;
  llvm::raw_string_ostream(message)
      << "wrong result: error " << llvm::format("%.3g", *worst)
      << " of |A||B|, bound " << llvm::format("%.3g", bound);
  return message;
}

/// The operands' bytes without what aligns each matrix, as if they were one
/// matrix each.
llvm::Expected<std::vector<LightContestant>>
GroupedBenchmark::makeLight(const Group &group, const GroupOperands &operands,
                            int64_t launches) {
  auto operandsOf = [&](int64_t set) -> LightOperands {
    return {operands.matrix(0, set, 0),
            operands.matrix(1, set, 0),
            operands.matrix(2, set, 0),
            group.bytes(0),
            group.bytes(1),
            group.bytes(2)};
  };
  return light->contestants({operands.setCount(), launches, operandsOf},
                            clock(), log);
}

llvm::Error GroupedBenchmark::measure(const Group &group) {
  GroupOperands operands(device.get(), group);
  if (llvm::Error error = operands.allocate())
    return error;
  Problem problem;
  problem.extents = {1, 1, group.sizes.mostK};
  problem.operand = group.type;
  problem.accumulator = defaultAccumulator(group.type);
  double bound = errorBound(problem, storedKind(group.type));
  int64_t sets = operands.setCount();
  int64_t launches = llvm::divideCeil(10, sets) * sets;
  std::vector<TimedGraph *> graphs;
  std::deque<TimedGraph> made;
  /// The graph of what is right; null, and a word on the log, of what is not.
  auto add = [&](llvm::StringRef who, double bound,
                 llvm::function_ref<llvm::Error(int64_t)> enqueue)
      -> llvm::Expected<TimedGraph *> {
    llvm::Expected<std::string> wrong = runOnce(operands, bound, enqueue);
    if (!wrong)
      return wrong.takeError();
    if (wrong->empty()) {
      TimedGraph &graph = made.emplace_back(device.get());
      llvm::Error error =
          graph.capture(launches, stream->get(),
                        [&](int64_t launch) { return enqueue(launch % sets); });
      if (!error) {
        graphs.push_back(&graph);
        return &graph;
      }
      *wrong = llvm::toString(std::move(error));
    }
    log << "kami-bench: " << name(group.type) << " " << group.sizes.mostMN
        << "/" << group.sizes.mostK << " batch " << group.batch << " " << who
        << ": " << *wrong << "\n";
    return nullptr;
  };

  struct Entry {
    std::string tile;
    std::unique_ptr<Loaded> loaded;
    TimedGraph *graph = nullptr;
  };
  std::vector<Entry> entries;
  auto time = [&](const Wish &wish) -> llvm::Error {
    Entry entry{wish.tile, std::make_unique<Loaded>(device.get())};
    if (llvm::Error error = load(group, wish, *entry.loaded)) {
      log << "kami-bench: error: " << name(group.type) << ": "
          << llvm::toString(std::move(error)) << "\n";
      right = false;
      return llvm::Error::success();
    }
    llvm::Expected<TimedGraph *> graph = add("kami", bound, [&](int64_t set) {
      return enqueue(*entry.loaded, operands, set);
    });
    if (!graph)
      return graph.takeError();
    entry.graph = *graph;
    right &= *graph != nullptr;
    entries.push_back(std::move(entry));
    return llvm::Error::success();
  };
  for (const std::string &tile : options.tiles)
    for (int64_t stages : options.stages)
      for (int64_t warps : options.warps)
        for (const std::string &unit : options.units)
          for (const std::string &copies : options.copies)
            for (int64_t taken : options.taken)
              if (llvm::Error error =
                      time({tile, stages, warps, unit, copies, taken}))
                return error;
  TimedGraph *peers[2] = {};
  for (bool isGrouped : {true, false}) {
    if (!cublas)
      break;
    CublasGroup peer;
    peer.type = group.type;
    for (const GroupedProduct &product : group.products)
      peer.extents.push_back(product.extents);
    llvm::Expected<TimedGraph *> graph =
        add(isGrouped ? "cuBLAS grouped" : "cuBLAS on streams", 4 * bound,
            [&](int64_t set) {
              if (isGrouped)
                return cublas->multiplyGrouped(peer, operands.addresses(0, set),
                                               operands.addresses(1, set),
                                               operands.addresses(2, set));
              return cublas->multiplyOnStreams(
                  peer, [&](unsigned operand, int64_t product) {
                    return operands.matrix(operand, set, product);
                  });
            });
    if (!graph)
      return graph.takeError();
    peers[isGrouped ? 0 : 1] = *graph;
  }
  llvm::Expected<std::vector<LightContestant>> lights =
      makeLight(group, operands, launches);
  if (!lights)
    return lights.takeError();
  for (const LightContestant &each : *lights)
    graphs.push_back(each.graph.get());
  if (llvm::Error error = takeTurns(graphs, options.repeats, clock()))
    return error;
  LightTime speed;
  if (const LightContestant *best = fastest(*lights)) {
    speed.bytes = best->graph->time().median;
    if (auto rate = operationRate(**findChip(chipName), group.type))
      speed.operations = group.flops() / rate->teraflops / 1e6;
  }
  LaunchTime grouped = peers[0] ? peers[0]->time() : LaunchTime();
  LaunchTime streams = peers[1] ? peers[1]->time() : LaunchTime();
  double best = grouped.median > 0 && streams.median > 0
                    ? std::min(grouped.median, streams.median)
                    : std::max(grouped.median, streams.median);
  for (const Entry &entry : entries) {
    if (!entry.graph)
      continue;
    LaunchTime kami = entry.graph->time();
    auto number = [](double value) {
      return value > 0 ? llvm::formatv("{0:f3}", value).str() : std::string();
    };
    os << name(group.type) << "," << group.sizes.mostMN << ","
       << group.sizes.mostK << "," << group.multiple << "," << group.batch
       << "," << entry.tile << "," << quotedCell(entry.loaded->plan) << ","
       << entry.loaded->registers << "," << number(kami.median) << ","
       << number(kami.least) << "," << number(kami.most) << ","
       << number(grouped.median) << "," << number(streams.median) << ","
       << number(best / kami.median) << ","
       << number(group.bytes() / kami.median / 1e3) << ","
       << number(group.flops() / kami.median / 1e6) << ","
       << number(speed.microseconds()) << ","
       << number(speed.microseconds() / kami.median) << ","
       << quotedCell(deviceName) << "," << (cublas ? cublas->version() : "")
       << "\n";
    os.flush();
  }
  return llvm::Error::success();
}

/// The same products on every machine.
static Group drawGroup(ElementKind type, const GroupedSizes &sizes,
                       int64_t batch, int64_t multiple) {
  Group group{type, sizes, batch, multiple, {}};
  std::mt19937_64 random(uint64_t(sizes.mostMN) * 1000003 + sizes.mostK * 101 +
                         batch * 7 + multiple);
  auto draw = [&](int64_t most) {
    int64_t steps = std::max<int64_t>(most / multiple, 1);
    return (1 + int64_t(random() % uint64_t(steps))) * multiple;
  };
  for (int64_t i = 0; i != batch; ++i) {
    GroupedProduct &product = group.products.emplace_back();
    product.extents.m = draw(sizes.mostMN);
    product.extents.n = draw(sizes.mostMN);
    product.extents.k = draw(sizes.mostK);
    product.leading = packedLeading(product.extents, false, false);
  }
  return group;
}

llvm::Expected<bool>
kami::runGroupedBenchmark(const GroupedBenchmarkOptions &options,
                          llvm::raw_ostream &os, llvm::raw_ostream &log) {
  GroupedBenchmark benchmark(options, os, log);
  if (llvm::Error error = benchmark.open())
    return error;
  for (ElementKind type : options.types)
    for (int64_t multiple : options.multiples)
      for (const GroupedSizes &sizes : options.sizes)
        for (int64_t batch : options.batches)
          if (llvm::Error error =
                  benchmark.measure(drawGroup(type, sizes, batch, multiple)))
            return error;
  return benchmark.right;
}
