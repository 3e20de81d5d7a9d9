//===- ResidentLauncher.h - Runs on memory that stays there ----*- C++ -*-===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_DRIVER_RESIDENTLAUNCHER_H
#define KAMI_LIB_DRIVER_RESIDENTLAUNCHER_H

#include "kami/Driver/Run.h"
#include "kami/Runtime/Cuda.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/StringMap.h"
#include <map>

namespace kami {

/// Host functions and, on a GPU, the kernels that they launch.
struct ResidentProgram {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::vector<CudaModule> images;
  /// By module and name.
  llvm::StringMap<KamiCudaFunction> functions;
};

/// Interprets host functions whose kernels find their arguments in memory that
/// stays on the device from launch to launch, or run in the simulator.
class ResidentLauncher {
public:
  /// The simulator is that chip's.
  static llvm::Expected<std::unique_ptr<ResidentLauncher>>
  create(DeviceKind kind, const Chip &chip);

  bool isSimulated() const { return !device; }
  llvm::StringRef deviceName() const { return name; }
  /// Of the device; 0 for the simulator.
  uint64_t memoryBytes() const { return bytesOfDevice; }

  /// Memory until `releaseAll`. Its elements are on the device; the simulator
  /// has them in the buffer.
  llvm::Expected<sim::Buffer *> allocate(int64_t bytes);
  void releaseAll();
  llvm::Error write(sim::Buffer *to, int64_t at, llvm::ArrayRef<uint8_t> from);
  llvm::Error read(sim::Buffer *from, int64_t at,
                   llvm::MutableArrayRef<uint8_t> to);

  /// Takes the binaries of a program's kernels; the simulator needs none.
  llvm::Error load(ResidentProgram &program, llvm::ArrayRef<Kernel> kernels);
  llvm::Error run(ResidentProgram &program, llvm::StringRef function,
                  llvm::ArrayRef<sim::Argument> arguments);

private:
  explicit ResidentLauncher(const Chip &chip) : simulator(simulatorOf(chip)) {}
  llvm::Error launch(ResidentProgram &program, const sim::Launch &launch);

  sim::SimulatorOptions simulator;
  CudaDevice device;
  std::string name = "simulator";
  uint64_t bytesOfDevice = 0;
  sim::Memory memory;
  std::vector<sim::Buffer *> buffers;
  std::map<sim::Buffer *, CudaBuffer> twins;
};

} // namespace kami

#endif // KAMI_LIB_DRIVER_RESIDENTLAUNCHER_H
