//===- ElementKind.cpp ----------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Layout/ElementKind.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ErrorHandling.h"

using namespace kami;

llvm::ArrayRef<ElementKind> kami::allElementKinds() {
  static constexpr ElementKind kinds[] = {
      ElementKind::F16,        ElementKind::BF16,   ElementKind::TF32,
      ElementKind::TF32x3,     ElementKind::F32,    ElementKind::F64,
      ElementKind::F8E4M3FN,   ElementKind::F8E5M2, ElementKind::F8E4M3FNUZ,
      ElementKind::F8E5M2FNUZ, ElementKind::I8,     ElementKind::U8,
      ElementKind::I32,
  };
  return kinds;
}

llvm::StringRef kami::name(ElementKind kind) {
  switch (kind) {
  case ElementKind::F16:
    return "f16";
  case ElementKind::BF16:
    return "bf16";
  case ElementKind::TF32:
    return "tf32";
  case ElementKind::TF32x3:
    return "tf32x3";
  case ElementKind::F32:
    return "f32";
  case ElementKind::F64:
    return "f64";
  case ElementKind::F8E4M3FN:
    return "f8E4M3FN";
  case ElementKind::F8E5M2:
    return "f8E5M2";
  case ElementKind::F8E4M3FNUZ:
    return "f8E4M3FNUZ";
  case ElementKind::F8E5M2FNUZ:
    return "f8E5M2FNUZ";
  case ElementKind::I8:
    return "i8";
  case ElementKind::U8:
    return "u8";
  case ElementKind::I32:
    return "i32";
  }
  llvm_unreachable("covered switch");
}

std::string kami::names(ElementKind a, ElementKind b) {
  return a == b ? name(a).str() : (name(a) + " x " + name(b)).str();
}

std::optional<ElementKind> kami::parseElementKind(llvm::StringRef spelling) {
  for (ElementKind kind : allElementKinds())
    if (name(kind) == spelling)
      return kind;
  return std::nullopt;
}

unsigned kami::byteWidth(ElementKind kind) {
  switch (kind) {
  case ElementKind::F8E4M3FN:
  case ElementKind::F8E5M2:
  case ElementKind::F8E4M3FNUZ:
  case ElementKind::F8E5M2FNUZ:
  case ElementKind::I8:
  case ElementKind::U8:
    return 1;
  case ElementKind::F16:
  case ElementKind::BF16:
    return 2;
  case ElementKind::TF32:
  case ElementKind::TF32x3:
  case ElementKind::F32:
  case ElementKind::I32:
    return 4;
  case ElementKind::F64:
    return 8;
  }
  llvm_unreachable("covered switch");
}

bool kami::isInteger(ElementKind kind) {
  return kind == ElementKind::I8 || kind == ElementKind::U8 ||
         kind == ElementKind::I32;
}

/// The OCP's floats of 8 bits.
static bool isOcpFloat8(ElementKind kind) {
  return kind == ElementKind::F8E4M3FN || kind == ElementKind::F8E5M2;
}

bool kami::isFloat8(ElementKind kind) {
  return isOcpFloat8(kind) || kind == ElementKind::F8E4M3FNUZ ||
         kind == ElementKind::F8E5M2FNUZ;
}

bool kami::canMultiply(ElementKind a, ElementKind b) {
  auto isByte = [](ElementKind kind) {
    return kind == ElementKind::I8 || kind == ElementKind::U8;
  };
  return isMultipliedAs(a, b) || isMultipliedAs(b, a) ||
         (isFloat8(a) && isFloat8(b) && isOcpFloat8(a) == isOcpFloat8(b)) ||
         (isByte(a) && isByte(b));
}

std::optional<ElementKind> kami::widened(ElementKind kind) {
  if (isOcpFloat8(kind))
    return ElementKind::F16;
  return std::nullopt;
}

bool kami::isMultipliedAs(ElementKind from, ElementKind to) {
  return from == to || widened(from) == to;
}
