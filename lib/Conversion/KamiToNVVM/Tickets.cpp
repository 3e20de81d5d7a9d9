//===- Tickets.cpp - Counters that a launch's blocks share ----------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A variable of the module is a hash table of counters, whose keys are launches
// that are under way. `%gridid` numbers them: in a context it is another one
// for each launch, and for each kernel of each instance of a graph, which does
// not overlap itself (PTX ISA 9.0, "%gridid": "the temporal grid launch number
// for this context"; seen on an H100 of six kernels at a time in two instances
// of a graph beside four launches).
//
// A set of the table has the keys of two launches, which are one word of 64
// bits, so that one comparison and exchange sees that a launch is in neither
// place and puts it in one: no two blocks of a launch find different places. A
// third launch of the same set, of 4096, waits for one of them to end.
//
//===----------------------------------------------------------------------===//

#include "Tickets.h"
#include "Assembly.h"
#include "kami/IR/KamiOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace kami;
using namespace mlir;

/// Sets, each of the word of keys and a counter for each of them: 16 bytes.
static constexpr int64_t ticketSets = 4096;
static constexpr int64_t ticketSetBytes = 16;
static_assert(ticketSets == 4096 && ticketSetBytes == 16,
              "the assembly shifts and masks by them");

/// Where the launch's counter is ($0), in bytes from the table's begin ($1).
static constexpr llvm::StringLiteral openText =
    "{ .reg .pred p; .reg .b32 s, k, l, h; .reg .b64 a, n, o, w; "
    "mov.u64 n, %gridid; cvt.u32.u64 s, n; and.b32 s, s, 4095; "
    "shl.b32 s, s, 4; cvt.u64.u32 a, s; add.u64 a, a, $1; "
    "shr.u64 n, n, 12; cvt.u32.u64 k, n; add.u32 k, k, 1; mov.u64 o, 0; "
    "TRY: mov.b64 {l, h}, o; "
    "add.u32 $0, s, 8; setp.eq.u32 p, l, k; @p bra DONE; "
    "setp.eq.u32 p, l, 0; mov.b64 w, {k, h}; @p bra PUT; "
    "add.u32 $0, s, 12; setp.eq.u32 p, h, k; @p bra DONE; "
    "setp.eq.u32 p, h, 0; mov.b64 w, {l, k}; @p bra PUT; "
    "ld.relaxed.gpu.global.b64 o, [a]; bra TRY; "
    "PUT: atom.acq_rel.gpu.global.cas.b64 n, [a], o, w; "
    "setp.eq.u64 p, n, o; mov.u64 o, n; @!p bra TRY; "
    "DONE: }";

/// If the thread is the taker ($3), adds 1 to the counter ($0: what it was)
/// that is as many bytes from the table's begin ($1) as the second of the words
/// ($2) says. No branch, and nothing that waits for the answer.
static constexpr llvm::StringLiteral takeText =
    "{ .reg .pred p; .reg .b32 s; .reg .b64 a; setp.ne.u32 p, $3, 0; "
    "mov.u32 s, 0; @p ld.shared.u32 s, [$2+4]; "
    "cvt.u64.u32 a, s; add.u64 a, a, $1; mov.u32 $0, 0; "
    "@p atom.relaxed.gpu.global.add.u32 $0, [a], 1; }";

/// If the ticket ($2) is the last of $3, frees the counter's place ($1).
static constexpr llvm::StringLiteral freeText =
    "{ .reg .pred p; .reg .b32 s; .reg .b64 a, m; "
    "add.u32 s, $2, 1; setp.ne.u32 p, s, $3; @p bra DONE; "
    "cvt.u64.u32 a, $1; add.u64 a, a, $0; "
    "st.relaxed.gpu.global.u32 [a], 0; "
    "and.b32 s, $1, 4; setp.ne.u32 p, s, 0; "
    "selp.b64 m, 0x00000000ffffffff, 0xffffffff00000000, p; "
    "and.b64 a, a, 0xfffffffffffffff0; "
    "atom.release.gpu.global.and.b64 m, [a], m; "
    "DONE: }";

