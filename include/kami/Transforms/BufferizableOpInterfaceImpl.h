//===- BufferizableOpInterfaceImpl.h - Tensors to buffers ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
#define KAMI_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace kami {

/// Teaches `one-shot-bufferize` the ops on tensors.
void registerBufferizableOpInterfaceExternalModels(
    mlir::DialectRegistry &registry);

} // namespace kami

#endif // KAMI_TRANSFORMS_BUFFERIZABLEOPINTERFACEIMPL_H
