//===- CheckKernels.cpp - Products computed in another way ---------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kami/Driver/CheckKernels.h"
#include "kami/Bridge/Bridge.h"
#include "kami/Simulator/Scalar.h"
#include "mlir/Conversion/GPUToNVVM/GPUToNVVMPass.h"
#include "mlir/Conversion/ReconcileUnrealizedCasts/ReconcileUnrealizedCasts.h"
#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Dialect/GPU/Transforms/Passes.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

using namespace kami;
using namespace mlir;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

using Replacements = ArrayRef<std::pair<StringRef, std::string>>;

static std::string replaced(StringRef text, Replacements replacements) {
  std::string result = text.str();
  for (const auto &[from, to] : replacements)
    for (size_t at = 0; (at = result.find(from, at)) != std::string::npos;
         at += to.size())
      result.replace(at, from.size(), to);
  return result;
}

/// The entry of the table that element `$I`, an index, was filled with: bits of
/// the splitmix64 generator's finalizer of a counter.
static constexpr StringLiteral hashText = R"(
  %$P0 = arith.index_cast $I : index to i64
  %$P1 = arith.constant -7046029254386353131 : i64
  %$P2 = arith.muli %$P0, %$P1 : i64
  %$P3 = arith.addi %$P2, %seed : i64
  %$P4 = arith.constant 30 : i64
  %$P5 = arith.shrui %$P3, %$P4 : i64
  %$P6 = arith.xori %$P3, %$P5 : i64
  %$P7 = arith.constant -4658895280553007687 : i64
  %$P8 = arith.muli %$P6, %$P7 : i64
  %$P9 = arith.constant 52 : i64
  %$P10 = arith.shrui %$P8, %$P9 : i64
  %$P = arith.index_cast %$P10 : i64 to index
)";
static_assert(fillEntries == 1 << (64 - 52), "the hash's bits");

static std::string hash(StringRef index, StringRef prefix) {
  return replaced(hashText, {{"$I", index.str()}, {"$P", prefix.str()}});
}

static constexpr StringLiteral fillText = R"(
module attributes {gpu.container_module} {
gpu.module @fill_module $TARGET {
gpu.func @fill(%to: memref<?x$E>, %table: memref<?x$E>, %seed: i64) kernel {
  %c0 = arith.constant 0 : index
  %block = gpu.block_id x
  %blocks = gpu.grid_dim x
  %thread = gpu.thread_id x
  %threads = gpu.block_dim x
  %first = arith.muli %block, %threads : index
  %step = arith.muli %blocks, %threads : index
  %size = memref.dim %to, %c0 : memref<?x$E>
  scf.for %base = %first to %size step %step {
    %i = arith.addi %base, %thread : index
    %inside = arith.cmpi ult, %i, %size : index
    scf.if %inside {
      $HASH
      %value = memref.load %table[%h] : memref<?x$E>
      memref.store %value, %to[%i] : memref<?x$E>
    }
  }
  gpu.return
}
gpu.func @compare(%with: memref<?x$E>, %table: memref<?x$E>, %seed: i64,
                  %found: memref<?x2xi64>) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0 : i64
  %none = arith.constant -1 : i64
  %block = gpu.block_id x
  %blocks = gpu.grid_dim x
  %thread = gpu.thread_id x
  %threads = gpu.block_dim x
  %first = arith.muli %block, %threads : index
  %step = arith.muli %blocks, %threads : index
  %size = memref.dim %with, %c0 : memref<?x$E>
  %all:2 = scf.for %base = %first to %size step %step
      iter_args(%wrong = %zero, %where = %none) -> (i64, i64) {
    %i = arith.addi %base, %thread : index
    %inside = arith.cmpi ult, %i, %size : index
    %next:2 = scf.if %inside -> (i64, i64) {
      $HASH
      %value = memref.load %table[%h] : memref<?x$E>
      %is = memref.load %with[%i] : memref<?x$E>
      %bad = arith.cmpi ne, %value, %is : $E
      %here = arith.index_cast %i : index to i64
      $COUNT
    } else {
      scf.yield %wrong, %where : i64, i64
    }
    scf.yield %next#0, %next#1 : i64, i64
  }
  %slot = arith.addi %first, %thread : index
  memref.store %all#0, %found[%slot, %c0] : memref<?x2xi64>
  memref.store %all#1, %found[%slot, %c1] : memref<?x2xi64>
  gpu.return
}
}
func.func @fill(%to: memref<?x$E>, %table: memref<?x$E>, %seed: i64,
                %blocks: index, %threads: index) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @fill_module::@fill
      blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%to : memref<?x$E>, %table : memref<?x$E>, %seed : i64)
  return
}
func.func @compare(%with: memref<?x$E>, %table: memref<?x$E>, %seed: i64,
                   %found: memref<?x2xi64>, %blocks: index, %threads: index) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @fill_module::@compare
      blocks in (%blocks, %c1, %c1) threads in (%threads, %c1, %c1)
      args(%with : memref<?x$E>, %table : memref<?x$E>, %seed : i64,
           %found : memref<?x2xi64>)
  return
}
}
)";

