//===- sanitizer.cpp - What AddressSanitizer is told ----------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// LLVM's bump allocators, which are in its headers, poison what they have not
// given out yet. What distributions build of LLVM is built without sanitizers,
// gives memory out from the same allocators, and does not say so.
//
//===----------------------------------------------------------------------===//

extern "C" const char *__asan_default_options() {
  return "allow_user_poisoning=0";
}
