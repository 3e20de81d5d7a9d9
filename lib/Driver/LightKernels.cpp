//===- LightKernels.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LightKernels.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <cassert>

using namespace kami;

std::string LightVariant::describe() const {
  std::string text;
  if (isBulk)
    text = llvm::formatv("bulk, {0} bytes, {1} stages", chunk, stages);
  else
    text = llvm::formatv("{0} threads, {1} words{2}", threads, words,
                         isStreaming ? ", streaming" : "");
  if (blocks > 0)
    text += llvm::formatv(", {0} a multiprocessor", blocks);
  return text;
}

std::vector<LightVariant> kami::lightVariants(const Chip &chip) {
  std::vector<LightVariant> variants;
  auto add = [&](int64_t threads, int64_t words, int64_t blocks) {
    for (bool isStreaming : {true, false})
      variants.push_back({false, blocks, threads, words, isStreaming, 0, 0});
  };
  // Every thread once: what is short needs all of the device at once.
  add(128, 1, 0);
  add(256, 1, 0);
  add(256, 2, 0);
  add(256, 4, 0);
  // Threads that go on: 64 to 128 KB of a multiprocessor in flight, by few or
  // many threads.
  add(256, 4, 4);
  add(256, 2, 5);
  add(512, 4, 2);
  add(512, 2, 2);
  // The copy engine's instructions came with sm_90 (PTX ISA 8.0).
  if (!chip.groupAtoms.empty() || chip.ptxVersion >= 80)
    for (auto [chunk, stages, blocks] :
         {std::tuple(2048, 8, 4), std::tuple(4096, 4, 4),
          std::tuple(4096, 8, 3), std::tuple(8192, 4, 3),
          std::tuple(8192, 6, 2), std::tuple(16384, 3, 2),
          std::tuple(16384, 6, 1)}) {
      LightVariant variant{true, blocks, 32, 1, false, chunk, stages};
      if (variant.sharedBytes() <= chip.sharedPerBlock)
        variants.push_back(variant);
    }
  return variants;
}

//===----------------------------------------------------------------------===//
// The kernels
//===----------------------------------------------------------------------===//

/// After `{0}`: the parameters, and the up to 15 bytes behind the whole words
/// of each operand, by the first threads of the grid. Leaves `%most`, the whole
/// words of the longest operand.
static constexpr llvm::StringLiteral beginning = R"(
  .reg .pred %isTail, %inA, %inB, %inC, %done, %isFirst;
  .reg .b32 %self, %block, %width, %grid;
  .reg .b64 %a, %b, %c, %aBytes, %bBytes, %cBytes, %aWords, %bWords, %cWords;
  .reg .b64 %thread, %most, %place, %at;
  .reg .b16 %left, %right;
  ld.param.b64 %a, [pa];
  ld.param.b64 %b, [pb];
  ld.param.b64 %c, [pc];
  ld.param.b64 %aBytes, [na];
  ld.param.b64 %bBytes, [nb];
  ld.param.b64 %cBytes, [nc];
  cvta.to.global.u64 %a, %a;
  cvta.to.global.u64 %b, %b;
  cvta.to.global.u64 %c, %c;
  mov.u32 %self, %tid.x;
  mov.u32 %block, %ctaid.x;
  mov.u32 %width, %ntid.x;
  mov.u32 %grid, %nctaid.x;
  shr.u64 %aWords, %aBytes, 4;
  shr.u64 %bWords, %bBytes, 4;
  shr.u64 %cWords, %cBytes, 4;
  max.u64 %most, %aWords, %bWords;
  max.u64 %most, %most, %cWords;

  // A byte of each operand's tail; a place outside reads as zero.
  setp.lt.u32 %isTail, %self, 16;
  setp.eq.u32 %isFirst, %block, 0;
  and.pred %isTail, %isTail, %isFirst;
  @!%isTail bra WORDS;
  cvt.u64.u32 %thread, %self;
  mov.b16 %left, 0;
  mov.b16 %right, 0;
  shl.b64 %place, %aWords, 4;
  add.u64 %place, %place, %thread;
  setp.lt.u64 %inA, %place, %aBytes;
  add.u64 %at, %a, %place;
  @%inA ld.global.u8 %left, [%at];
  shl.b64 %place, %bWords, 4;
  add.u64 %place, %place, %thread;
  setp.lt.u64 %inB, %place, %bBytes;
  add.u64 %at, %b, %place;
  @%inB ld.global.u8 %right, [%at];
  xor.b16 %left, %left, %right;
  shl.b64 %place, %cWords, 4;
  add.u64 %place, %place, %thread;
  setp.lt.u64 %inC, %place, %cBytes;
  add.u64 %at, %c, %place;
  @%inC st.global.u8 [%at], %left;