/// One more, or none; the first is the one that came first.
static constexpr StringLiteral countText = R"(
      %one = arith.extui %bad : i1 to i64
      %more = arith.addi %wrong, %one : i64
      %unset = arith.cmpi eq, %where, %none : i64
      %now = arith.andi %unset, %bad : i1
      %earliest = arith.select %now, %here, %where : i64
      scf.yield %more, %earliest : i64, i64
)";

/// `$BODY` makes `%bad` of element (`%row`, `%column`) of product `%p`, which
/// is the element `%at` of C.
static constexpr StringLiteral checkText = R"(
module attributes {gpu.container_module} {
gpu.module @check_module $TARGET {
gpu.func @check(%a: memref<?x$A>, %b: memref<?x$B>, %c: memref<?x$C>,
                %table: memref<?x$C>, %decode: memref<3x256xf64>,
                %products: memref<?x12xi64>, %scales: memref<?x5xf64>,
                %rules: memref<5xf64>, %found: memref<?x2xi64>,
                %seed: i64) kernel {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %c5 = arith.constant 5 : index
  %c6 = arith.constant 6 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %c10 = arith.constant 10 : index
  %c11 = arith.constant 11 : index
  %zero = arith.constant 0 : i64
  %none = arith.constant -1 : i64
  %shift = arith.constant 32 : i64
  %real0 = arith.constant 0.0 : f64
  %true = arith.constant true
  %exponent = arith.constant 9218868437227405312 : i64
  %half = memref.load %rules[%c0] : memref<5xf64>
  %under = memref.load %rules[%c1] : memref<5xf64>
  %over = memref.load %rules[%c2] : memref<5xf64>
  %block = gpu.block_id x
  %blocks = gpu.grid_dim x
  %chunk = gpu.block_id y
  %chunks = gpu.grid_dim y
  %thread = gpu.thread_id x
  %threads = gpu.block_dim x
  %first = arith.muli %chunk, %threads : index
  %step = arith.muli %chunks, %threads : index
  %count = memref.dim %products, %c0 : memref<?x12xi64>
  %all:2 = scf.for %p = %block to %count step %blocks
      iter_args(%wrong0 = %zero, %where0 = %none) -> (i64, i64) {
    $FIELDS
    %alpha = memref.load %scales[%p, %c0] : memref<?x5xf64>
    %beta = memref.load %scales[%p, %c2] : memref<?x5xf64>
    %bound = memref.load %scales[%p, %c4] : memref<?x5xf64>
    %elements = arith.muli %m, %n : index
    %part:2 = scf.for %base = %first to %elements step %step
        iter_args(%wrong = %wrong0, %where = %where0) -> (i64, i64) {
      %e = arith.addi %base, %thread : index
      %inside = arith.cmpi ult, %e, %elements : index
      %next:2 = scf.if %inside -> (i64, i64) {
        %row = arith.divui %e, %n : index
        %column = arith.remui %e, %n : index
        %a0 = arith.muli %row, %aRow : index
        %a1 = arith.addi %aAt, %a0 : index
        %b0 = arith.muli %column, %bColumn : index
        %b1 = arith.addi %bAt, %b0 : index
        %at0 = arith.muli %row, %cRow : index
        %at1 = arith.muli %column, %cColumn : index
        %at2 = arith.addi %cAt, %at0 : index
        %at = arith.addi %at2, %at1 : index
        $BODY
        %number = arith.index_cast %e : index to i64
        %product = arith.index_cast %p : index to i64
        %high = arith.shli %product, %shift : i64
        %here = arith.addi %high, %number : i64
        $COUNT
      } else {
        scf.yield %wrong, %where : i64, i64
      }
      scf.yield %next#0, %next#1 : i64, i64
    }
    scf.yield %part#0, %part#1 : i64, i64
  }
  %slot0 = arith.muli %chunk, %blocks : index
  %slot1 = arith.addi %slot0, %block : index
  %slot2 = arith.muli %slot1, %threads : index
  %slot = arith.addi %slot2, %thread : index
  memref.store %all#0, %found[%slot, %c0] : memref<?x2xi64>
  memref.store %all#1, %found[%slot, %c1] : memref<?x2xi64>
  gpu.return
}
}
func.func @check(%a: memref<?x$A>, %b: memref<?x$B>, %c: memref<?x$C>,
                 %table: memref<?x$C>, %decode: memref<3x256xf64>,
                 %products: memref<?x12xi64>, %scales: memref<?x5xf64>,
                 %rules: memref<5xf64>, %found: memref<?x2xi64>, %seed: i64,
                 %blocks: index, %chunks: index, %threads: index) {
  %c1 = arith.constant 1 : index
  gpu.launch_func @check_module::@check
      blocks in (%blocks, %chunks, %c1) threads in (%threads, %c1, %c1)
      args(%a : memref<?x$A>, %b : memref<?x$B>, %c : memref<?x$C>,
           %table : memref<?x$C>, %decode : memref<3x256xf64>,
           %products : memref<?x12xi64>, %scales : memref<?x5xf64>,
           %rules : memref<5xf64>, %found : memref<?x2xi64>, %seed : i64)
  return
}
}
)";
static_assert(productColumns == 12 && scaleColumns == 5 && rules == 5 &&
                  columnBeta == 2 && columnBound == 4,
              "the columns of the kernel above");

