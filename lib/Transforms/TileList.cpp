//===- TileList.cpp - What a block knows of its tiles ---------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileList.h"
#include "Shares.h"
#include "kami/Plan/GroupedPlanner.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace kami;
using namespace mlir;

static_assert(FieldCount == listedWords);

Value kami::columnsOf(GroupedGemmOp op, Role role, Value m, Value n, Value k) {
  if (role == Role::A)
    return op.getTransposeA() ? m : k;
  return role == Role::B && op.getTransposeB() ? k : n;
}

TileList::TileList(ImplicitLocOpBuilder &b, GroupedGemmOp op, int64_t at)
    : b(b) {
  for (unsigned field = 0; field != FieldCount; ++field) {
    int64_t start = at + field * listedTiles * int64_t(sizeof(int64_t));
    arrays[field] = viewInShared(b, start, {listedTiles}, typeOf(op, field));
  }
}

/// Of what a product says in 32 bits no more are listed: they take a register,
/// and the compiler knows how wide they are.
Type TileList::typeOf(GroupedGemmOp op, unsigned field) {
  Type wide = b.getI64Type(), narrow = b.getI32Type();
  auto typeAs = [&](Value array) -> Type {
    Type element = cast<MemRefType>(array.getType()).getElementType();
    return element.getIntOrFloatBitWidth() > 32 ? wide : narrow;
  };
  switch (field) {
  case StrideField + unsigned(Role::A):
  case StrideField + unsigned(Role::B):
  case StrideField + unsigned(Role::C): {
    Role role = Role(field - StrideField);
    Value leading = op.getLeading(role);
    return typeAs(leading
                      ? leading
                      : columnsOf(op, role, op.getM(), op.getN(), op.getK()));
  }
  case DepthField:
    return typeAs(op.getK());
  case RowField:
    return typeAs(op.getM());
  case ColumnField:
    return typeAs(op.getN());
  case RowsField:
  case ColumnsField:
  case PlacesField:
    return narrow;
  default:
    return wide;
  }
}

void TileList::store(Value number, ArrayRef<Value> entries) {
  for (auto [array, entry] : llvm::zip_equal(arrays, entries)) {
    Type type = cast<MemRefType>(array.getType()).getElementType();
    memref::StoreOp::create(b, arith::IndexCastOp::create(b, type, entry),
                            array, number);
  }
}

Value TileList::load(Value number, unsigned field) {
  Value word = memref::LoadOp::create(b, arrays[field], number);
  Type index = b.getIndexType();
  bool mayBeNegative = field < RowsField;
  return mayBeNegative
             ? arith::IndexCastOp::create(b, index, word).getResult()
             : arith::IndexCastUIOp::create(b, index, word).getResult();
}
