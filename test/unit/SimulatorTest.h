//===- SimulatorTest.h - Fixture of the simulator's tests -----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parses a kernel from a string, runs it, and keeps what the simulator said.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TEST_UNIT_SIMULATORTEST_H
#define KAMI_TEST_UNIT_SIMULATORTEST_H

#include "kami/IR/KamiOps.h"
#include "kami/Simulator/Scalar.h"
#include "kami/Simulator/Simulator.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/NVGPU/IR/NVGPUDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

namespace kami::sim {

class SimulatorTest : public ::testing::Test {
protected:
  SimulatorTest() {
    context.loadDialect<KamiDialect, mlir::affine::AffineDialect,
                        mlir::complex::ComplexDialect,
                        mlir::arith::ArithDialect, mlir::func::FuncDialect,
                        mlir::gpu::GPUDialect, mlir::linalg::LinalgDialect,
                        mlir::math::MathDialect, mlir::memref::MemRefDialect,
                        mlir::nvgpu::NVGPUDialect, mlir::NVVM::NVVMDialect,
                        mlir::scf::SCFDialect, mlir::tensor::TensorDialect,
                        mlir::ub::UBDialect, mlir::vector::VectorDialect>();
    context.getDiagEngine().registerHandler([&](mlir::Diagnostic &diagnostic) {
      message = diagnostic.str();
      line = 0;
      if (auto loc =
              mlir::dyn_cast<mlir::FileLineColLoc>(diagnostic.getLocation()))
        line = loc.getLine();
      return mlir::success();
    });
  }

  void parse(std::string source) {
    module = mlir::parseSourceString<mlir::ModuleOp>(source, &context);
    ASSERT_TRUE(module) << message;
  }

  /// The source line on which the first occurrence of `text` stands.
  static unsigned lineOf(const std::string &source, const std::string &text) {
    size_t at = source.find(text);
    return 1 + std::count(source.begin(), source.begin() + at, '\n');
  }

  template <typename Op> Op find() {
    Op found;
    module->walk([&](Op op) { found = op; });
    return found;
  }

  /// Wraps the body of a kernel, and runs it.
  mlir::LogicalResult run(const std::string &arguments, const std::string &body,
                          Dim3 grid, Dim3 block, int64_t shared,
                          llvm::ArrayRef<Argument> values,
                          const std::string &preamble = "") {
    source = preamble + "gpu.module @m {\ngpu.func @k(" + arguments +
             ") kernel {\n" + body + "\ngpu.return\n}\n}\n";
    parse(source);
    if (!module)
      return mlir::failure();
    return simulateLaunch(find<mlir::gpu::GPUFuncOp>(), grid, block, shared,
                          values, options, report);
  }

  MemRef array(llvm::ArrayRef<int64_t> sizes, mlir::Type type,
               llvm::ArrayRef<double> values = {}) {
    MemRef memref = memory.allocate("array", sizes, type);
    ElementFormat format = *formatOf(type);
    for (size_t i = 0; i != values.size(); ++i)
      writeBits(memref.buffer->bytes.data() + i * format.bytes(),
                format.bytes(), fromDouble(format, values[i]));
    return memref;
  }

  static double at(const MemRef &memref, llvm::ArrayRef<int64_t> indices) {
    ElementFormat format = *formatOf(memref.elementType);
    return toDouble(
        format, readBits(memref.buffer->bytes.data() + memref.address(indices),
                         format.bytes()));
  }

  mlir::Type f16() { return mlir::Float16Type::get(&context); }
  mlir::Type f32() { return mlir::Float32Type::get(&context); }
  mlir::Type f64() { return mlir::Float64Type::get(&context); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Memory memory;
  SimulatorOptions options;
  SimulatorReport report;
  std::string source;
  std::string message;
  unsigned line = 0;
};

} // namespace kami::sim

#endif // KAMI_TEST_UNIT_SIMULATORTEST_H
