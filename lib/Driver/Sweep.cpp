//===- Sweep.cpp - Random problems with random plans ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SweepCases.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Layout/HalfTiles.h"
#include "kami/Layout/SliceAhead.h"
#include "kami/Plan/Explain.h"
#include "kami/Plan/Verify.h"
#include "llvm/Support/MathExtras.h"

using namespace kami;
using namespace mlir;

namespace {

struct SweepCase {
  GemmSpec spec;
  Plan plan;
  RunOptions run;
};

class Sweep : public SweepCases<SweepCase> {
public:
  using SweepCases::SweepCases;

private:
  int64_t drawExtent() { return draw.extent(options.maxExtent); }
  Extents drawExtents();
  MatrixStrides drawStrides(int64_t rows, int64_t columns);
  void drawTypes(GemmSpec &spec, const Chip &chip);
  GemmSpec drawSpec(int64_t number, const Chip &chip);
  void makePackable(GemmSpec &spec);
  std::optional<Plan> drawPack(const Problem &problem, const Chip &chip);
  Interleave drawInterleave(const Plan &plan);
  llvm::Expected<SweepCase> drawCase(int64_t number, const Chip &chip) override;
  llvm::Expected<RunResult> runOn(const SweepCase &one,
                                  DeviceKind device) override;
  std::string checkTraffic(const SweepCase &one,
                           const sim::SimulatorReport &report) override;
  void print(int64_t number, const SweepCase &one) override;
};

} // namespace

//===----------------------------------------------------------------------===//
// Drawing
//===----------------------------------------------------------------------===//

/// Every fourth product is tall, wide or deep.
Extents Sweep::drawExtents() {
  Extents extents{drawExtent(), drawExtent(), drawExtent()};
  int64_t small = 1 + below(8);
  switch (below(12)) {
  case 0:
    extents.n = extents.k = small;
    break;
  case 1:
    extents.m = extents.k = small;
    break;
  case 2:
    extents.m = extents.n = small;
    extents.k = std::min<int64_t>(4 * options.maxExtent, 64 + below(500));
    break;
  }
  return extents;
}

/// Gaps between elements, rows and products, in either order of dimensions.
MatrixStrides Sweep::drawStrides(int64_t rows, int64_t columns) {
  MatrixStrides strides;
  strides.offset = below(20);
  bool columnMajor = below(2);
  int64_t inner = draw.pick<int64_t>({1, 1, 1, 2, 3});
  int64_t outer = inner * (columnMajor ? rows : columns) + below(9);
  strides.row = columnMajor ? inner : outer;
  strides.column = columnMajor ? outer : inner;
  strides.batch = outer * (columnMajor ? columns : rows) + below(30);
  return strides;
}

/// Sizes that every algorithm multiplies in every type: 1, primes, multiples
/// and others, tall, wide and deep, and without terms.
static constexpr Extents everyTime[] = {
    {1, 1, 1},    {1, 7, 5},    {16, 16, 16}, {17, 13, 19}, {31, 1, 64},
    {50, 37, 23}, {64, 64, 64}, {128, 5, 16}, {3, 130, 9},  {8, 8, 300},
    {97, 61, 33}, {96, 48, 80}, {40, 24, 0}};
static constexpr Algorithm algorithms[] = {Algorithm::OneD, Algorithm::TwoD,
                                           Algorithm::ThreeD};

/// Whether the chip multiplies elements of these types, as they are or wider.
static bool hasAtom(const Chip &chip, ElementKind a, ElementKind b,
                    ElementKind accumulator) {
  return !chip.atomsFor(a, b, accumulator).empty() ||
         !chip.atomsFor(widened(a).value_or(a), widened(b).value_or(b),
                        accumulator)
              .empty();
}

/// The types of B and C that go with A's.
void Sweep::drawTypes(GemmSpec &spec, const Chip &chip) {
  spec.accumulator = spec.output = defaultAccumulator(spec.operand);
  spec.isComplex = options.complexNumbers;
  if (spec.isComplex) {
    spec.alphaImaginary = draw.pick({0.0, 0.0, 1.0, -2.0});
    spec.betaImaginary = draw.pick({0.0, 0.0, 3.0, -1.0});
    spec.conjugateA = below(3) == 0;
    spec.conjugateB = below(3) == 0;
    return;
  }
  bool isNarrowed = below(3) == 0;
  if (byteWidth(spec.operand) < byteWidth(spec.accumulator) &&
      !isInteger(spec.operand) && isNarrowed)
    spec.output = spec.operand;
  ElementKind other = spec.operand;
  for (ElementKind kind : allElementKinds())
    if (kind != spec.operand && canMultiply(spec.operand, kind) &&
        hasAtom(chip, spec.operand, kind, spec.accumulator))
      other = kind;
  if (other != spec.operand && below(3) == 0)
    spec.otherOperand = other;
}

