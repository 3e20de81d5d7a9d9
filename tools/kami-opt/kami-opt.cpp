//===- kami-opt.cpp - mlir-opt with the kami dialect ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Pipelines/Registration.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::registerAllPasses();
  kami::registerAllKamiPasses();
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  kami::registerKamiDependencies(registry);
  kami::registerAllKami(registry);
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "kami optimizer driver\n", registry));
}