/// The columns of `products`, in their order.
static constexpr StringLiteral fieldNames[] = {
    "m",   "n",    "k",       "aAt", "aRow", "aColumn",
    "bAt", "bRow", "bColumn", "cAt", "cRow", "cColumn"};

static std::string fieldsText() {
  std::string text;
  for (auto [number, name] : llvm::enumerate(fieldNames))
    text += replaced(R"(
    %$N0 = memref.load %products[%p, %c$I] : memref<?x12xi64>
    %$N = arith.index_cast %$N0 : i64 to index
)",
                     {{"$N", name.str()}, {"$I", std::to_string(number)}});
  return text;
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

/// The type in the kernels' memory: of floats of 8 bits, that of their bits.
static std::string storedType(ElementKind kind) {
  if (isFloat8(kind) || kind == ElementKind::I8 || kind == ElementKind::U8)
    return "i8";
  if (kind == ElementKind::TF32 || kind == ElementKind::TF32x3)
    return "f32";
  return name(kind).str();
}

/// Makes an f64, or an i64 of an integer, `%to` of what `$FROM` is, an element
/// in memory.
static std::string widen(ElementKind kind, StringRef from, StringRef to,
                         unsigned operand) {
  StringRef text =
      kind == ElementKind::F64  ? "%$T = arith.bitcast $F : f64 to f64\n"
      : kind == ElementKind::U8 ? "%$T = arith.extui $F : i8 to i64\n"
      : isInteger(kind)         ? "%$T = arith.extsi $F : $E to i64\n"
      : !isFloat8(kind)         ? "%$T = arith.extf $F : $E to f64\n"
                                : R"(
          %$T0 = arith.extui $F : i8 to i64
          %$T1 = arith.index_cast %$T0 : i64 to index
          %$T = memref.load %decode[%c$O, %$T1] : memref<3x256xf64>
)";
  return replaced(text, {{"$T", to.str()},
                         {"$F", from.str()},
                         {"$E", storedType(kind)},
                         {"$O", std::to_string(operand)}});
}

/// Loads an element of `memory` and widens it. The memref's type is `$M`.
static std::string load(ElementKind kind, StringRef memory, StringRef index,
                        StringRef to, unsigned operand) {
  std::string raw = (to + "Raw").str();
  return replaced("%$R = memref.load %$M[$I] : memref<?x$E>\n",
                  {{"$R", raw},
                   {"$M", memory.str()},
                   {"$I", index.str()},
                   {"$E", storedType(kind)}}) +
         widen(kind, "%" + raw, to, operand);
}