namespace {

/// The code of one kernel.
class KernelTickets {
public:
  explicit KernelTickets(gpu::GPUFuncOp kernel)
      : kernel(kernel), b(kernel.getLoc(), kernel.getContext()) {}

  void expand(ArrayRef<Operation *> ops);

private:
  Value indexOf(int64_t word) {
    return arith::ConstantIndexOp::create(b, word);
  }
  void open(OpenTicketsOp op);
  void take(TakeTicketOp op);
  void publish(PublishTicketOp op);
  Value isTaker(int64_t threads);
  template <typename Emit> void ifTaker(int64_t threads, Emit emit);

  gpu::GPUFuncOp kernel;
  ImplicitLocOpBuilder b;
  /// The table's address.
  Value table;
};

} // namespace

/// One thread takes the block's tickets: the first of the last warp, which is
/// the one that has least to do when tiles are dealt.
Value KernelTickets::isTaker(int64_t threads) {
  constexpr int64_t warp = 32;
  Value thread = gpu::ThreadIdOp::create(b, gpu::Dimension::x);
  return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, thread,
                               indexOf(threads - warp));
}

/// Has the taker execute what `emit` emits.
template <typename Emit>
void KernelTickets::ifTaker(int64_t threads, Emit emit) {
  Value isThis = isTaker(threads);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(
      scf::IfOp::create(b, isThis, /*withElseRegion=*/false).thenBlock());
  emit();
}

void KernelTickets::open(OpenTicketsOp op) {
  b.setInsertionPoint(op);
  ifTaker(op.getThreads(), [&] {
    Value place =
        assemble(b, b.getI32Type(), table, openText, "=&r,l,~{memory}");
    memref::StoreOp::create(b, place, op.getWords(), indexOf(1));
  });
}

void KernelTickets::take(TakeTicketOp op) {
  b.setInsertionPoint(op);
  Type word = b.getI32Type();
  Value words = arith::IndexCastOp::create(
      b, word,
      memref::ExtractAlignedPointerAsIndexOp::create(b, op.getWords()));
  Value takes = arith::ExtUIOp::create(b, word, isTaker(op.getThreads()));
  op.replaceAllUsesWith(assemble(b, word, {table, words, takes}, takeText,
                                 "=&r,l,r,r,~{memory}"));
}

void KernelTickets::publish(PublishTicketOp op) {
  b.setInsertionPoint(op);
  // Each block has one beyond the limit.
  Value all = arith::AddIOp::create(b, op.getLimit(), indexOf(op.getBlocks()));
  all = arith::IndexCastOp::create(b, b.getI32Type(), all);
  ifTaker(op.getThreads(), [&] {
    Value place = memref::LoadOp::create(b, op.getWords(), indexOf(1));
    assemble(b, Type(), {table, place, op.getTicket(), all}, freeText,
             "l,r,r,r,~{memory}");
    memref::StoreOp::create(b, op.getTicket(), op.getWords(), indexOf(0));
  });
}

void KernelTickets::expand(ArrayRef<Operation *> ops) {
  // All zeros: nobody has a place.
  b.setInsertionPointToStart(&kernel.getBody().front());
  table = makeVariable(b, kernel, "_tickets", b.getI8Type(),
                       ticketSets * ticketSetBytes, ticketSetBytes);
  for (Operation *op : ops) {
    if (auto opening = dyn_cast<OpenTicketsOp>(op))
      open(opening);
    else if (auto taking = dyn_cast<TakeTicketOp>(op))
      take(taking);
    else
      publish(cast<PublishTicketOp>(op));
    op->erase();
  }
}

LogicalResult kami::expandTickets(gpu::GPUModuleOp module) {
  for (auto kernel : llvm::to_vector(module.getOps<gpu::GPUFuncOp>())) {
    SmallVector<Operation *> ops;
    kernel.walk([&](Operation *op) {
      if (isa<OpenTicketsOp, TakeTicketOp, PublishTicketOp>(op))
        ops.push_back(op);
    });
    if (!ops.empty())
      KernelTickets(kernel).expand(ops);
  }
  return success();
}