WORDS:
)";

static std::string header(const LightVariant &variant, const Chip &chip) {
  // Of `.L1::no_allocate`, and of bulk copies.
  int64_t version =
      std::max<int64_t>(chip.ptxVersion, variant.isBulk ? 80 : 74);
  std::string text =
      llvm::formatv(".version {0}.{1}\n.target {2}\n.address_size 64\n",
                    version / 10, version % 10, chip.name);
  if (variant.isBulk)
    text += ".extern .shared .align 128 .b8 buffers[];\n";
  text += ".visible .entry kami_light(.param .b64 pa, .param .b64 pb, "
          ".param .b64 pc, .param .b64 na, .param .b64 nb, .param .b64 nc)\n";
  text += llvm::formatv(".maxntid {0}, 1, 1\n{{", variant.threads);
  return text + beginning.str();
}

/// "{%left0_0, %left0_1, ...}": the registers of a word.
static std::string word(llvm::StringRef operand, int64_t number) {
  std::string text = "{";
  for (int part = 0; part != 4; ++part)
    text += llvm::formatv("{0}%{1}{2}_{3}", part ? ", " : "", operand, number,
                          part);
  return text + "}";
}

/// Each thread reads `words` words of A and of B, a block's width apart, then
/// writes as many of C, and goes a grid's width further.
static std::string wordKernel(const LightVariant &variant) {
  std::string text;
  llvm::raw_string_ostream os(text);
  // Not `.nc`: those loads ptxas moves down behind the stores, of which each
  // then waits for the one before.
  llvm::StringRef load = variant.isStreaming
                             ? "ld.global.L1::no_allocate.v4.b32"
                             : "ld.global.v4.b32";
  llvm::StringRef store =
      variant.isStreaming ? "st.global.cs.v4.b32" : "st.global.v4.b32";
  os << "  .reg .b64 %start, %step, %across;\n"
     << "  .reg .b32 %rest0, %rest1, %rest2, %rest3, %all;\n"
     << "  .reg .pred %never;\n";
  for (int64_t number = 0; number != variant.words; ++number) {
    os << "  .reg .b64 %i" << number << ", %offset" << number << ";\n"
       << "  .reg .pred %c" << number << ";\n";
    for (llvm::StringRef operand : {"left", "right"})
      for (int part = 0; part != 4; ++part)
        os << llvm::formatv("  .reg .b32 %{0}{1}_{2};\n", operand, number,
                            part);
  }
  for (int part = 0; part != 4; ++part)
    os << "  mov.b32 %rest" << part << ", 0;\n";
  os << "  cvt.u64.u32 %across, %width;\n"
     << "  mul.wide.u32 %start, %block, %width;\n"
     << llvm::formatv("  mul.lo.u64 %start, %start, {0};\n", variant.words)
     << "  cvt.u64.u32 %thread, %self;\n"
     << "  add.u64 %start, %start, %thread;\n"
     << "  mul.wide.u32 %step, %grid, %width;\n"
     << llvm::formatv("  mul.lo.u64 %step, %step, {0};\n", variant.words)
     << "NEXT:\n"
     << "  setp.ge.u64 %done, %start, %most;\n"
     << "  @%done bra END;\n";
  for (int64_t number = 0; number != variant.words; ++number) {
    std::string index = llvm::formatv("%i{0}", number);
    std::string offset = llvm::formatv("%offset{0}", number);
    if (number == 0)
      os << "  mov.b64 %i0, %start;\n";
    else
      os << llvm::formatv("  add.u64 {0}, %i{1}, %across;\n", index,
                          number - 1);
    os << llvm::formatv("  shl.b64 {0}, {1}, 4;\n", offset, index);
    for (auto [operand, base] :
         {std::pair("left", "a"), std::pair("right", "b")}) {
      for (int part = 0; part != 4; ++part)
        os << llvm::formatv("  mov.b32 %{0}{1}_{2}, 0;\n", operand, number,
                            part);
      os << llvm::formatv("  setp.lt.u64 %inA, {0}, %{1}Words;\n", index, base)
         << llvm::formatv("  add.u64 %at, %{0}, {1};\n", base, offset)
         << llvm::formatv("  @%inA {0} {1}, [%at];\n", load,
                          word(operand, number));
    }
    os << llvm::formatv("  setp.lt.u64 %c{0}, {1}, %cWords;\n", number, index);
  }
  for (int64_t number = 0; number != variant.words; ++number) {
    for (int part = 0; part != 4; ++part)
      os << llvm::formatv("  xor.b32 %left{0}_{1}, %left{0}_{1}, "
                          "%right{0}_{1};\n",
                          number, part);
    os << llvm::formatv("  add.u64 %at, %c, %offset{0};\n", number)
       << llvm::formatv("  @%c{0} {1} [%at], {2};\n", number, store,
                        word("left", number));
    // What is read behind C's end has to matter, or it would not be read.
    for (int part = 0; part != 4; ++part)
      os << llvm::formatv("  @!%c{0} xor.b32 %rest{1}, %rest{1}, "
                          "%left{0}_{1};\n",
                          number, part);
  }
  os << "  add.u64 %start, %start, %step;\n"
     << "  bra NEXT;\n"
     << "END:\n"
     // Four words of a chosen value do not come about in the operands.
     << "  setp.eq.b32 %never, %rest0, 0x9E3779B9;\n"
     << "  setp.eq.and.b32 %never, %rest1, 0x7F4A7C15, %never;\n"
     << "  setp.eq.and.b32 %never, %rest2, 0xF39CC060, %never;\n"
     << "  setp.eq.and.b32 %never, %rest3, 0x5CEDC834, %never;\n"
     << "  @%never st.global.b32 [%c], %rest0;\n"
     << "  ret;\n}\n";
  return text;
}

