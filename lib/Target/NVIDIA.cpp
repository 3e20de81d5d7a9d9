//===- NVIDIA.cpp - Facts about NVIDIA's chips ----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tables.h"
#include <array>

using namespace kami;

using P = Provenance;

static constexpr llvm::StringLiteral limits =
    "CUDA C++ Programming Guide 13.0, table \"Technical Specifications per "
    "Compute Capability\"";
static constexpr llvm::StringLiteral banks =
    "CUDA C++ Programming Guide 13.0, section \"Shared Memory\"";
static constexpr llvm::StringLiteral limitFigures =
    "warp size, registers, threads, blocks, shared memory";
static constexpr Citation ptxCitation = {
    "lowest version of PTX", P::Documented,
    "PTX ISA 9.0, section \"Release Notes\""};
static constexpr llvm::StringLiteral bankFigures =
    "banks, bytes a cycle of shared memory";

//===----------------------------------------------------------------------===//
// Atoms
//===----------------------------------------------------------------------===//

/// The part of its rate that a shape with half the k of another is taken to
/// reach: half the work, for the same accumulators in and out.
static constexpr double shorterStep = 0.8;
/// The part of their rate that multiply-adds of the lanes are taken to reach:
/// loads and moves are issued by the same slots. Two f64 lanes a multiprocessor
/// wait for nothing.
static constexpr double issueBound = 0.7;

/// The same where each operand's element is extended first, which takes a slot
/// of its own (two for 8-bit floats, by way of f16).
static constexpr double extendBound = issueBound / 2;
static constexpr double extendTwiceBound = issueBound / 3;

/// What a lane multiplies by itself, on a chip whose lanes beside a tensor core
/// do so many f32 and f64 operations a cycle.
static constexpr std::array<AtomRate, 6> laneAtoms(double f32, double f64,
                                                   double reachedF64,
                                                   llvm::StringLiteral source) {
  return {{
      {"fma.m1n1k1.f32.f32", f32, issueBound, P::Assumed, source},
      {"fma.m1n1k1.f64.f64", f64, reachedF64, P::Assumed, source},
      {"fma.m1n1k1.f32.f16", f32, extendBound, P::Assumed, source},
      {"fma.m1n1k1.f32.bf16", f32, extendBound, P::Assumed, source},
      {"fma.m1n1k1.f32.f8E4M3FN", f32, extendTwiceBound, P::Assumed, source},
      {"fma.m1n1k1.f32.f8E5M2", f32, extendTwiceBound, P::Assumed, source},
  }};
}

static constexpr llvm::StringLiteral a100 =
    "NVIDIA A100 Tensor Core GPU Architecture whitepaper, table 3";