GemmSpec Sweep::drawSpec(int64_t number, const Chip &chip) {
  GemmSpec spec;
  spec.extents = drawExtents();
  int64_t types = options.types.size();
  spec.operand = options.types[below(types)];
  if (int64_t size = number / (3 * types);
      size < int64_t(std::size(everyTime))) {
    spec.extents = everyTime[size];
    spec.operand = options.types[number / 3 % types];
  }
  drawTypes(spec, chip);
  if (below(4) == 0)
    spec.batch = below(10) == 0 ? 0 : 1 + below(3);
  spec.transposeA = below(3) == 0;
  spec.transposeB = below(3) == 0;
  spec.alpha = draw.pick({1.0, 1.0, -1.0, 2.0});
  spec.beta = isInteger(spec.accumulator)
                  ? draw.pick({0.0, 0.0, 1.0, -2.0, 3.0})
                  : draw.pick({0.0, 0.0, 1.0, -0.5, 3.0});
  auto [m, n, k] = spec.extents;
  if (below(2))
    spec.strideA =
        drawStrides(spec.transposeA ? k : m, spec.transposeA ? m : k);
  if (below(2))
    spec.strideB =
        drawStrides(spec.transposeB ? n : k, spec.transposeB ? k : n);
  if (below(2))
    spec.strideC = drawStrides(m, n);
  if (!spec.isComplex && below(3) == 0)
    spec.epilogue = {below(2) == 0, below(2) == 0, below(2) == 0,
                     below(2) == 0};
  if (options.layers)
    spec.layers = {1 + below(5), 1 + below(k + 2)};
  return spec;
}

/// Small products that follow each other, in matrices without gaps, if maybe
/// with gaps between them.
void Sweep::makePackable(GemmSpec &spec) {
  constexpr int64_t largest = 40, most = 60;
  for (int64_t Extents::*extent : {&Extents::m, &Extents::n, &Extents::k})
    spec.extents.*extent = 1 + below(std::min(largest, options.maxExtent));
  spec.batch = 1 + below(most);
  spec.epilogue = {};
  auto [m, n, k] = spec.extents;
  auto strides = [&](int64_t rows, int64_t columns, bool swaps) {
    std::optional<MatrixStrides> strides;
    if (below(2))
      return strides;
    strides.emplace();
    strides->offset = draw.pick({0, 0, 8, 3});
    strides->batch = rows * columns + draw.pick({0, 0, 8, 1});
    bool columnMajor = swaps && below(2);
    strides->row = columnMajor ? 1 : columns;
    strides->column = columnMajor ? rows : 1;
    return strides;
  };
  spec.strideA =
      strides(spec.transposeA ? k : m, spec.transposeA ? m : k, true);
  spec.strideB =
      strides(spec.transposeB ? n : k, spec.transposeB ? k : n, true);
  spec.strideC = strides(m, n, false);
}

/// A pack of lanes' or warps' products; nothing where it does not fit.
std::optional<Plan> Sweep::drawPack(const Problem &problem, const Chip &chip) {
  ElementKind a = problem.operand, b = problem.operandB();
  auto atoms = chip.laneAtomsFor(a, b, problem.accumulator);
  llvm::append_range(atoms, chip.atomsFor(a, b, problem.accumulator));
  // What is extended when it is loaded has no atom of its own.
  if (atoms.empty())
    return std::nullopt;
  Plan plan;
  plan.atom = atoms[below(atoms.size())].atom;
  plan.transport = Transport::Copied;
  plan.tile = problem.extents;
  plan.slices.k = plan.atom->shape.k;
  plan.teams = 1 + below(20);
  plan.relaysC = below(5) != 0;
  if (plan.atom->isLane()) {
    plan.grid.m = llvm::divideCeil(problem.extents.m, 1 + below(8));
    plan.rounds = 1 + std::max<int64_t>(below(6) - 3, 0);
  } else
    plan.slices.k *= 1 + below(2);
  bool fits = plan.isPacked() && !findMisfit(plan, problem, chip);
  return fits ? std::optional(plan) : std::nullopt;
}

