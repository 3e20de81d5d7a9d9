//===- Request.h - A problem from a command line ------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Texts as a user typed them, and what they mean. Errors name the flag, what
// was expected and what was got.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_PLAN_REQUEST_H
#define KAMI_PLAN_REQUEST_H

#include "kami/Plan/Chain.h"
#include <string>

namespace kami {

/// Values of the flags `--gemm`, `--type`, ... An empty text is a flag that was
/// not given.
struct ProblemText {
  std::string gemm;
  std::string type = "f16";
  /// Without it, `defaultAccumulator` of the type.
  std::string accumulator;
  /// Without it, one product that is in no batch.
  std::string batch;
  std::string algorithm = "auto";
  std::string warps;
  /// What a block computes, k terms at a time; without it, the planner's
  /// choice.
  std::string tile;
  /// Type of B's elements; without it, A's.
  std::string typeB;
  /// Type of C's elements; without it, the accumulator.
  std::string outputType;
  /// What executes instructions.
  std::string unit = "auto";
  /// Tiles along k that have room at a time; without it, the planner's choice.
  std::string stages;
  /// What brings copied operands.
  std::string copies = "auto";
  /// The last turns of tiles that blocks take as they are done with others, 0
  /// for the planner's choice, or -1 for none.
  int64_t taken = 0;
};

/// `MxNxK`, each at least `least`, and the name of a type. The errors name the
/// flag.
llvm::Expected<Extents> parseExtents(llvm::StringRef flag, llvm::StringRef text,
                                     int64_t least = 1);
llvm::Expected<ElementKind> parseType(llvm::StringRef flag,
                                      llvm::StringRef text);

/// Takes `complex<` ... `>` off a type's name; "c64" and "c128" are numpy's
/// names of complex f32 and f64. False for a type that is not complex.
bool stripComplex(std::string &text);

/// Extents and batch may be 0, although nobody plans for that.
llvm::Expected<Problem> parseProblem(const ProblemText &text);

/// `MxKxNxQ`, the extents of A·B·C, and what else `text` says; its `gemm` plays
/// no part.
llvm::Expected<ChainProblem> parseChain(llvm::StringRef extents,
                                        const ProblemText &text);

/// Values of `--model` and of the flags that only the paper's model has.
struct OptionsText {
  std::string model = "calibrated";
  std::string lSm, bSm, thetaR, thetaW, nTc, oTc;
};

llvm::Expected<PlannerOptions> parseOptions(const OptionsText &text);

} // namespace kami

#endif // KAMI_PLAN_REQUEST_H
