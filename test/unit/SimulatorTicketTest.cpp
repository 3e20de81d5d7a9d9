//===- SimulatorTicketTest.cpp --------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SimulatorTest.h"
#include "llvm/Support/FormatVariadic.h"

using namespace kami;
using namespace kami::sim;
using namespace mlir;

namespace {

class TicketTest : public SimulatorTest {
protected:
  /// Blocks of two warps, each of which writes down the tickets that it takes:
  /// `begin` comes before the first, and `more` after the last.
  LogicalResult run(int blocks, int64_t limit, StringRef begin,
                    StringRef more = "") {
    parse(llvm::formatv(R"(
#shared = #gpu.address_space<workgroup>
!words = memref<2xi32, #shared>
gpu.module @m {{
gpu.func @k(%out: memref<64xi32>) kernel
    attributes {{known_block_size = array<i32: 64, 1, 1>} {{
  %c0 = arith.constant 0 : index
  %one = arith.constant 1 : i32
  %limit = arith.constant {0} : index
  %bytes = gpu.dynamic_shared_memory : memref<?xi8, #shared>
  %words = memref.view %bytes[%c0][] : memref<?xi8, #shared> to !words
  %thread = gpu.thread_id x
  %block = gpu.block_id x
  %is_first = arith.cmpi eq, %thread, %c0 : index
  {1}
  %yes = arith.constant true
  scf.while (%goes_on = %yes) : (i1) -> () {{
    scf.condition(%goes_on)
  } do {{
    %taken = kami.take_ticket %words of 3 by 64 : !words
    kami.publish_ticket %taken in %words up_to %limit of 3 by 64 : !words
    gpu.barrier
    %ticket = memref.load %words[%c0] : !words
    %at = arith.index_cast %ticket : i32 to index
    %is_there = arith.cmpi ult, %at, %limit : index
    %writes = arith.andi %is_there, %is_first : i1
    scf.if %writes {{
      %number = arith.index_cast %block : index to i32
      %entry = arith.addi %number, %one : i32
      memref.store %entry, %out[%at] : memref<64xi32>
    }
    gpu.barrier
    scf.yield %is_there : i1
  }
  {2}
  gpu.return
}
}
)",
                        limit, begin, more)
              .str());
    out = array({64}, IntegerType::get(&context, 32), std::vector<double>(64));
    return simulateLaunch(find<gpu::GPUFuncOp>(), {blocks}, {64}, 8, {out},
                          options, report);
  }

  static constexpr StringRef opens = "kami.open_tickets %words by 64 : !words";
  MemRef out;
};

} // namespace

TEST_F(TicketTest, EachNumberIsOneBlocks) {
  ASSERT_TRUE(succeeded(run(3, 8, opens))) << message;
  for (int64_t i = 0; i != 64; ++i)
    EXPECT_EQ(at(out, {i}), i < 8 ? 1 + i % 3 : 0);
}

TEST_F(TicketTest, ThereMayBeNone) {
  ASSERT_TRUE(succeeded(run(3, 0, opens))) << message;
  EXPECT_EQ(at(out, {0}), 0);
}

TEST_F(TicketTest, BlocksAreAsManyAsTheOpSays) {
  EXPECT_TRUE(failed(run(2, 8, opens)));
  EXPECT_NE(message.find("expected 3 blocks, but got 2"), std::string::npos)
      << message;
}

TEST_F(TicketTest, WhoNeverOpenedHasNone) {
  EXPECT_TRUE(failed(run(3, 8, "")));
  EXPECT_NE(message.find("expected words that kami.open_tickets has written"),
            std::string::npos)
      << message;
}

TEST_F(TicketTest, NoneIsTakenBehindTheLast) {
  EXPECT_TRUE(
      failed(run(3, 8, opens,
                 "%t = kami.take_ticket %words of 3 by 64 : !words "
                 "kami.publish_ticket %t in %words up_to %limit of 3 by 64 "
                 ": !words")));
  EXPECT_NE(message.find("behind one that is beyond the limit"),
            std::string::npos)
      << message;
}