/// Groups of tiles that no access asks for.
Interleave Sweep::drawInterleave(const Plan &plan) {
  Partition partition = plan.partition();
  const Extents &atom = plan.atom->shape;
  auto group = [&](int64_t tiles) {
    int64_t size = below(tiles + 1);
    return size > 0 && tiles % size != 0 ? 0 : size;
  };
  Interleave groups = {group(partition.warpM / atom.m),
                       group(partition.warpN / atom.n),
                       group(partition.sliceK / atom.k)};
  OperandMaps maps = {findFragmentMap(plan.atom->mapA),
                      findFragmentMap(plan.atom->mapB)};
  if (!maps.a || !maps.b)
    return {};
  if (!canInterleaveK(maps))
    groups.k = 0;
  return groups;
}

llvm::Expected<SweepCase> Sweep::drawCase(int64_t number, const Chip &chip) {
  SweepCase one;
  one.spec = drawSpec(number, chip);
  // SPIR-V has no floats of 8 bits, and extents of 0 become some that are known
  // only at run time.
  if (chip.spirv != SpirvFlavor::None) {
    one.spec.otherOperand.reset();
    one.spec.extents.k = std::max<int64_t>(one.spec.extents.k, 1);
  }
  Problem problem;
  bool mayBePack = !one.spec.isComplex && !one.spec.layers;
  if (mayBePack && below(6) == 0) {
    makePackable(one.spec);
    problem.packable = *one.spec.batch;
  }
  // There is no plan for what is empty: any goes.
  auto atLeastOne = [](int64_t extent) { return std::max<int64_t>(extent, 1); };
  auto [m, n, k] = one.spec.extents;
  problem.extents = {atLeastOne(m), atLeastOne(n), atLeastOne(k)};
  problem.operand = one.spec.operand;
  problem.otherOperand = one.spec.otherOperand;
  problem.accumulator = one.spec.accumulator;
  problem.output = one.spec.output;
  problem.isComplex = one.spec.isComplex;
  problem.batch = atLeastOne(one.spec.batch.value_or(1));
  problem.hasLayers = one.spec.layers.has_value();
  // Layers of run time are for grids of one.
  problem.algorithm = algorithms[number % (problem.hasLayers ? 2 : 3)];
  problem.majorA = problem.majorB = std::nullopt;
  if (!problem.isComplex) {
    problem.majorA = one.spec.transposeA ? Major::MN : Major::K;
    problem.majorB = one.spec.transposeB ? Major::K : Major::MN;
  }
  // Warp groups have operands of 16 bits or of tf32, and no layers.
  bool suitsGroups =
      byteWidth(problem.operand) == 2 || problem.operand == ElementKind::TF32;
  bool wantsGroups =
      suitsGroups && problem.algorithm == Algorithm::OneD && below(3) == 0;
  if (wantsGroups)
    problem.unit = Unit::WarpGroup;
  llvm::Expected<Plan> plan = drawPlan(problem, chip);
  if (!plan && wantsGroups) {
    llvm::consumeError(plan.takeError());
    problem.unit = std::nullopt;
    plan = drawPlan(problem, chip);
  }
  if (!plan)
    return plan.takeError();
  one.plan = *plan;
  if (problem.packable > 0)
    if (std::optional<Plan> pack = drawPack(problem, chip))
      one.plan = *pack;
  bool isCopied = one.plan.transport == Transport::Copied;
  if (!isCopied && !problem.isComplex && below(2))
    one.plan.interleave = drawInterleave(one.plan);
  bool isSingle = !isCopied && one.plan.unit() == Unit::Warp &&
                  one.plan.grid.warps() == 1 &&
                  one.plan.slices.sharedA + one.plan.slices.sharedB == 0;
  if (isSingle && mayBePack)
    one.plan.teams = 1 + below(5);
  // Fewer blocks than tiles, now and then; more often where there is more to
  // get wrong.
  if (below(isCopied ? 2 : 4) == 0)
    one.plan.blocks = 1 + below(3);
  if (isCopied && !one.plan.isPacked()) {
    drawStages(draw, one.plan, problem, chip);
    drawStationary(draw, one.plan, problem, chip);
  }
  one.run = drawRun(number);
  if (one.spec.beta == 0 && one.spec.betaImaginary == 0)
    one.run.poisoned.push_back(2);
  return one;
}

