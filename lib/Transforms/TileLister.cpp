//===- TileLister.cpp - What products say of their tiles ------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileLister.h"
#include "kami/Layout/CopiedTile.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"
#include <numeric>

using namespace kami;
using namespace mlir;

Value TileLister::matricesOf(Role role) {
  return values.lookup(role == Role::A   ? op.getA()
                       : role == Role::B ? op.getB()
                                         : op.getC());
}

bool TileLister::isTransposed(Role role) {
  return (role == Role::A && op.getTransposeA()) ||
         (role == Role::B && op.getTransposeB());
}

int64_t TileLister::bytesOf(Role role) {
  return op.getElementType(role).getIntOrFloatBitWidth() / 8;
}

/// An entry of one of the op's arrays, as an index.
Value TileLister::entry(Value array, Value product) {
  Value loaded = memref::LoadOp::create(b, values.lookup(array), product);
  return arith::IndexCastOp::create(b, b.getIndexType(), loaded);
}

Value TileLister::extent(Value array, Value product) {
  return arith::MaxSIOp::create(b, entry(array, product), constant(0));
}

/// The number of the matrix's first element.
Value TileLister::start(Role role, Value product) {
  Value at = entry(op.getAt(role), product);
  // Addresses have no sign.
  return op.getBytes() ? b.createOrFold<arith::ShRUIOp>(
                             at, constant(llvm::Log2_64(bytesOf(role))))
                       : at;
}

/// The product's matrix; rows are beside each other, of so many columns, where
/// nothing else is said.
TileLister::Matrix TileLister::matrixOf(Role role, Value product,
                                        Value columns) {
  Value leading = op.getLeading(role);
  return {start(role, product), leading ? entry(leading, product) : columns};
}

/// The bits of the matrix's address and of its rows' distance, in bytes.
Value TileLister::placesOf(Role role, const Matrix &matrix) {
  Value bytes = constant(bytesOf(role));
  Value base =
      memref::ExtractAlignedPointerAsIndexOp::create(b, matricesOf(role));
  Value bits = arith::OrIOp::create(b, add(base, multiply(matrix.at, bytes)),
                                    multiply(matrix.stride, bytes));
  if (!plan.bulk)
    return bits;
  // Nor has a map rows that are in one place, or go backwards.
  Value goesBack = arith::CmpIOp::create(b, arith::CmpIPredicate::sle,
                                         matrix.stride, constant(0));
  return arith::SelectOp::create(b, goesBack, constant(1), bits);
}

/// Of how many rows of A, or columns of B, a tile's are a multiple, so that it
/// begins where a piece does, and a sector of C.
int64_t TileLister::stepOf(Role role) {
  constexpr int64_t sector = 32;
  bool isContiguous = isTransposed(role) == (role == Role::A);
  int64_t step = isContiguous ? copiedPiece / bytesOf(role) : 1;
  return role == Role::A ? step : std::max(step, sector / bytesOf(Role::C));
}

/// The extent of each of the `count` tiles that cover a product's. Of tf32 they
/// are as alike as multiples of `step` are, and take about as long: 256
/// products up to 512 × 512 × 128 in odd rows 64.8 instead of 66.9 µs, 64
/// aligned ones 17.3 instead of 17.8, 256 47.7 instead of 48.4. Else all but
/// the last are full: f16 in aligned rows would take 29.0 instead of 28.6, f64
/// in odd ones 142.5 instead of 131.5 (H100, 2026-11-25).
Value TileLister::alike(Value extent, Value count, int64_t most, int64_t step) {
  if (plan.unit() != Unit::WarpGroup || plan.atom->operand != ElementKind::TF32)
    return constant(most);
  step = std::gcd(step, most);
  Value parts = arith::MaxUIOp::create(b, widened(count), constant(1));
  Value part = arith::CeilDivUIOp::create(b, extent, parts);
  return multiply(arith::CeilDivUIOp::create(b, part, constant(step)),
                  constant(step));
}

