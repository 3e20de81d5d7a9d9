//===- VulkanDevice.cpp - A chip as a Vulkan device describes itself ------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Target/VulkanDevice.h"
#include "Tables.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include <deque>
#include <mutex>

using namespace kami;

//===----------------------------------------------------------------------===//
// JSON
//===----------------------------------------------------------------------===//

llvm::json::Object kami::toJSON(const VulkanDescription &device) {
  llvm::json::Array matrices;
  for (const VulkanDescription::Matrix &matrix : device.matrices)
    matrices.push_back(llvm::json::Object{
        {"shape", llvm::formatv("{0}x{1}x{2}", matrix.shape.m, matrix.shape.n,
                                matrix.shape.k)
                      .str()},
        {"type", name(matrix.operand).str()},
        {"accumulator", name(matrix.accumulator).str()},
    });
  return llvm::json::Object{
      {"name", device.name},
      {"driver", device.driver},
      {"subgroup_size", device.subgroupSize},
      {"lockstep_subgroups", device.hasLockstepSubgroups},
      {"shared_bytes", device.sharedBytes},
      {"max_threads", device.maxThreads},
      {"max_blocks", device.maxBlocks},
      {"matrices", std::move(matrices)},
  };
}

/// "8x16x16"
static bool parseShape(llvm::StringRef text, Extents &shape) {
  auto read = [&](int64_t &extent) {
    return !text.consumeInteger(10, extent) && extent > 0;
  };
  return read(shape.m) && text.consume_front("x") && read(shape.n) &&
         text.consume_front("x") && read(shape.k) && text.empty();
}

namespace kami {
/// For `llvm::json::fromJSON`, which finds it by the argument's namespace.
static bool fromJSON(const llvm::json::Value &value,
                     VulkanDescription::Matrix &matrix, llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  std::string shape, type, accumulator;
  if (!mapper || !mapper.map("shape", shape) || !mapper.map("type", type) ||
      !mapper.map("accumulator", accumulator))
    return false;
  if (!parseShape(shape, matrix.shape)) {
    path.field("shape").report("expected MxNxK");
    return false;
  }
  for (auto [key, text, kind] :
       {std::tuple("type", &type, &matrix.operand),
        std::tuple("accumulator", &accumulator, &matrix.accumulator)}) {
    std::optional<ElementKind> parsed = parseElementKind(*text);
    if (!parsed) {
      path.field(key).report("expected the name of a type");
      return false;
    }
    *kind = *parsed;
  }
  return true;
}

static bool fromJSON(const llvm::json::Value &value, VulkanDescription &device,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  auto count = [&](llvm::StringLiteral key, int64_t &number) {
    if (!mapper.map(key, number))
      return false;
    if (number > 0)
      return true;
    path.field(key).report("expected a positive number");
    return false;
  };
  return mapper && mapper.map("name", device.name) &&
         mapper.mapOptional("driver", device.driver) &&
         count("subgroup_size", device.subgroupSize) &&
         mapper.mapOptional("lockstep_subgroups",
                            device.hasLockstepSubgroups) &&
         count("shared_bytes", device.sharedBytes) &&
         count("max_threads", device.maxThreads) &&
         count("max_blocks", device.maxBlocks) &&
         mapper.map("matrices", device.matrices);
}
} // namespace kami

llvm::Expected<VulkanDescription>
kami::parseVulkanDevice(llvm::StringRef text) {
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  if (!value)
    return value.takeError();
  VulkanDescription device;
  llvm::json::Path::Root root("device");
  if (!fromJSON(*value, device, root))
    return root.getError();
  return device;
}

llvm::Expected<VulkanDescription> kami::readVulkanDevice(llvm::StringRef path) {
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> file =
      llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  llvm::Expected<VulkanDescription> device =
      parseVulkanDevice((*file)->getBuffer());
  if (!device)
    return llvm::createStringError(
        "expected the description of a Vulkan device in '" + path +
        "': " + llvm::toString(device.takeError()));
  return device;
}

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