//===----------------------------------------------------------------------===//
// Judging
//===----------------------------------------------------------------------===//

llvm::Expected<RunResult> Sweep::runOn(const SweepCase &one,
                                       DeviceKind device) {
  OwningOpRef<ModuleOp> module = buildModule(&context, one.spec);
  return runModule(*module, one.run, one.plan, device);
}

/// How many of the columns or rows of warps of all tiles along an extent have
/// some of it.
static int64_t warpsAlong(int64_t extent, int64_t tile, int64_t warp) {
  int64_t whole = extent / tile * llvm::divideCeil(tile, warp);
  return whole + llvm::divideCeil(extent % tile, warp);
}

/// What the blocks of a product do not read which leave out half of their tile,
/// of so much for each whole one: half of A where that is rows, else of B.
static int64_t leftOut(const Extents &extents, const Partition &partition,
                       const Extents &instruction, int64_t ofBlock) {
  int64_t lines = partition.warpM + partition.warpN;
  int64_t halfOfA = ofBlock / lines * partition.warpM / 2;
  int64_t halfOfB = ofBlock / lines * partition.warpN / 2;
  auto [inRows, inColumns] = halvedTiles(extents, partition, instruction);
  return inRows * halfOfA + inColumns * halfOfB;
}

/// What the simulator counted against what the plan says.
std::string Sweep::checkTraffic(const SweepCase &one,
                                const sim::SimulatorReport &report) {
  const Plan &plan = one.plan;
  const Extents &extents = one.spec.extents;
  // Each layer's pieces have tiles of their own.
  if (extents.k == 0 || one.spec.layers)
    return "";
  Partition partition = plan.partition();
  int64_t kTiles = (extents.k + plan.tile.k - 1) / plan.tile.k;
  ElementBytes bytes{byteWidth(plan.atom->operand),
                     byteWidth(plan.atom->accumulator)};
  SharedTraffic traffic =
      blockTraffic(partition, plan.slices, bytes, kTiles, plan.exchange());
  // Of complex numbers, a block takes four products, which read each part of A
  // and B twice.
  int64_t reads = one.spec.isComplex ? 2 : 1;
  int64_t blocks = reads * reads *
                   ((extents.m + plan.tile.m - 1) / plan.tile.m) *
                   ((extents.n + plan.tile.n - 1) / plan.tile.n) *
                   one.spec.batch.value_or(1);
  // Copies are of elements as they lie in device memory, and what is copied by
  // eight lanes may begin in one line and end in the next. Pieces of 16 bytes
  // that arrive in parts meet in a bank: four words of such, and one more where
  // lines end within the 128 bytes that all banks have.
  bool isCopied = plan.transport == Transport::Copied;
  bool widensCopies =
      isCopied && plan.widens(one.spec.operand, one.spec.operandB());
  int64_t width = byteWidth(one.spec.operand);
  bool endsWithin =
      llvm::any_of(std::array{plan.tile.m, plan.tile.n, plan.tile.k},
                   [&](int64_t extent) { return extent * width % 128 != 0; });
  int64_t conflicts = !isCopied ? 1 : width == 1 ? 8 : width == 2 ? 2 : 4;
  if (isCopied && width == 4 && endsWithin)
    ++conflicts;
  int64_t planned = traffic.read * blocks;
  // Lanes multiply, and read, nothing where a warp's part has no element of C.
  if (isCopied && plan.atom->instruction == Instruction::Fma) {
    int64_t inside = warpsAlong(extents.m, plan.tile.m, partition.warpM) *
                     warpsAlong(extents.n, plan.tile.n, partition.warpN) *
                     reads * reads * one.spec.batch.value_or(1);
    int64_t ofWarp = traffic.readParked / (partition.grid.m * partition.grid.n);
    planned += ofWarp * inside - traffic.readParked * blocks;
  }
  // Products in turn neither have a slice ahead nor leave out half a tile.
  bool isInTurn = plan.prefetches && blocks > reads * reads * plan.blocks;
  if (isCopied && plan.atom->instruction == Instruction::MmaSync &&
      plan.atom->operand == ElementKind::F64 && !isInTurn) {
    int64_t ofBlock = traffic.readParked;
    // Warps that have a slice ahead do not read those of the last tile that
    // have no terms.
    if (isSliceAhead(partition, plan.stages, extents.k)) {
      int64_t terms = extents.k - (kTiles - 1) * plan.tile.k;
      int64_t slices = partition.paddedK() / partition.sliceK;
      int64_t spare = slices - llvm::divideCeil(terms, partition.sliceK);
      ofBlock -= traffic.readParked / kTiles / slices * spare;
    }
    planned -= (traffic.readParked - ofBlock) * blocks;
    if (!one.spec.epilogue)
      planned -= one.spec.batch.value_or(1) * reads * reads *
                 leftOut(extents, partition, plan.atom->shape, ofBlock);
  }
  // The last of several tiles of k may have fewer slices in it, but moves them.
  // So have matrices for the matrix unit their rows of a swizzle pattern.
  // Skewed rows are read and written once more. Tickets are traffic, too.
  bool isForUnit = isCopied && plan.unit() == Unit::WarpGroup;
  if (widensCopies || plan.relaysC || plan.isPacked() || isForUnit ||
      plan.skewed || plan.taken > 0)
    return "";
  // Cooperative matrices go through shared memory where their elements matter,
  // too.
  auto isRight = [&](int64_t counted, int64_t planned) {
    return plan.atom->isOpaque() ? counted >= planned : counted == planned;
  };
  if (!isRight(report.shared.written, traffic.written * blocks) ||
      !isRight(report.shared.read, planned))
    return llvm::formatv(
        "shared memory: {0} bytes written and {1} read, the plan says "
        "{2} and {3}",
        report.shared.written, report.shared.read, traffic.written * blocks,
        planned);
  // Which lane has which element of an opaque matrix is the simulator's choice.
  if (!plan.atom->isOpaque() && report.maxBankConflict > conflicts)
    return llvm::formatv("{0}-way bank conflicts", report.maxBankConflict);
  // A block of several tiles reads for each.
  if (plan.blocks > 0)
    return "";
  // Every warp reads what its part of an epilogue needs; A, B and C are shared.
  constexpr llvm::StringLiteral shared[] = {"argument 0", "argument 1",
                                            "argument 2"};
  for (const sim::BufferTraffic &buffer : report.buffers)
    if (buffer.maxReadsPerByte > reads &&
        llvm::is_contained(shared, buffer.name))
      return llvm::formatv("{0} is read {1} times by one block", buffer.name,
                           buffer.maxReadsPerByte);
  return "";
}

