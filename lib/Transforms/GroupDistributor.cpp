//===- GroupDistributor.cpp - Warps that multiply in unison --------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A group reads B, and A or its registers, in the form that its matrix unit
// wants; nothing is broadcast.
//
//===----------------------------------------------------------------------===//

#include "Distributor.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"

using namespace kami;
using namespace mlir;

/// `rows` rows of A from a row on, all of k.
Value Distributor::loadRows(Value tile, Value first, FragmentType type) {
  auto matrix = cast<MemRefType>(tile.getType());
  return LoadOp::create(b, type, tile, first, constant(0),
                        matrix.getDimSize(0) >= partition.paddedM(),
                        matrix.getDimSize(1) >= partition.paddedK());
}

/// All that a warp in unison needs of A.
Value Distributor::loadRows(Value tile, Value skewedAs) {
  return loadFragment(sideA, tile, constant(0), partition.paddedK(), skewedAs);
}

/// The first row of this warp's group in A's matrix in shared memory.
Value Distributor::groupRow() {
  Value group = b.createOrFold<arith::DivUIOp>(row, constant(warpsPerGroup));
  return multiply(group, warpsPerGroup * partition.warpM);
}

/// Writes a warp's rows of A to shared memory: its i-th tile of 16 rows goes to
/// the group's i-th 64, where the matrix unit looks for it.
void Distributor::placeRows(Value tile, Value buffer) {
  int64_t height = atom.getM();
  auto type = FragmentType::get(b.getContext(), height, partition.paddedK(),
                                atom.getAType(), Role::A, atom);
  Value inGroup = b.createOrFold<arith::RemUIOp>(row, constant(warpsPerGroup));
  Value own = add(groupRow(), multiply(inGroup, height));
  for (int64_t first = 0; first != partition.warpM; first += height) {
    Value rows = loadRows(
        tile, add(multiply(row, partition.warpM), constant(first)), type);
    PlaceOp::create(b, rows, buffer, add(own, constant(warpsPerGroup * first)),
                    constant(0), residentType(partition, atom, Role::A));
  }
}

/// The accumulators of warps in unison after one k tile.
Value Distributor::emitGroupTile(Value aTile, Value bTile, Value accumulator) {
  bool placesA = sideA.parked > 0;
  Value rows;
  if (!placesA)
    rows = aTile ? loadRows(aTile) : sideA.slices.front();
  if (placesA && aTile)
    placeRows(aTile, sideA.parkedBuffer);
  if (bTile)
    park(sideB, bTile);
  if (bTile || (placesA && aTile))
    gpu::BarrierOp::create(b);
  Value origin = constant(0);
  if (!placesA)
    return GroupMmaOp::create(
        b, accumulator.getType(), rows, sideB.parkedBuffer, origin, origin,
        accumulator, ValueRange(), SharedMatrixAttr(),
        residentType(partition, atom, Role::B), IntegerAttr());
  return GroupMmaOp::create(b, accumulator.getType(), sideA.parkedBuffer,
                            sideB.parkedBuffer, origin, origin, accumulator,
                            ValueRange{groupRow(), origin},
                            residentType(partition, atom, Role::A),
                            residentType(partition, atom, Role::B),
                            b.getI64IntegerAttr(partition.paddedK()));
}