/// All loads come first, so that they are on their way together.
TileLister::Product TileLister::read(Value number) {
  Product product;
  product.number = number;
  product.m = extent(op.getM(), number);
  product.n = extent(op.getN(), number);
  product.k = extent(op.getK(), number);
  for (Role role : {Role::A, Role::B, Role::C})
    product.matrices.push_back(matrixOf(
        role, number, columnsOf(op, role, product.m, product.n, product.k)));
  // Tiles are counted in 32 bits, whose division is shorter.
  Type i32 = b.getI32Type();
  auto covering = [&](Value extent, int64_t most) -> Value {
    return arith::IndexCastOp::create(
        b, i32, arith::CeilDivUIOp::create(b, extent, constant(most)));
  };
  product.tilesDown = covering(product.m, plan.tile.m);
  product.tilesAcross = covering(product.n, plan.tile.n);
  return product;
}

TileLister::Place TileLister::placeOf(const Product &product, Value tile) {
  return {arith::DivUIOp::create(b, tile, product.tilesAcross),
          arith::RemUIOp::create(b, tile, product.tilesAcross)};
}

void TileLister::listTile(Value number, const Product &product, Place place) {
  Value rows =
      alike(product.m, product.tilesDown, plan.tile.m, stepOf(Role::A));
  Value columns =
      alike(product.n, product.tilesAcross, plan.tile.n, stepOf(Role::B));
  Value row = multiply(widened(place.first), rows);
  Value column = multiply(widened(place.second), columns);
  auto size = [&](Value extent, Value from, Value most) -> Value {
    return arith::MinSIOp::create(b, most, subtract(extent, from));
  };
  Value entries[FieldCount];
  Value places = constant(0);
  for (Role role : {Role::A, Role::B, Role::C}) {
    unsigned i = unsigned(role);
    const Matrix &matrix = product.matrices[i];
    // How far down and across the tile begins in the matrix as it is stored.
    Value down = role == Role::B ? Value() : row;
    Value across = role == Role::A ? Value() : column;
    if (isTransposed(role))
      std::swap(down, across);
    Value at = matrix.at;
    if (down)
      at = add(at, multiply(down, matrix.stride));
    if (across)
      at = add(at, across);
    entries[AtField + i] = at;
    entries[StrideField + i] = matrix.stride;
    if (role != Role::C)
      places =
          arith::OrIOp::create(b, places, placesOf(role, {at, matrix.stride}));
  }
  entries[RowsField] = size(product.m, row, rows);
  entries[ColumnsField] = size(product.n, column, columns);
  entries[DepthField] = product.k;
  entries[ProductField] = product.number;
  entries[RowField] = row;
  entries[ColumnField] = column;
  entries[PlacesField] = places;
  list.store(number, entries);
}

void TileLister::listTiles(const Product &product, Value begin, Value from,
                           Value to, Value done) {
  // To divide takes as long as all else; most products begin with their first
  // tile.
  Value first = narrowed(subtract(from, begin));
  Type i32 = b.getI32Type();
  auto place = scf::IfOp::create(
      b, TypeRange{i32, i32},
      arith::CmpIOp::create(b, arith::CmpIPredicate::ne, first, word(0)),
      /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard insertion(b);
    b.setInsertionPointToStart(place.thenBlock());
    auto [down, across] = placeOf(product, first);
    scf::YieldOp::create(b, ValueRange{down, across});
    b.setInsertionPointToStart(place.elseBlock());
    scf::YieldOp::create(b, ValueRange{word(0), word(0)});
  }
  auto loop = scf::ForOp::create(b, from, to, constant(1), place.getResults());
  OpBuilder::InsertionGuard insertion(b);
  b.setInsertionPointToStart(loop.getBody());
  Value down = loop.getRegionIterArg(0), across = loop.getRegionIterArg(1);
  listTile(subtract(loop.getInductionVar(), done), product, {down, across});
  Value next = add(across, word(1));
  Value isInRow = isBefore(next, product.tilesAcross);
  scf::YieldOp::create(
      b,
      ValueRange{arith::SelectOp::create(b, isInRow, down, add(down, word(1))),
                 arith::SelectOp::create(b, isInRow, next, word(0))});
}