static void printStrides(llvm::raw_ostream &os, llvm::StringRef name,
                         const std::optional<MatrixStrides> &strides) {
  if (strides)
    os << " " << name << "=[" << strides->batch << "," << strides->row << ","
       << strides->column << "]+" << strides->offset;
}

void Sweep::print(int64_t number, const SweepCase &one) {
  const GemmSpec &spec = one.spec;
  os << "case " << number << ": " << spec.extents.m << "x" << spec.extents.n
     << "x" << spec.extents.k << " batch " << spec.batch.value_or(1) << " "
     << (spec.isComplex ? "complex " : "")
     << names(spec.operand, spec.operandB()) << " -> " << name(spec.output)
     << (spec.conjugateA ? " conj A" : "") << (spec.conjugateB ? " conj B" : "")
     << (spec.transposeA ? " A^T" : "") << (spec.transposeB ? " B^T" : "")
     << " alpha " << spec.alpha << "+" << spec.alphaImaginary << "i beta "
     << spec.beta << "+" << spec.betaImaginary << "i";
  os << spec.epilogue.str();
  if (spec.layers)
    os << " layers (" << spec.layers->front() << ", " << spec.layers->back()
       << ")";
  printStrides(os, "A", spec.strideA);
  printStrides(os, "B", spec.strideB);
  printStrides(os, "C", spec.strideC);
  os << (one.run.inputs == InputKind::Integers ? " integers" : " random")
     << " | " << summary(one.plan) << " | " << toAttribute(&context, one.plan)
     << "\n";
  os.flush();
}

llvm::Expected<SweepResult> kami::runSweep(const SweepOptions &options,
                                           llvm::raw_ostream &os) {
  for (ElementKind type : options.types)
    if (options.complexNumbers &&
        (isInteger(type) || byteWidth(type) < byteWidth(ElementKind::F32)))
      return llvm::createStringError(
          "expected --types of tf32, tf32x3, f32 and f64 with --complex, but "
          "got '" +
          name(type).str() + "'");
  return Sweep(options, os).run();
}