/// Asks for the chunk `%ahead` of A and B, if there is one, into the stage
/// `%loadStage`, and goes on to the next of each. A chunk may lack bytes of A
/// or of B, but tells the barrier in any case.
static std::string chunkLoad(const LightVariant &variant) {
  std::string text = R"(  {
    .reg .pred %none, %some, %isLast;
    .reg .b64 %from, %first, %aLeft, %bLeft;
    .reg .b32 %buffer, %barrier, %aSize, %bSize, %sum;
    setp.ge.u64 %none, %ahead, %count;
    @%none bra LOADED;
    mul.lo.u64 %first, %ahead, CHUNK;
    sub.s64 %aLeft, %aEnd, %first;
    max.s64 %aLeft, %aLeft, 0;
    min.s64 %aLeft, %aLeft, CHUNK;
    cvt.u32.u64 %aSize, %aLeft;
    sub.s64 %bLeft, %bEnd, %first;
    max.s64 %bLeft, %bLeft, 0;
    min.s64 %bLeft, %bLeft, CHUNK;
    cvt.u32.u64 %bSize, %bLeft;
    add.u32 %sum, %aSize, %bSize;
    mad.lo.u32 %barrier, %loadStage, 8, %barriers;
    mad.lo.u32 %buffer, %loadStage, PAIR, %buffers;
    mbarrier.arrive.expect_tx.shared::cta.b64 _, [%barrier], %sum;
    setp.gt.u32 %some, %aSize, 0;
    add.u64 %from, %a, %first;
    @%some cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%buffer], [%from], %aSize, [%barrier];
    setp.gt.u32 %some, %bSize, 0;
    add.u64 %from, %b, %first;
    add.u32 %buffer, %buffer, CHUNK;
    @%some cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%buffer], [%from], %bSize, [%barrier];
  LOADED:
    add.u64 %ahead, %ahead, %stride;
    add.u32 %loadStage, %loadStage, 1;
    setp.eq.u32 %isLast, %loadStage, STAGES;
    @%isLast mov.b32 %loadStage, 0;
  }
)";
  for (auto [name, value] :
       {std::pair("CHUNK", variant.chunk), std::pair("PAIR", 2 * variant.chunk),
        std::pair("STAGES", variant.stages)})
    for (size_t place; (place = text.find(name)) != std::string::npos;)
      text.replace(place, llvm::StringRef(name).size(), llvm::itostr(value));
  return text;
}