/// C's element `$I` in `%is$S`, what it was in `%old$S`, which it becomes
/// again.
static std::string swapText(ElementKind kind, StringRef index,
                            StringRef suffix) {
  std::string s = suffix.str();
  return load(kind, "c", index, "is" + s, 2) + hash(index, "h" + s) +
         load(kind, "table", "%h" + s, "old" + s, 2) +
         replaced("memref.store %old$SRaw, %c[$I] : memref<?x$E>\n",
                  {{"$S", s}, {"$I", index.str()}, {"$E", storedType(kind)}});
}

/// Whether `%is$S` is far from `%e$S`, whose terms' absolute values add up to
/// `%mag$S`: `%bad$S`.
static constexpr StringLiteral judgeText = R"(
        %d$S = arith.subf %is$S, %e$S : f64
        %dist$S = math.absf %d$S : f64
        %bits$S = arith.bitcast %e$S : f64 to i64
        %power0$S = arith.andi %bits$S, %exponent : i64
        %power$S = arith.bitcast %power0$S : i64 to f64
        %l0$S = arith.mulf %bound, %mag$S : f64
        %l1$S = arith.mulf %half, %power$S : f64
        %l2$S = arith.addf %l0$S, %l1$S : f64
        %limit$S = arith.addf %l2$S, %under : f64
        %close$S = arith.cmpf ole, %dist$S, %limit$S : f64
        %self$S = arith.subf %is$S, %is$S : f64
        %odd$S = arith.cmpf une, %self$S, %real0 : f64
        %size$S = math.absf %e$S : f64
        %most$S = arith.addf %size$S, %limit$S : f64
        %large$S = arith.cmpf oge, %most$S, %over : f64
        %gone$S = arith.andi %odd$S, %large$S : i1
        %good$S = arith.ori %close$S, %gone$S : i1
        %bad$S = arith.xori %good$S, %true : i1
)";

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static std::string realBody(const CheckedTypes &types) {
  return R"(
        %sums:2 = scf.for %kk = %c0 to %k step %c1
            iter_args(%sum = %real0, %sumAbs = %real0) -> (f64, f64) {
          %a2 = arith.muli %kk, %aColumn : index
          %a3 = arith.addi %a1, %a2 : index
          %b2 = arith.muli %kk, %bRow : index
          %b3 = arith.addi %b1, %b2 : index
)" + load(types.a, "a", "%a3", "x", 0) +
         load(types.b, "b", "%b3", "y", 1) + R"(
          %term = arith.mulf %x, %y : f64
          %abs = math.absf %term : f64
          %sum1 = arith.addf %sum, %term : f64
          %mag1 = arith.addf %sumAbs, %abs : f64
          scf.yield %sum1, %mag1 : f64, f64
        }
)" + swapText(types.c, "%at", "") +
         R"(
        %uses = arith.cmpf une, %beta, %real0 : f64
        %added0 = arith.mulf %beta, %old : f64
        %added = arith.select %uses, %added0, %real0 : f64
        %scaled = arith.mulf %alpha, %sums#0 : f64
        %e0 = arith.mulf %alpha, %sums#1 : f64
        %e1 = math.absf %e0 : f64
        %e2 = math.absf %added : f64
        %mag = arith.addf %e1, %e2 : f64
        %eSum = arith.addf %scaled, %added : f64
)" + replaced(judgeText, {{"%e$S", "%eSum"}, {"$S", ""}});
}

/// Integers wrap, as C's do.
static std::string integerBody(const CheckedTypes &types) {
  return R"(
        %sums = scf.for %kk = %c0 to %k step %c1
            iter_args(%sum = %zero) -> (i64) {
          %a2 = arith.muli %kk, %aColumn : index
          %a3 = arith.addi %a1, %a2 : index
          %b2 = arith.muli %kk, %bRow : index
          %b3 = arith.addi %b1, %b2 : index
)" + load(types.a, "a", "%a3", "x", 0) +
         load(types.b, "b", "%b3", "y", 1) + R"(
          %term = arith.muli %x, %y : i64
          %sum1 = arith.addi %sum, %term : i64
          scf.yield %sum1 : i64
        }
)" + swapText(types.c, "%at", "") +
         R"(
        %alphaInt = arith.fptosi %alpha : f64 to i64
        %betaInt = arith.fptosi %beta : f64 to i64
        %added = arith.muli %betaInt, %old : i64
        %scaled = arith.muli %alphaInt, %sums : i64
        %exact = arith.addi %scaled, %added : i64
        %wrapped = arith.trunci %exact : i64 to i32
        %bad = arith.cmpi ne, %wrapped, %isRaw : i32
)";
}