namespace {
/// A chip with what it refers to.
struct DescribedChip {
  std::string name;
  VulkanDescription device;
  std::string source;
  std::vector<AtomRate> rates;
  std::vector<Citation> citations;
  Chip chip = {};

  DescribedChip(llvm::StringRef name, const VulkanDescription &described);
};

/// All that were described; a chip never moves.
struct DescribedChips {
  std::mutex mutex;
  std::deque<DescribedChip> chips;

  const Chip *find(llvm::StringRef name) {
    for (const DescribedChip &one : chips)
      if (one.name == name)
        return &one.chip;
    return nullptr;
  }
};
} // namespace

static DescribedChips &describedChips() {
  static DescribedChips all;
  return all;
}

/// Operations per cycle of a matrix unit, which no device says: as for the chip
/// `vulkan`, narrower elements in proportion, and products that are smaller
/// than others of their types in proportion, too, since an instruction takes
/// its time.
static double assumedRate(const VulkanDescription &device,
                          const VulkanDescription::Matrix &matrix) {
  auto operations = [](const Extents &shape) {
    return double(shape.m) * shape.n * shape.k;
  };
  double most = 0;
  for (const VulkanDescription::Matrix &other : device.matrices)
    if (other.operand == matrix.operand &&
        other.accumulator == matrix.accumulator)
      most = std::max(most, operations(other.shape));
  return 512.0 / byteWidth(matrix.operand) * operations(matrix.shape) / most;
}

DescribedChip::DescribedChip(llvm::StringRef chipName,
                             const VulkanDescription &described)
    : name(chipName), device(described),
      source(device.name + (device.driver.empty() ? "" : ", ") + device.driver +
             ", by its own account") {
  static constexpr llvm::StringLiteral guess =
      "an estimate; the device says nothing of speed";
  for (const VulkanDescription::Matrix &matrix : device.matrices) {
    const Atom *atom = cooperativeMatrix(
        matrix.shape, matrix.operand, matrix.accumulator, device.subgroupSize);
    rates.push_back({atom->name, assumedRate(device, matrix), 1.0,
                     Provenance::Assumed, guess});
  }
  citations.push_back({"warp size, threads, blocks, shared memory, matrices",
                       Provenance::Measured, source});
  citations.push_back({"everything else", Provenance::Assumed, guess});
  chip = vulkanFamily();
  chip.name = name;
  chip.product = device.name;
  chip.warpSize = device.subgroupSize;
  chip.lockstepWarps = device.hasLockstepSubgroups;
  chip.maxThreadsPerBlock = device.maxThreads;
  chip.maxThreadsPerMultiprocessor =
      std::max(chip.maxThreadsPerMultiprocessor, device.maxThreads);
  chip.maxBlocks = device.maxBlocks;
  chip.sharedPerBlock = device.sharedBytes;
  chip.sharedPerMultiprocessor =
      std::max(chip.sharedPerMultiprocessor, device.sharedBytes);
  chip.atoms = rates;
  chip.citations = citations;
}

llvm::Expected<const Chip *>
kami::addVulkanChip(llvm::StringRef name, const VulkanDescription &device) {
  if (device.matrices.empty())
    return llvm::createStringError("the device " + device.name +
                                   " has no cooperative matrices of types that "
                                   "kami multiplies");
  if (!llvm::isPowerOf2_64(device.subgroupSize))
    return llvm::createStringError(
        "expected subgroups of a power of two invocations, but " + device.name +
        " has " + llvm::Twine(device.subgroupSize));
  DescribedChips &all = describedChips();
  std::lock_guard<std::mutex> lock(all.mutex);
  if (const Chip *known = all.find(name))
    return known;
  return &all.chips.emplace_back(name, device).chip;
}

const Chip *kami::findVulkanChip(llvm::StringRef name) {
  DescribedChips &all = describedChips();
  std::lock_guard<std::mutex> lock(all.mutex);
  return all.find(name);
}
