//===- Probes.cpp - Kernels that measure one figure each --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// Compilers know neither what the input holds nor how often to repeat, and what
// is loaded ends in the output, so that nothing measured can be left out.
//
//===----------------------------------------------------------------------===//

#include "Probes.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/ErrorHandling.h"

using namespace kami;

/// Before and after every body. `%tid` is the thread, `%gid` it among all, and
/// `%threads` all of them.
static constexpr llvm::StringLiteral prologue = R"(
  gpu.module @probe_module {
    gpu.func @probe(%in: memref<?xi32>, %out: memref<?xi32>, %count: index,
                    %repeats: index)
        workgroup(%shared: memref<4096xi32, #gpu.address_space<workgroup>>)
        kernel {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %c32 = arith.constant 32 : index
      %mask = arith.constant 4095 : index
      %tid = gpu.thread_id x
      %bid = gpu.block_id x
      %width = gpu.block_dim x
      %blocks = gpu.grid_dim x
      %base = arith.muli %bid, %width : index
      %gid = arith.addi %base, %tid : index
      %threads = arith.muli %blocks, %width : index
)";
static constexpr llvm::StringLiteral epilogue = R"(
      gpu.return
    }
  }
}
)";

static constexpr llvm::StringLiteral barrierBody = R"(
      scf.for %i = %c0 to %repeats step %c1 {
        gpu.barrier
      }
)";

/// The input's zeros go to shared memory first: then every load gives place 0.
static constexpr llvm::StringLiteral sharedLatencyBody = R"(
      %first = memref.load %in[%tid] : memref<?xi32>
      memref.store %first, %shared[%tid]
          : memref<4096xi32, #gpu.address_space<workgroup>>
      gpu.barrier
      %last = scf.for %i = %c0 to %repeats step %c1
          iter_args(%place = %first) -> (i32) {
        %index = arith.index_cast %place : i32 to index
        %next = memref.load %shared[%index]
            : memref<4096xi32, #gpu.address_space<workgroup>>
        scf.yield %next : i32
      }
      memref.store %last, %out[%gid] : memref<?xi32>
)";

/// Each repeat reads other places, lane beside lane.
static constexpr llvm::StringLiteral sharedBandwidthBody = R"(
      scf.for %i = %tid to %mask step %width {
        %value = memref.load %in[%i] : memref<?xi32>
        memref.store %value, %shared[%i]
            : memref<4096xi32, #gpu.address_space<workgroup>>
      }
      gpu.barrier
      %zero = arith.constant dense<0> : vector<4xi32>
      %sum = scf.for %i = %c0 to %repeats step %c1
          iter_args(%old = %zero) -> (vector<4xi32>) {
        %ahead = arith.muli %i, %c32 : index
        %lane = arith.addi %tid, %ahead : index
        %element = arith.muli %lane, %c4 : index
        %place = arith.andi %element, %mask : index
        %value = vector.load %shared[%place] {alignment = 16}
            : memref<4096xi32, #gpu.address_space<workgroup>>, vector<4xi32>
        %new = arith.addi %old, %value : vector<4xi32>
        scf.yield %new : vector<4xi32>
      }
      %single = vector.reduction <add>, %sum : vector<4xi32> into i32
      memref.store %single, %out[%gid] : memref<?xi32>
)";

/// In each repeat a thread reads what another block's read before: its own
/// part would be in the first-level cache.
static constexpr llvm::StringLiteral readBody = R"(
      %zero = arith.constant dense<0> : vector<4xi32>
      %step = arith.muli %threads, %c4 : index
      %blocks_ahead = arith.constant 37 : index
      %ahead = arith.muli %width, %blocks_ahead : index
      %sum = scf.for %i = %c0 to %repeats step %c1
          iter_args(%old = %zero) -> (vector<4xi32>) {
        %shift = arith.muli %i, %ahead : index
        %moved = arith.addi %gid, %shift : index
        %place = arith.remui %moved, %threads : index
        %start = arith.muli %place, %c4 : index
        %inner = scf.for %j = %start to %count step %step
            iter_args(%before = %old) -> (vector<4xi32>) {
          %value = vector.load %in[%j] {alignment = 16}
              : memref<?xi32>, vector<4xi32>
          %after = arith.xori %before, %value : vector<4xi32>
          %more = arith.addi %after, %value : vector<4xi32>
          scf.yield %more : vector<4xi32>
        }
        scf.yield %inner : vector<4xi32>
      }
      %single = vector.reduction <add>, %sum : vector<4xi32> into i32
      memref.store %single, %out[%gid] : memref<?xi32>
)";

static constexpr llvm::StringLiteral copyBody = R"(
      %start = arith.muli %gid, %c4 : index
      %step = arith.muli %threads, %c4 : index
      scf.for %j = %start to %count step %step {
        %value = vector.load %in[%j] {alignment = 16}
            : memref<?xi32>, vector<4xi32>
        vector.store %value, %out[%j] {alignment = 16}
            : memref<?xi32>, vector<4xi32>
      }
)";

static constexpr llvm::StringLiteral memoryLatencyBody = R"(
      %stride = arith.constant 1056 : index
      %last = scf.for %i = %c0 to %repeats step %c1
          iter_args(%place = %c0) -> (index) {
        %value = memref.load %in[%place] : memref<?xi32>
        %offset = arith.index_cast %value : i32 to index
        %next = arith.addi %place, %offset : index
        %further = arith.addi %next, %stride : index
        scf.yield %further : index
      }
      %single = arith.index_cast %last : index to i32
      memref.store %single, %out[%gid] : memref<?xi32>
)";
static_assert(latencyStride == 1056, "the stride of the kernel above");

static llvm::StringRef bodyOf(Probe probe) {
  switch (probe) {
  case Probe::Empty:
    return "";
  case Probe::Barrier:
    return barrierBody;
  case Probe::SharedLatency:
    return sharedLatencyBody;
  case Probe::SharedBandwidth:
    return sharedBandwidthBody;
  case Probe::Read:
    return readBody;
  case Probe::Copy:
    return copyBody;
  case Probe::MemoryLatency:
    return memoryLatencyBody;
  }
  llvm_unreachable("covered switch");
}

llvm::Expected<Kernel> kami::buildProbe(Probe probe, llvm::StringRef chip,
                                        int64_t threads) {
  mlir::MLIRContext context(mlir::MLIRContext::Threading::DISABLED);
  loadAllDialects(context);
  std::string complaint;
  mlir::ScopedDiagnosticHandler handler(&context,
                                        [&](mlir::Diagnostic &diagnostic) {
                                          complaint += diagnostic.str() + "; ";
                                          return mlir::success();
                                        });
  std::string text = "module attributes {gpu.container_module, kami.target = "
                     "#kami.target<\"" +
                     chip.str() + "\">} {" + prologue.str() +
                     bodyOf(probe).str() + epilogue.str();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  Compilation compilation;
  if (llvm::Expected<const Chip *> found = findChip(chip))
    compilation.chip = *found;
  else
    return found.takeError();
  Kernel &kernel = compilation.kernels.emplace_back();
  kernel.name = "probe";
  kernel.module = "probe_module";
  kernel.threads = threads;
  if (!module || failed(compileKernels(*module, compilation)))
    return llvm::createStringError("cannot build a probe: " + complaint);
  return std::move(kernel);
}