/// Parts lie one behind the other.
static std::string complexBody(const CheckedTypes &types) {
  std::string text = R"(
        %alphaI = memref.load %scales[%p, %c1] : memref<?x5xf64>
        %betaI = memref.load %scales[%p, %c3] : memref<?x5xf64>
        %signA = memref.load %rules[%c3] : memref<5xf64>
        %signB = memref.load %rules[%c4] : memref<5xf64>
        %sums:4 = scf.for %kk = %c0 to %k step %c1
            iter_args(%sum = %real0, %absR = %real0, %sumI = %real0,
                      %absI = %real0) -> (f64, f64, f64, f64) {
          %a2 = arith.muli %kk, %aColumn : index
          %a3 = arith.addi %a1, %a2 : index
          %a4 = arith.muli %a3, %c2 : index
          %a5 = arith.addi %a4, %c1 : index
          %b2 = arith.muli %kk, %bRow : index
          %b3 = arith.addi %b1, %b2 : index
          %b4 = arith.muli %b3, %c2 : index
          %b5 = arith.addi %b4, %c1 : index
)" + load(types.a, "a", "%a4", "x", 0) +
                     load(types.a, "a", "%a5", "u0", 0) +
                     load(types.b, "b", "%b4", "y", 1) +
                     load(types.b, "b", "%b5", "v0", 1) + R"(
          %u = arith.mulf %u0, %signA : f64
          %v = arith.mulf %v0, %signB : f64
          %xy = arith.mulf %x, %y : f64
          %uv = arith.mulf %u, %v : f64
          %xv = arith.mulf %x, %v : f64
          %uy = arith.mulf %u, %y : f64
          %xyAbs = math.absf %xy : f64
          %uvAbs = math.absf %uv : f64
          %xvAbs = math.absf %xv : f64
          %uyAbs = math.absf %uy : f64
          %re = arith.subf %xy, %uv : f64
          %im = arith.addf %xv, %uy : f64
          %reAbs = arith.addf %xyAbs, %uvAbs : f64
          %imAbs = arith.addf %xvAbs, %uyAbs : f64
          %s0 = arith.addf %sum, %re : f64
          %s1 = arith.addf %absR, %reAbs : f64
          %s2 = arith.addf %sumI, %im : f64
          %s3 = arith.addf %absI, %imAbs : f64
          scf.yield %s0, %s1, %s2, %s3 : f64, f64, f64, f64
        }
        %atR = arith.muli %at, %c2 : index
        %atI = arith.addi %atR, %c1 : index
)";
  text += swapText(types.c, "%atR", "R") + swapText(types.c, "%atI", "I");
  text += R"(
        %usesR = arith.cmpf une, %beta, %real0 : f64
        %usesI = arith.cmpf une, %betaI, %real0 : f64
        %uses = arith.ori %usesR, %usesI : i1
        %oldReal = arith.select %uses, %oldR, %real0 : f64
        %oldImaginary = arith.select %uses, %oldI, %real0 : f64
        %t0 = arith.mulf %alpha, %sums#0 : f64
        %t1 = arith.mulf %alphaI, %sums#2 : f64
        %t2 = arith.mulf %beta, %oldReal : f64
        %t3 = arith.mulf %betaI, %oldImaginary : f64
        %e0 = arith.subf %t0, %t1 : f64
        %e1 = arith.subf %t2, %t3 : f64
        %eR = arith.addf %e0, %e1 : f64
        %t4 = arith.mulf %alpha, %sums#2 : f64
        %t5 = arith.mulf %alphaI, %sums#0 : f64
        %t6 = arith.mulf %beta, %oldImaginary : f64
        %t7 = arith.mulf %betaI, %oldReal : f64
        %e2 = arith.addf %t4, %t5 : f64
        %e3 = arith.addf %t6, %t7 : f64
        %eI = arith.addf %e2, %e3 : f64
        %q0 = arith.mulf %alpha, %sums#1 : f64
        %q1 = arith.mulf %alphaI, %sums#3 : f64
        %q2 = arith.mulf %alpha, %sums#3 : f64
        %q3 = arith.mulf %alphaI, %sums#1 : f64
)";
  // What is added, without signs.
  auto addAbsolute = [&](ArrayRef<StringRef> terms, StringRef to) {
    std::string sum = "%real0";
    for (auto [number, term] : llvm::enumerate(terms)) {
      std::string prefix = "%" + to.str() + std::to_string(number);
      text += replaced(
          "%$P = math.absf $T : f64\n"
          "$N = arith.addf $S, %$P : f64\n",
          {{"%$P", prefix + "Abs"},
           {"$T", term.str()},
           {"$N", number + 1 == terms.size() ? "%" + to.str() : prefix},
           {"$S", sum}});
      sum = prefix;
    }
  };
  addAbsolute({"%q0", "%q1", "%t2", "%t3"}, "magR");
  addAbsolute({"%q2", "%q3", "%t6", "%t7"}, "magI");
  return text + replaced(judgeText, {{"$S", "R"}}) +
         replaced(judgeText, {{"$S", "I"}}) +
         "%bad = arith.ori %badR, %badI : i1\n";
}

