//===- TritonKernels.cpp --------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TritonKernels.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include <climits>

using namespace kami;

// llvm::json finds these by the types of their arguments.
namespace kami {

static bool fromJSON(const llvm::json::Value &value, ElementKind &type,
                     llvm::json::Path path) {
  std::string spelling;
  if (!llvm::json::fromJSON(value, spelling, path))
    return false;
  std::optional<ElementKind> parsed = parseElementKind(spelling);
  if (!parsed) {
    path.report("expected the name of a type");
    return false;
  }
  type = *parsed;
  return true;
}

static bool fromJSON(const llvm::json::Value &value, TritonParameter &parameter,
                     llvm::json::Path path) {
  std::string spelling;
  if (!llvm::json::fromJSON(value, spelling, path))
    return false;
  for (auto [name, known] :
       {std::pair("a", TritonParameter::A), std::pair("b", TritonParameter::B),
        std::pair("c", TritonParameter::C),
        std::pair("null", TritonParameter::Null)})
    if (spelling == name) {
      parameter = known;
      return true;
    }
  path.report("expected 'a', 'b', 'c' or 'null'");
  return false;
}

/// A number from `least` on that a launch can have.
static bool mapCount(llvm::json::ObjectMapper &mapper, llvm::StringLiteral name,
                     int64_t least, int64_t &count, llvm::json::Path path) {
  if (!mapper.map(name, count))
    return false;
  if (count >= least && count <= INT_MAX)
    return true;
  path.field(name).report("expected another number");
  return false;
}

static bool fromJSON(const llvm::json::Value &value, TritonKernel &kernel,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("type", kernel.type) &&
         mapCount(mapper, "n", 1, kernel.n, path) &&
         mapper.map("name", kernel.name) && mapper.map("file", kernel.file) &&
         mapCount(mapper, "shared", 0, kernel.sharedBytes, path) &&
         mapCount(mapper, "threads", 1, kernel.threads, path) &&
         mapCount(mapper, "blocks_per_product", 1, kernel.blocksPerProduct,
                  path) &&
         mapper.map("parameters", kernel.parameters) &&
         mapper.mapOptional("setting", kernel.setting);
}

static bool fromJSON(const llvm::json::Value &value, TritonKernels &kernels,
                     llvm::json::Path path) {
  llvm::json::ObjectMapper mapper(value, path);
  return mapper && mapper.map("triton", kernels.version) &&
         mapper.map("kernels", kernels.kernels);
}

} // namespace kami

llvm::Expected<TritonKernels> TritonKernels::load(llvm::StringRef folder) {
  llvm::SmallString<128> path(folder);
  llvm::sys::path::append(path, "index.json");
  auto file = llvm::MemoryBuffer::getFile(path);
  if (!file)
    return llvm::createStringError("cannot read '" + path +
                                   "': " + file.getError().message());
  auto complain = [&](llvm::Error error) {
    return llvm::createStringError(path + ": " +
                                   llvm::toString(std::move(error)));
  };
  llvm::Expected<llvm::json::Value> value =
      llvm::json::parse((*file)->getBuffer());
  if (!value)
    return complain(value.takeError());
  TritonKernels kernels;
  llvm::json::Path::Root root("index");
  if (!fromJSON(*value, kernels, root))
    return complain(root.getError());
  kernels.folder = folder.str();
  return kernels;
}