static constexpr AtomRate sm80Atoms[] = {
    {"mma_sync.m16n8k16.f32.f16", 512, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k16.f16.f16", 512, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k16.f32.bf16", 512, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k8.f32.tf32", 256, 1.0, P::Assumed, a100},
    {"mma_sync.m8n8k4.f64.f64", 32, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k4.f32.tf32", 256, shorterStep, P::Assumed, a100},
    {"mma_sync.m16n8k8.f32.tf32x3", 256 / 3.0, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k4.f32.tf32x3", 256 / 3.0, shorterStep, P::Assumed, a100},
    {"mma_sync.m16n8k32.i32.i8", 1024, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k32.i32.u8", 1024, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k32.i32.i8.u8", 1024, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k32.i32.u8.i8", 1024, 1.0, P::Assumed, a100},
    {"mma_sync.m16n8k16.i32.i8", 1024, shorterStep, P::Assumed, a100},
    {"mma_sync.m16n8k16.i32.u8", 1024, shorterStep, P::Assumed, a100},
    {"mma_sync.m16n8k16.i32.i8.u8", 1024, shorterStep, P::Assumed, a100},
    {"mma_sync.m16n8k16.i32.u8.i8", 1024, shorterStep, P::Assumed, a100},
    {"fma.m16n8k1.f32.f32", 32, issueBound, P::Assumed, a100},
    {"fma.m16n16k4.f32.f32", 32, issueBound, P::Assumed, a100},
    {"fma.m16n8k1.f64.f64", 16, issueBound, P::Assumed, a100},
    {"fma.m16n8k1.f32.f8E4M3FN", 32, issueBound, P::Assumed, a100},
    {"fma.m16n8k1.f32.f8E5M2", 32, issueBound, P::Assumed, a100},
    {"fma.m16n8k1.f32.f8E4M3FN.f8E5M2", 32, issueBound, P::Assumed, a100},
    {"fma.m16n8k1.f32.f8E5M2.f8E4M3FN", 32, issueBound, P::Assumed, a100},
};

static constexpr auto sm80LaneAtoms = laneAtoms(32, 16, issueBound, a100);

// GeForce chips halve the rate where the sum is in f32, and run f64 mma on the
// two f64 units of a multiprocessor: 4 operations a cycle, 1 per tensor core.
static constexpr llvm::StringLiteral ada =
    "NVIDIA Ada GPU Architecture whitepaper, appendix A, RTX 4090";
static constexpr AtomRate sm89Atoms[] = {
    {"mma_sync.m16n8k16.f32.f16", 128, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k16.f16.f16", 256, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k16.f32.bf16", 128, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k8.f32.tf32", 64, 1.0, P::Assumed, ada},
    {"mma_sync.m8n8k4.f64.f64", 1, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k4.f32.tf32", 64, shorterStep, P::Assumed, ada},
    {"mma_sync.m16n8k8.f32.tf32x3", 64 / 3.0, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k4.f32.tf32x3", 64 / 3.0, shorterStep, P::Assumed, ada},
    {"mma_sync.m16n8k32.i32.i8", 512, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k32.i32.u8", 512, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k32.i32.i8.u8", 512, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k32.i32.u8.i8", 512, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k16.i32.i8", 512, shorterStep, P::Assumed, ada},
    {"mma_sync.m16n8k16.i32.u8", 512, shorterStep, P::Assumed, ada},
    {"mma_sync.m16n8k16.i32.i8.u8", 512, shorterStep, P::Assumed, ada},
    {"mma_sync.m16n8k16.i32.u8.i8", 512, shorterStep, P::Assumed, ada},
    {"mma_sync.m16n8k32.f32.f8E4M3FN", 256, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k32.f32.f8E5M2", 256, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2", 256, 1.0, P::Assumed, ada},
    {"mma_sync.m16n8k32.f32.f8E5M2.f8E4M3FN", 256, 1.0, P::Assumed, ada},
    {"fma.m16n8k1.f32.f32", 64, issueBound, P::Assumed, ada},
    {"fma.m16n16k4.f32.f32", 64, issueBound, P::Assumed, ada},
    {"fma.m16n8k1.f64.f64", 1, 1.0, P::Assumed, ada},
    {"fma.m16n8k1.f32.f8E4M3FN", 64, issueBound, P::Assumed, ada},
    {"fma.m16n8k1.f32.f8E5M2", 64, issueBound, P::Assumed, ada},
    {"fma.m16n8k1.f32.f8E4M3FN.f8E5M2", 64, issueBound, P::Assumed, ada},
    {"fma.m16n8k1.f32.f8E5M2.f8E4M3FN", 64, issueBound, P::Assumed, ada},
};

static constexpr auto sm89LaneAtoms = laneAtoms(64, 1, 1.0, ada);

// Documented rates are what wgmma reaches. mma.sync alone, measured on an H200
// at 1980 MHz (132 x 4 tensor cores): 643, 322, 66.4 and 33 TFLOPS.
static constexpr double sm90TeraPerOp = 132 * 4 * 1980e6 * 1e-12;
static constexpr llvm::StringLiteral h200 =
    "NVIDIA H100 whitepaper, table 2; loops of mma.sync on an H200: 643 TFLOPS "
    "f16, 322 tf32, 66.4 f64, 33 f64 by m8n8k4";
static constexpr llvm::StringLiteral h200BF16 =
    "NVIDIA H100 whitepaper, table 2; taken to run as f16 does";
static constexpr double sm90Reached = 643 / (1024 * sm90TeraPerOp);
static constexpr llvm::StringLiteral h200TF32 =
    "NVIDIA H100 whitepaper, table 2; taken to run as m16n8k8 does";
static constexpr llvm::StringLiteral h200Bytes =
    "NVIDIA H100 whitepaper, table 2; taken to reach as much of it as f16";
static constexpr llvm::StringLiteral h200Lanes =
    "NVIDIA H100 whitepaper, table 2: 128 f32 and 64 f64 lanes";
// ptxas 13.0 expands mma.sync on floats of 8 bits: conversions to f16, two
// m16n8k16 from zero, and additions.
static constexpr llvm::StringLiteral h200Float8 =
    "what ptxas 13.0 makes of it for sm_90, half of mma.sync on f16 less the "
    "conversions";
static constexpr AtomRate sm90Atoms[] = {
    {"mma_sync.m16n8k16.f32.f16", 1024, 643 / (1024 * sm90TeraPerOp),
     P::Measured, h200},
    {"mma_sync.m16n8k16.f16.f16", 1024, 643 / (1024 * sm90TeraPerOp),
     P::Measured, h200},
    {"mma_sync.m16n8k16.f32.bf16", 1024, 643 / (1024 * sm90TeraPerOp),
     P::Assumed, h200BF16},
    {"mma_sync.m16n8k8.f32.tf32", 512, 322 / (512 * sm90TeraPerOp), P::Measured,
     h200},
    {"mma_sync.m16n8k8.f64.f64", 64, 66.4 / (64 * sm90TeraPerOp), P::Measured,
     h200},
    {"mma_sync.m16n8k16.f64.f64", 64, 66.4 / (64 * sm90TeraPerOp), P::Measured,
     h200},
    {"mma_sync.m8n8k4.f64.f64", 64, 33 / (64 * sm90TeraPerOp), P::Measured,
     h200},
    {"mma_sync.m16n8k4.f32.tf32", 512, shorterStep * sm90Reached, P::Assumed,
     h200TF32},
    {"mma_sync.m16n8k8.f32.tf32x3", 512 / 3.0, sm90Reached, P::Assumed,
     h200TF32},
    {"mma_sync.m16n8k4.f32.tf32x3", 512 / 3.0, shorterStep * sm90Reached,
     P::Assumed, h200TF32},
    {"mma_sync.m16n8k32.i32.i8", 2048, sm90Reached, P::Assumed, h200Bytes},
    {"mma_sync.m16n8k32.i32.u8", 2048, sm90Reached, P::Assumed, h200Bytes},
    {"mma_sync.m16n8k32.i32.i8.u8", 2048, sm90Reached, P::Assumed, h200Bytes},
    {"mma_sync.m16n8k32.i32.u8.i8", 2048, sm90Reached, P::Assumed, h200Bytes},
    {"mma_sync.m16n8k16.i32.i8", 2048, shorterStep * sm90Reached, P::Assumed,
     h200Bytes},
    {"mma_sync.m16n8k16.i32.u8", 2048, shorterStep * sm90Reached, P::Assumed,
     h200Bytes},
    {"mma_sync.m16n8k16.i32.i8.u8", 2048, shorterStep * sm90Reached, P::Assumed,
     h200Bytes},
    {"mma_sync.m16n8k16.i32.u8.i8", 2048, shorterStep * sm90Reached, P::Assumed,
     h200Bytes},
    {"mma_sync.m16n8k32.f32.f8E4M3FN", 2048, 0.15, P::Assumed, h200Float8},
    {"mma_sync.m16n8k32.f32.f8E5M2", 2048, 0.15, P::Assumed, h200Float8},
    {"mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2", 2048, 0.15, P::Assumed,
     h200Float8},
    {"mma_sync.m16n8k32.f32.f8E5M2.f8E4M3FN", 2048, 0.15, P::Assumed,
     h200Float8},
    {"fma.m16n8k1.f32.f32", 64, issueBound, P::Assumed, h200Lanes},
    {"fma.m16n16k4.f32.f32", 64, issueBound, P::Assumed, h200Lanes},
    {"fma.m16n8k1.f64.f64", 32, issueBound, P::Assumed, h200Lanes},
    {"fma.m16n8k1.f32.f8E4M3FN", 64, issueBound, P::Assumed, h200Lanes},
    {"fma.m16n8k1.f32.f8E5M2", 64, issueBound, P::Assumed, h200Lanes},
    {"fma.m16n8k1.f32.f8E4M3FN.f8E5M2", 64, issueBound, P::Assumed, h200Lanes},
    {"fma.m16n8k1.f32.f8E5M2.f8E4M3FN", 64, issueBound, P::Assumed, h200Lanes},
};

static constexpr auto sm90LaneAtoms = laneAtoms(64, 32, issueBound, h200Lanes);

// A in registers, B resident in shared memory, 64 × 64 × 64 a block.
static constexpr llvm::StringLiteral h200Group =
    "NVIDIA H100 whitepaper, table 2; loops of wgmma on an H200: 927 TFLOPS "
    "f16, 464 tf32, 1790 e4m3";
static constexpr llvm::StringLiteral h200GroupKin =
    "NVIDIA H100 whitepaper, table 2; taken to run as the type of its width "
    "that was measured";
static constexpr AtomRate sm90GroupAtoms[] = {
    {"wgmma.m16n8k16.f32.f16", 1024, 927 / (1024 * sm90TeraPerOp), P::Measured,
     h200Group},
    {"wgmma.m16n8k16.f16.f16", 1024, 927 / (1024 * sm90TeraPerOp), P::Assumed,
     h200GroupKin},
    {"wgmma.m16n8k16.f32.bf16", 1024, 927 / (1024 * sm90TeraPerOp), P::Assumed,
     h200GroupKin},
    {"wgmma.m16n8k8.f32.tf32", 512, 464 / (512 * sm90TeraPerOp), P::Measured,
     h200Group},
    {"wgmma.m16n8k32.f32.f8E4M3FN", 2048, 1790 / (2048 * sm90TeraPerOp),
     P::Measured, h200Group},
    {"wgmma.m16n8k32.f32.f8E5M2", 2048, 1790 / (2048 * sm90TeraPerOp),
     P::Assumed, h200GroupKin},
    {"wgmma.m16n8k32.f32.f8E4M3FN.f8E5M2", 2048, 1790 / (2048 * sm90TeraPerOp),
     P::Assumed, h200GroupKin},
    {"wgmma.m16n8k32.f32.f8E5M2.f8E4M3FN", 2048, 1790 / (2048 * sm90TeraPerOp),
     P::Assumed, h200GroupKin},
    {"wgmma.m16n8k32.i32.i8", 2048, 1790 / (2048 * sm90TeraPerOp), P::Assumed,
     h200GroupKin},
};

// The documented rates belong to tcgen05. mma.sync is taken to run as fast per
// tensor core as on sm_90, which is 0.3 of them, and m8n8k4 at half the rate of
// the larger f64 shapes, again as on sm_90.
static constexpr llvm::StringLiteral b200 =
    "NVIDIA Blackwell architecture technical brief, B200 (f16 2250 dense, tf32 "
    "1125, f64 40 TFLOPS)";
static constexpr llvm::StringLiteral b200Lanes =
    "CUDA C++ Programming Guide 13.0, table of arithmetic instructions: 128 "
    "f32 "
    "and 64 f64 results per cycle and multiprocessor";
static constexpr AtomRate sm100Atoms[] = {
    {"mma_sync.m16n8k16.f32.f16", 2048, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k16.f16.f16", 2048, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k16.f32.bf16", 2048, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k8.f32.tf32", 1024, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k8.f64.f64", 32, 1.0, P::Assumed, b200},
    {"mma_sync.m16n8k16.f64.f64", 32, 1.0, P::Assumed, b200},
    {"mma_sync.m8n8k4.f64.f64", 32, 0.5, P::Assumed, b200},
    {"mma_sync.m16n8k4.f32.tf32", 1024, shorterStep * 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k8.f32.tf32x3", 1024 / 3.0, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k4.f32.tf32x3", 1024 / 3.0, shorterStep * 0.3, P::Assumed,
     b200},
    {"mma_sync.m16n8k32.i32.i8", 4096, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k32.i32.u8", 4096, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k32.i32.i8.u8", 4096, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k32.i32.u8.i8", 4096, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k16.i32.i8", 4096, shorterStep * 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k16.i32.u8", 4096, shorterStep * 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k16.i32.i8.u8", 4096, shorterStep * 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k16.i32.u8.i8", 4096, shorterStep * 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k32.f32.f8E4M3FN", 4096, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k32.f32.f8E5M2", 4096, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2", 4096, 0.3, P::Assumed, b200},
    {"mma_sync.m16n8k32.f32.f8E5M2.f8E4M3FN", 4096, 0.3, P::Assumed, b200},
    {"fma.m16n8k1.f32.f32", 64, issueBound, P::Assumed, b200Lanes},
    {"fma.m16n16k4.f32.f32", 64, issueBound, P::Assumed, b200Lanes},
    {"fma.m16n8k1.f64.f64", 32, issueBound, P::Assumed, b200Lanes},
    {"fma.m16n8k1.f32.f8E4M3FN", 64, issueBound, P::Assumed, b200Lanes},
    {"fma.m16n8k1.f32.f8E5M2", 64, issueBound, P::Assumed, b200Lanes},
    {"fma.m16n8k1.f32.f8E4M3FN.f8E5M2", 64, issueBound, P::Assumed, b200Lanes},
    {"fma.m16n8k1.f32.f8E5M2.f8E4M3FN", 64, issueBound, P::Assumed, b200Lanes},
};

static constexpr auto sm100LaneAtoms = laneAtoms(64, 32, issueBound, b200Lanes);

// At 2407 MHz the whitepaper's 419, 209.5 and 104.8 TFLOPS are these; so are
// the 462 TFLOPS that KAMI's Table 3 gives at 2655 MHz.
static constexpr llvm::StringLiteral rtx5090 =
    "NVIDIA RTX Blackwell GPU Architecture whitepaper, appendix A, RTX 5090";
static constexpr AtomRate sm120Atoms[] = {
    {"mma_sync.m16n8k16.f32.f16", 128, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k16.f16.f16", 256, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k16.f32.bf16", 128, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k8.f32.tf32", 64, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k8.f64.f64", 1, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k16.f64.f64", 1, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m8n8k4.f64.f64", 1, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k4.f32.tf32", 64, shorterStep, P::Assumed, rtx5090},
    {"mma_sync.m16n8k8.f32.tf32x3", 64 / 3.0, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k4.f32.tf32x3", 64 / 3.0, shorterStep, P::Assumed, rtx5090},
    {"mma_sync.m16n8k32.i32.i8", 512, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k32.i32.u8", 512, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k32.i32.i8.u8", 512, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k32.i32.u8.i8", 512, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k16.i32.i8", 512, shorterStep, P::Assumed, rtx5090},
    {"mma_sync.m16n8k16.i32.u8", 512, shorterStep, P::Assumed, rtx5090},
    {"mma_sync.m16n8k16.i32.i8.u8", 512, shorterStep, P::Assumed, rtx5090},
    {"mma_sync.m16n8k16.i32.u8.i8", 512, shorterStep, P::Assumed, rtx5090},
    {"mma_sync.m16n8k32.f32.f8E4M3FN", 256, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k32.f32.f8E5M2", 256, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k32.f32.f8E4M3FN.f8E5M2", 256, 1.0, P::Assumed, rtx5090},
    {"mma_sync.m16n8k32.f32.f8E5M2.f8E4M3FN", 256, 1.0, P::Assumed, rtx5090},
    {"fma.m16n8k1.f32.f32", 64, issueBound, P::Assumed, rtx5090},
    {"fma.m16n16k4.f32.f32", 64, issueBound, P::Assumed, rtx5090},
    {"fma.m16n8k1.f64.f64", 1, 1.0, P::Assumed, rtx5090},
    {"fma.m16n8k1.f32.f8E4M3FN", 64, issueBound, P::Assumed, rtx5090},
    {"fma.m16n8k1.f32.f8E5M2", 64, issueBound, P::Assumed, rtx5090},
    {"fma.m16n8k1.f32.f8E4M3FN.f8E5M2", 64, issueBound, P::Assumed, rtx5090},
    {"fma.m16n8k1.f32.f8E5M2.f8E4M3FN", 64, issueBound, P::Assumed, rtx5090},
};

static constexpr auto sm120LaneAtoms = laneAtoms(64, 1, 1.0, rtx5090);

//===----------------------------------------------------------------------===//
// Chips
//===----------------------------------------------------------------------===//

static constexpr Citation sm80Citations[] = {
    ptxCitation,
    {limitFigures, P::Documented, limits},
    {bankFigures, P::Documented, banks},
    {"multiprocessors, tensor cores, clock, L2, memory bandwidth",
     P::Documented, "NVIDIA A100 whitepaper, table 4 (80 GB, SXM4)"},
    {"latencies, launch", P::Assumed, "as measured on sm_90"},
};
static constexpr Citation sm89Citations[] = {
    ptxCitation,
    {limitFigures, P::Documented, limits},
    {bankFigures, P::Documented, banks},
    {"multiprocessors, tensor cores, clock, L2, memory bandwidth",
     P::Documented, ada},
    {"latencies, launch", P::Assumed, "as measured on sm_90"},
};
static constexpr Citation sm90Citations[] = {
    ptxCitation,
    {limitFigures, P::Documented, limits},
    {"banks", P::Documented, banks},
    {"multiprocessors, tensor cores, L2", P::Documented,
     "NVIDIA H100 whitepaper, table 2 (SXM5)"},
    {"clock", P::Documented, "KAMI (SC '25), Table 3, GH200"},
    {"latency and bytes a cycle of shared memory, memory bandwidth (a copy), "
     "launch (an empty kernel in a graph's replay)",
     P::Measured, "on an H200, CUDA 13.0"},
    {"latency of device memory", P::Assumed, "0.35 microseconds when idle"},
};
static constexpr Citation sm100Citations[] = {
    ptxCitation,
    {limitFigures, P::Documented, limits},
    {bankFigures, P::Documented, banks},
    {"multiprocessors, tensor cores, clock, L2, memory bandwidth",
     P::Documented, b200},
    {"latencies, launch", P::Assumed, "as measured on sm_90"},
};
static constexpr Citation sm120Citations[] = {
    ptxCitation,
    {limitFigures, P::Documented, limits},
    {bankFigures, P::Documented, banks},
    {"multiprocessors, tensor cores, L2, memory bandwidth", P::Documented,
     rtx5090},
    {"clock", P::Documented,
     "KAMI (SC '25), Table 3; the whitepaper promises 2407"},
    {"latencies, launch", P::Assumed, "as measured on sm_90"},
};

/// What compute capabilities 8.0 to 12.0 share.
static Chip common() {
  Chip chip = {};
  chip.vendor = "NVIDIA";
  chip.instruction = Instruction::MmaSync;
  chip.warpSize = 32;
  chip.numbersLaunches = true; // PTX ISA 9.0, "%gridid": sm_20 and newer.
  chip.namedBarriers = 15; // PTX ISA, bar: 16, of which 0 is __syncthreads'.
  chip.tensorCores = 4;
  chip.registers = 65536;
  chip.maxRegistersPerThread = 255;
  chip.registerGranularity = 8;
  chip.maxThreadsPerBlock = 1024;
  chip.sharedReservedPerBlock = 1024;
  chip.sharedBanks = 32;
  chip.sharedBankBytes = 4;
  chip.sharedLatency = 29;
  chip.sharedBandwidth = 128;
  chip.memoryLatency = 700;
  chip.copiesAsync = true; // PTX ISA, cp.async: "Requires sm_80 or higher".
  chip.launchMicroseconds = 0.7;
  return chip;
}

/// The large chips: 2048 threads and 32 blocks on a multiprocessor.
static Chip dataCenter(int64_t sharedKiB) {
  Chip chip = common();
  chip.maxThreadsPerMultiprocessor = 2048;
  chip.maxBlocksPerMultiprocessor = 32;
  chip.sharedPerMultiprocessor = sharedKiB << 10;
  chip.sharedPerBlock = (sharedKiB - 1) << 10;
  return chip;
}

/// The GeForce chips: 1536 threads, 24 blocks and 100 KiB of shared memory.
static Chip geForce() {
  Chip chip = common();
  chip.maxThreadsPerMultiprocessor = 1536;
  chip.maxBlocksPerMultiprocessor = 24;
  chip.sharedPerMultiprocessor = 100 << 10;
  chip.sharedPerBlock = 99 << 10;
  return chip;
}

/// PTX ISA 9.0, section 9.7.9.21 (cvt): ".e4m3x2 and .e5m2x2 ... require sm_89
/// or higher".
static Chip withFloat8(Chip chip) {
  chip.extendsFloat8 = true;
  return chip;
}

/// PTX ISA 9.0, section 9.7.14.5.16 (stmatrix): "Requires sm_90 or higher";
/// section 9.7.9.21 (cvt), of .rn to .tf32: the same.
static Chip withHopperWarps(Chip chip) {
  chip.storesMatrices = true;
  chip.roundsToTF32 = true;
  return chip;
}

/// PTX ISA 9.0, section 9.7.9.27 (tensormap.replace): "sm_90a".
static Chip withBulkCopies(Chip chip) {
  chip.copiesBulk = true;
  return chip;
}

llvm::ArrayRef<Chip> kami::nvidiaChips() {
  static const Chip chips[] = {
      makeChip(dataCenter(164), {"sm_80", "NVIDIA A100", 108, 1410, 40, 2039,
                                 sm80Atoms, sm80Citations, 70, sm80LaneAtoms}),
      makeChip(withFloat8(geForce()),
               {"sm_89", "NVIDIA GeForce RTX 4090", 128, 2520, 72, 1008,
                sm89Atoms, sm89Citations, 78, sm89LaneAtoms}),
      makeChip(withBulkCopies(withHopperWarps(withFloat8(dataCenter(228)))),
               {"sm_90", "NVIDIA H200", 132, 1980, 50, 4264, sm90Atoms,
                sm90Citations, 78, sm90LaneAtoms, sm90GroupAtoms}),
      makeChip(withHopperWarps(withFloat8(dataCenter(228))),
               {"sm_100", "NVIDIA B200", 148, 1850, 126, 8000, sm100Atoms,
                sm100Citations, 86, sm100LaneAtoms}),
      makeChip(withHopperWarps(withFloat8(geForce())),
               {"sm_120", "NVIDIA GeForce RTX 5090", 170, 2655, 96, 1792,
                sm120Atoms, sm120Citations, 87, sm120LaneAtoms}),
  };
  return chips;
}