//===----------------------------------------------------------------------===//
// Modules
//===----------------------------------------------------------------------===//

static std::string targetText(const Chip &chip) {
  return "[#nvvm.target<O = 3, chip = \"" + chip.name.str() +
         "\", features = \"\">]";
}

OwningOpRef<ModuleOp> kami::buildFill(MLIRContext *context, const Chip &chip,
                                      unsigned bytes) {
  std::string text =
      replaced(fillText, {{"$TARGET", targetText(chip)},
                          {"$HASH", hash("%i", "h")},
                          {"$COUNT", countText.str()},
                          {"$E", "i" + std::to_string(8 * bytes)}});
  return parseSourceString<ModuleOp>(text, context);
}

OwningOpRef<ModuleOp> kami::buildCheck(MLIRContext *context, const Chip &chip,
                                       const CheckedTypes &types) {
  std::string body = types.isComplex      ? complexBody(types)
                     : isInteger(types.a) ? integerBody(types)
                                          : realBody(types);
  std::string text = replaced(checkText, {{"$TARGET", targetText(chip)},
                                          {"$FIELDS", fieldsText()},
                                          {"$BODY", body},
                                          {"$COUNT", countText.str()},
                                          {"$A", storedType(types.a)},
                                          {"$B", storedType(types.b)},
                                          {"$C", storedType(types.c)}});
  return parseSourceString<ModuleOp>(text, context);
}

std::vector<double> kami::decodeTable(const CheckedTypes &types) {
  MLIRContext context;
  std::vector<double> values;
  for (ElementKind kind : {types.a, types.b, types.c}) {
    auto format = sim::formatOf(elementType(&context, kind));
    for (uint64_t bits = 0; bits != 256; ++bits)
      values.push_back(isFloat8(kind) ? sim::toDouble(*format, bits) : 0);
  }
  return values;
}

llvm::Expected<std::vector<Kernel>> kami::lowerCheck(ModuleOp module) {
  PassManager pm(module.getContext());
  OpPassManager &kernels = pm.nest<gpu::GPUModuleOp>();
  kernels.addPass(createSCFToControlFlowPass());
  kernels.addPass(createConvertGpuOpsToNVVMOps());
  kernels.addPass(createReconcileUnrealizedCastsPass());
  GpuModuleToBinaryPassOptions options;
  options.compilationTarget = "isa";
  pm.addPass(createGpuModuleToBinaryPass(options));
  std::vector<Kernel> found;
  module.walk([&](gpu::GPUFuncOp function) {
    Kernel &kernel = found.emplace_back();
    kernel.name = function.getName().str();
    kernel.module =
        function->getParentOfType<gpu::GPUModuleOp>().getName().str();
  });
  if (failed(pm.run(module)))
    return llvm::createStringError("cannot compile the kernels that check");
  SymbolTable symbols(module);
  for (Kernel &kernel : found) {
    auto binary = symbols.lookup<gpu::BinaryOp>(kernel.module);
    auto object = cast<gpu::ObjectAttr>(binary.getObjects()[0]);
    // The attribute's text ends in a zero that is not part of the program.
    kernel.binary = object.getObject().getValue().rtrim('\0').str();
  }
  return found;
}