/// Stages of a chunk of A and one of B each, then a barrier for each stage that
/// tells when both are there. One thread of each block keeps all but one of the
/// stages under way. A stage is asked for again once the copy to C that was
/// begun before the last one has read its bytes.
static std::string bulkKernel(const LightVariant &variant) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << R"(
  .reg .pred %isOther, %isFull, %isEnd, %hasC, %isLast;
  .reg .b64 %i, %ahead, %stride, %count, %aEnd, %bEnd, %cEnd, %first, %to, %cLeft;
  .reg .b32 %barriers, %buffers, %loadStage, %stage, %phase, %barrier, %buffer, %cSize;
  setp.ne.u32 %isOther, %self, 0;
  @%isOther ret;
  mov.u32 %buffers, buffers;
)"
     << llvm::formatv("  add.u32 %barriers, %buffers, {0};\n",
                      2 * variant.chunk * variant.stages);
  for (int64_t stage = 0; stage != variant.stages; ++stage)
    os << llvm::formatv("  mbarrier.init.shared::cta.b64 [%barriers+{0}], 1;\n",
                        8 * stage);
  os << R"(  fence.mbarrier_init.release.cluster;
  fence.proxy.async.shared::cta;
  shl.b64 %aEnd, %aWords, 4;
  shl.b64 %bEnd, %bWords, 4;
  shl.b64 %cEnd, %cWords, 4;
  shl.b64 %count, %most, 4;
)" << llvm::formatv("  add.u64 %count, %count, {0};\n", variant.chunk - 1)
     << llvm::formatv("  shr.u64 %count, %count, {0};\n",
                      llvm::Log2_64(variant.chunk))
     << R"(  cvt.u64.u32 %i, %block;
  cvt.u64.u32 %stride, %grid;
  mov.b64 %ahead, %i;
  mov.b32 %loadStage, 0;
  mov.b32 %stage, 0;
  mov.b32 %phase, 0;
)";
  for (int64_t stage = 0; stage + 1 < variant.stages; ++stage)
    os << chunkLoad(variant);
  os << R"(NEXT:
  setp.ge.u64 %isEnd, %i, %count;
  @%isEnd bra END;
  mad.lo.u32 %barrier, %stage, 8, %barriers;
)"
     << llvm::formatv("  mad.lo.u32 %buffer, %stage, {0}, %buffers;\n",
                      2 * variant.chunk)
     << R"(WAIT:
  mbarrier.try_wait.parity.shared::cta.b64 %isFull, [%barrier], %phase;
  @!%isFull bra WAIT;
)" << llvm::formatv("  mul.lo.u64 %first, %i, {0};\n", variant.chunk)
     << R"(  sub.s64 %cLeft, %cEnd, %first;
  max.s64 %cLeft, %cLeft, 0;
)" << llvm::formatv("  min.s64 %cLeft, %cLeft, {0};\n", variant.chunk)
     << R"(  cvt.u32.u64 %cSize, %cLeft;
  setp.gt.u32 %hasC, %cSize, 0;
  add.u64 %to, %c, %first;
  @%hasC cp.async.bulk.global.shared::cta.bulk_group [%to], [%buffer], %cSize;
  cp.async.bulk.commit_group;
  cp.async.bulk.wait_group.read 1;
)" << chunkLoad(variant)
     << R"(  add.u64 %i, %i, %stride;
  add.u32 %stage, %stage, 1;
)" << llvm::formatv("  setp.eq.u32 %isLast, %stage, {0};\n", variant.stages)
     << R"(  @%isLast mov.b32 %stage, 0;
  @%isLast xor.b32 %phase, %phase, 1;
  bra NEXT;
END:
  cp.async.bulk.wait_group 0;
  ret;
}
)";
  return text;
}

std::string kami::lightKernel(const LightVariant &variant, const Chip &chip) {
  assert(!variant.isBulk || llvm::isPowerOf2_64(variant.chunk));
  return header(variant, chip) +
         (variant.isBulk ? bulkKernel(variant) : wordKernel(variant));
}
