//===- Status.h - How the runtime reports failure -------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Errors are values: a call returns a status, and the words are kept for the
// thread that called. Plain C, so that any language can load the runtime.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_RUNTIME_STATUS_H
#define KAMI_RUNTIME_STATUS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum KamiStatus {
  KAMI_STATUS_OK = 0,
  /* No driver library, or one too old to have what is called. */
  KAMI_STATUS_NO_DRIVER = 1,
  /* The driver is there but has no such device. */
  KAMI_STATUS_NO_DEVICE = 2,
  /* The driver refused, or the device failed. */
  KAMI_STATUS_FAILED = 3
} KamiStatus;

/* What the last failed call of this thread said: the driver function's name,
   the driver's name for the error and its description. Lower case, no full
   stop, never null. Valid until the thread's next failure. */
const char *kamiRuntimeLastError(void);

#ifdef __cplusplus
} // extern "C"
#endif

#endif // KAMI_RUNTIME_STATUS_H
