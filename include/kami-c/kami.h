/*===- kami-c/kami.h - kami for other languages ------------------*- C -*-===*\
|*                                                                            *|
|* Part of kami, under the Apache License v2.0 with LLVM Exceptions.          *|
|* See LICENSE for license information.                                       *|
|* SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception                    *|
|*                                                                            *|
\*===----------------------------------------------------------------------===*/

/*
 * Plans and compiles matrix products, runs them in the simulator, and launches
 * them on CUDA devices. Plain C99; the library is libkami.so.
 *
 * Errors are values. What can fail returns null, or an error that the caller
 * destroys; what it would have given is then null. A message says what was
 * expected and what came.
 *
 * Handles are opaque, and destroyed by the function named after them, which
 * takes null, too, in any order. A program, an executable or a launch may be
 * used by several threads at once; destroying it is the last use.
 *
 * Structures whose members are all zero say nothing special: zero and null
 * stand for what most callers want.
 */

#ifndef KAMI_C_KAMI_H
#define KAMI_C_KAMI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct KamiError KamiError;
typedef struct KamiText KamiText;
typedef struct KamiProgram KamiProgram;
typedef struct KamiSimulation KamiSimulation;
typedef struct KamiDevice KamiDevice;
typedef struct KamiExecutable KamiExecutable;
typedef struct KamiLaunch KamiLaunch;
typedef struct KamiCalls KamiCalls;

/*===-- Errors and texts --------------------------------------------------===*/

typedef enum KamiErrorKind {
  /* What was asked for is wrong, or nothing can do it. */
  KAMI_ERROR_INVALID = 1,
  /* The simulator saw what a device would not forgive. */
  KAMI_ERROR_SIMULATION = 2,
  /* There is no driver, or no such device. */
  KAMI_ERROR_NO_DEVICE = 3,
  /* The driver refused, or the device failed. */
  KAMI_ERROR_DEVICE = 4,
  /* An array does not begin where the program was promised that it does. */
  KAMI_ERROR_UNALIGNED = 5
} KamiErrorKind;

KamiErrorKind kamiErrorGetKind(const KamiError *error);
/* Lower case, no full stop; lives as long as the error. */
const char *kamiErrorGetMessage(const KamiError *error);
void kamiErrorDestroy(KamiError *error);

/* Bytes, and behind the last one a zero that does not count. */
const char *kamiTextGetData(const KamiText *text);
size_t kamiTextGetSize(const KamiText *text);
void kamiTextDestroy(KamiText *text);

/* "0.1.0". */
const char *kamiGetVersion(void);

/* The chips, as JSON: an array of objects with "name", "product", "vendor",
   and the types of elements that each multiplies, "types". */
KamiError *kamiListTargets(KamiText **json);

/*===-- Plans -------------------------------------------------------------===*/

/* What of a plan is settled already, and for which chip it is. */
typedef struct KamiOptions {
  /* "sm_90"; null for that. */
  const char *target;
  /* "auto", "1d", "2d" or "3d"; null for "auto". */
  const char *algorithm;
  /* What executes instructions: "auto", "warp", "warpgroup" or "lane". */
  const char *unit;
  /* What a block computes, "64x64x32"; null to choose. */
  const char *tile;
  /* "calibrated" or "paper"; null for the first. */
  const char *model;
  /* A file of `kami-bench calibrate`; null for what is built in. */
  const char *calibration;
  /* How linalg's products of f32 are multiplied: "exact", "tf32" or "tf32x3".
     Products that are not given as MLIR say so by their types. */
  const char *precision;
  /* A `#kami.plan<...>` for every product that has none; null to choose. */
  const char *plan;
  /* Warps of a block, and tiles along k that have room at a time; 0 to
     choose. */
  int64_t warps;
  int64_t stages;
  /* What brings copied operands: "threads", "bulk" (the copy engine) or "auto";
     null for the last. */
  const char *copies;
  /* Of blocks in turn, the last turns of tiles that they take as they are done
     with others: 1024 at most, 0 to choose, -1 for none. */
  int64_t taken;
  /* Products of a batch whose number is known only at launch, for which a plan
     is chosen; 0 for many. Any number is multiplied. kamiPlan has the
     problem's. */
  int64_t products;
} KamiOptions;

/* A product to plan for. Types are named "f16", "bf16", "tf32", "tf32x3",
   "f32", "f64", "f8E4M3FN", "f8E5M2", "i8", "u8", or "complex<...>" of tf32,
   tf32x3, f32 or f64. */
typedef struct KamiProblem {
  int64_t m, n, k;
  /* Products; 0 for one that is in no batch. */
  int64_t batch;
  /* Of A's elements. */
  const char *type;
  /* Of B's, the sums and C's; null for A's, what that accumulates in, and the
     sums'. */
  const char *typeB;
  const char *accumulator;
  const char *outputType;
} KamiProblem;

/* All candidates, best first, as JSON: the object that `kami-plan
   --format=json --all` prints, whose "candidates" have their
   `#kami.plan<...>` as "plan" where they fit, and the reason where they do
   not. Keys in cycles end in "_cycles", in bytes in "_bytes". `table`, if not
   null, receives the best of each algorithm as lines for a reader. */
KamiError *kamiPlan(const KamiProblem *problem, const KamiOptions *options,
                    KamiText **json, KamiText **table);

/*===-- Programs ----------------------------------------------------------===*/

/* An extent or stride that is known when a program is launched. */
#define KAMI_DYNAMIC INT64_MIN

/* A matrix or a batch of them, as an array. */
typedef struct KamiArray {
  /* As for KamiProblem; complex numbers are said by KamiGemm. */
  const char *type;
  /* Batch dimensions, and the extent of each, a number or KAMI_DYNAMIC. */
  size_t batchRank;
  const int64_t *batch;
  /* Elements from one to the next along each dimension as stored, batchRank + 2
     numbers or KAMI_DYNAMIC; null for a dense row-major array. */
  const int64_t *strides;
} KamiArray;

/* C <- epilogue(alpha * A * B + beta * C). Batch dimensions of A and B
   broadcast to C's as in NumPy. Strides known at compile time, and matrices
   without gaps, make faster kernels. */
typedef struct KamiGemm {
  /* Each a number from 0 on, or KAMI_DYNAMIC. */
  int64_t m, n, k;
  KamiArray a, b, c;
  /* Type of the sums; null for what A's type accumulates in. */
  const char *accumulator;
  /* Not 0: A is stored k x m, B n x k. */
  int transposeA, transposeB;
  /* Not 0: elements are complex numbers of the types above, of which A's or
     B's are conjugated. */
  int isComplex, conjugateA, conjugateB;
  /* Not 0: alpha or beta is an argument, a scalar of the accumulator's type
     (f16 and bf16 in the low 16 bits); of complex numbers two, the real part
     and the imaginary one. Without, they are 1 and 0. Where beta is 0, C is
     not read. */
  int hasAlpha, hasBeta;
  /* Not 0: times a factor of each row (an array of m), plus a summand of each
     column (of n), plus an array like C, each an argument of any strides; then
     the larger of it and 0, its Gaussian error linear unit, or its sigmoid
     linear unit. Real numbers only, and floats for the last two. */
  int rowScale, bias, residual, relu, gelu, silu;
  /* Of the factors and summands; null for the accumulator. */
  const char *epilogueType;
  /* A power of two of bytes that divides the addresses of A, B and C in every
     launch, or 0 where nothing is known of them. With 16, there is less code,
     which takes less time to compile. A launch with other addresses fails with
     KAMI_ERROR_UNALIGNED. */
  int64_t alignment;
  /* Not 0: what is stored as rows of A and B begins at multiples of 16 bytes in
     every launch, also where strides are known only then; only with an
     alignment of 16 or more. A launch with other strides fails. */
  int alignedRows;
  /* Not 0: after alpha and beta come two arguments, `layers` and `span`, both
     at least 1 (less counts as 1): terms (i / span) mod layers of a sum are
     added up by themselves, then these sums in turn, as programs with so many
     layers do (`kamiGetSumOrder`). Not of aligned rows. */
  int hasLayers;
} KamiGemm;

/* Products that each have a size of their own, which the kernel reads. The
   arguments: A, B and C as flat arrays; the position of each product's A, B and
   C in them, three arrays of int64; m, n and k, three arrays of int64; leading
   dimensions, elements from row to row as stored, three arrays of int64; then
   alpha and beta as for KamiGemm. Nobody checks on a device that positions are
   inside of the arrays and that no C overlaps another. */
typedef struct KamiGrouped {
  const char *typeA, *typeB, *typeC;
  const char *accumulator;
  int transposeA, transposeB;
  int hasAlpha, hasBeta;
  /* Not 0: positions count bytes. With flat arrays at address 0 they are
     pointers. */
  int bytes;
  /* What a plan takes for a product's size; 0 for 128 each. */
  int64_t typicalM, typicalN, typicalK;
} KamiGrouped;

/* Compiles a product, products of sizes of their own, or `bytes` bytes of MLIR:
   text with one public function, of linalg or kami ops. `options` may be
   null. */
KamiError *kamiCompileGemm(const KamiGemm *gemm, const KamiOptions *options,
                           KamiProgram **program);
KamiError *kamiCompileGrouped(const KamiGrouped *grouped,
                              const KamiOptions *options,
                              KamiProgram **program);
KamiError *kamiCompileText(const char *text, size_t bytes,
                           const KamiOptions *options, KamiProgram **program);
void kamiProgramDestroy(KamiProgram *program);

/* In which order `kamiCompileGemm` or `kamiCompileGrouped` would have the terms
   of a sum added up, as a text. Results of programs whose texts are equal are
   equal bit by bit, whatever else of their plans differs. Plans, but does not
   compile.

   "TERMS, layers L of S in T": pieces of S terms go to L layers in turn, from
   each multiple of T on, where L is not 1; TERMS says how a layer adds up. With
   `hasLayers`, layers are arguments, and L is 1. "any" of integers. */
KamiError *kamiGetSumOrder(const KamiGemm *gemm, const KamiOptions *options,
                           KamiText **order);
KamiError *kamiGetGroupedSumOrder(const KamiGrouped *grouped,
                                  const KamiOptions *options, KamiText **order);

/* A program as bytes, for a cache on disk, and back. Only the library that
   saved it restores it. */
KamiError *kamiProgramSave(const KamiProgram *program, KamiText **image);
KamiError *kamiProgramRestore(const char *image, size_t bytes,
                              KamiProgram **program);

/* The program at a level: "kami", "planned", "warp", "target" or "llvm" as
   MLIR; "ptx" for NVIDIA's chips and "asm" for AMD's as their assemblers take
   it, and "spirv", which is no text, for all others; kernels one behind the
   other. "hsaco" is the code object of AMD's chips for a program of one kernel,
   linked by an ld.lld that is found on PATH. */
KamiError *kamiProgramGetCode(const KamiProgram *program, const char *level,
                              KamiText **code);
/* As JSON: "target"; "code", "ptx", "asm" or "spirv"; "kernels", each with
   "kernel", "grid" (null where it depends on sizes), "block", "shared_bytes",
   "registers" (the model's) and "plan"; "arguments" and "results", each with
   "type" and, of arrays, "element", "sizes" and "strides" (null for what is
   known at launch).
 */
KamiError *kamiProgramDescribe(const KamiProgram *program, KamiText **json);

/* An argument of a program. */
typedef struct KamiArgument {
  /* Of an array: the address of the element whose indices are 0, and the
     extent and stride (in elements, of any sign) of each dimension. */
  void *data;
  size_t rank;
  const int64_t *sizes;
  const int64_t *strides;
  /* Of a scalar. */
  uint64_t bits;
} KamiArgument;

/* Runs the program on the CPU, lane by lane, on arrays in the host's memory,
   which it writes. */
KamiError *kamiProgramSimulate(const KamiProgram *program,
                               const KamiArgument *arguments, size_t count,
                               KamiSimulation **simulation);
/* An array with an object for each launch: matrix instructions, bytes through
   shared memory and of each argument, barriers, the degree of bank
   conflicts. */
const char *kamiSimulationGetReport(const KamiSimulation *simulation);
/* Results that the program allocates itself. `data` is the address of the
   element whose indices are 0, and lives as long as the simulation; sizes and
   strides have `rank` numbers. */
size_t kamiSimulationGetResultCount(const KamiSimulation *simulation);
KamiError *kamiSimulationGetResult(const KamiSimulation *simulation,
                                   size_t number, KamiArgument *result);
void kamiSimulationDestroy(KamiSimulation *simulation);

/*===-- Devices -----------------------------------------------------------===*/

typedef struct KamiDeviceInfo {
  char name[128];
  /* The chip to compile for, "sm_90". */
  char target[32];
  int32_t multiprocessors;
  /* 13000 for CUDA 13.0: the newest that the driver supports. */
  int32_t driverVersion;
  uint64_t memoryBytes;
} KamiDeviceInfo;

/* 0 where there is no driver. */
size_t kamiDeviceGetCount(void);
/* Of a device that need not be open. */
KamiError *kamiDeviceDescribe(int ordinal, KamiDeviceInfo *info);
/* Uses the device's primary context, as other libraries do. */
KamiError *kamiDeviceOpen(int ordinal, KamiDevice **device);
void kamiDeviceClose(KamiDevice *device);
/* Waits for all that was launched, and says what failed there. */
KamiError *kamiDeviceSynchronize(KamiDevice *device);
KamiError *kamiDeviceAllocate(KamiDevice *device, size_t bytes,
                              uint64_t *address);
KamiError *kamiDeviceFree(KamiDevice *device, uint64_t address);
KamiError *kamiDeviceWrite(KamiDevice *device, uint64_t to, const void *from,
                           size_t bytes);
KamiError *kamiDeviceRead(KamiDevice *device, void *to, uint64_t from,
                          size_t bytes);
/* A copy of some bytes that kernels may read as long as the device is open, at
   a multiple of 16. Unlike allocating and writing it does not wait for anything
   on the device, nor spoil what another thread captures. */
KamiError *kamiDeviceKeep(KamiDevice *device, const void *from, size_t bytes,
                          uint64_t *address);

/* Loads a program's kernels. `image`, if not null, is what `kamiDeviceAssemble`
   gave for the same program, device and driver, and saves their assembly. */
KamiError *kamiDeviceLoad(KamiDevice *device, const KamiProgram *program,
                          const char *image, size_t bytes,
                          KamiExecutable **executable);
KamiError *kamiDeviceAssemble(KamiDevice *device, const KamiProgram *program,
                              KamiText **image);
/* Whether what is queued on `stream` goes into a graph. */
KamiError *kamiDeviceIsCapturing(KamiDevice *device, void *stream,
                                 int *isCapturing);
/* What the device's assembler made of the kernels: a JSON array of objects with
   "kernel", "registers" of a thread, "local_bytes" (spilled, most of them) and
   "static_shared_bytes". */
KamiError *kamiExecutableDescribe(const KamiExecutable *executable,
                                  KamiText **json);
void kamiExecutableDestroy(KamiExecutable *executable);

/* Settles all of a launch but addresses, and alpha and beta: extents, strides
   and what follows from them. `data` of arguments is not read. */
KamiError *kamiLaunchCreate(const KamiExecutable *executable,
                            const KamiArgument *arguments, size_t count,
                            KamiLaunch **launch);
/* As JSON: "kernels", each with "kernel", "grid", "block" and "shared_bytes";
   "workspaces", the bytes of each; "results", each with "argument" (the number
   of the address that it is a part of: the program's arguments, then the
   workspaces), "byte_offset", "element", "sizes" and "strides". */
KamiError *kamiLaunchDescribe(const KamiLaunch *launch, KamiText **json);
/* Queues the kernels on `stream`, a CUstream or null for the default one.
   `words` has one for each argument, the address of an array's element with all
   indices 0 or a scalar's bits, and then an address for each workspace, of
   device memory that is free until the kernels are done. Allocates nothing and
   waits for nothing, so that a stream may be captured into a graph. */
KamiError *kamiLaunchRun(const KamiLaunch *launch, void *stream,
                         const uint64_t *words);
/* Microseconds of a run: the median of `repeats` after one that does not
   count, on the default stream, between two events. */
KamiError *kamiLaunchTime(const KamiLaunch *launch, const uint64_t *words,
                          size_t repeats, double *microseconds);
void kamiLaunchDestroy(KamiLaunch *launch);

/*===-- Calls from Python -------------------------------------------------===*/

/* A function of CPython that launches what it has launched before, for arrays
   whose type has DLPack's exchange API (`__dlpack_c_exchange_api__`, since
   DLPack 1.3), which describes them without making anything. Objects of Python
   are passed as `PyObject *`; the calling thread holds the interpreter. */

/* What has to be known of a library's arrays. All but the first two members may
   be null, for what the library does not have. */
typedef struct KamiArrayKind {
  /* A DLPackExchangeAPI, of arrays of any of the types. */
  const void *exchangeApi;
  /* Types, of which derived ones may be something else. */
  void *types[2];
  /* What DLPack does not say. First, of the library, builtin functions without
     arguments: whether somebody is to see calls before they are made, and
     whether operations are recorded for gradients. */
  void *isInterposed, *recordsGradients;
  /* Of an array: a descriptor of the types for whether it needs a gradient, and
     bound builtin methods of any array, without arguments, for whether elements
     are the negatives or conjugates of those in memory. */
  void *needsGradient, *isNegative, *isConjugate;
  /* The exception of a launch that fails. */
  void *deviceError;
} KamiArrayKind;

/* Gives a builtin function of arguments by position: a, b, c and out, alpha and
   beta, and up to 10 others that say how the product is made. It launches on
   the arrays' current stream and gives `out`, or where that is None a result
   that it has made; None for calls that it does not know, of which it has then
   changed nothing. It allocates nothing but results. The table of its calls
   lives as long as the process. Null with an exception, or without one where
   the process has no CPython. */
void *kamiCallsCreate(const KamiArrayKind *kind, KamiCalls **calls);
/* From now on such a call is known: `launch` of a, b and out, and then alpha
   where it is not 1 and beta where it is not 0, which has C in `out`, as
   numbers of `scaleBits` bits, 32 or 64. Calls are alike whose arrays have the
   same types, devices, extents and strides, and whose other arguments are the
   same objects, which should be none that can change. `maker`, for calls
   without `out`, is a callable, a tuple and a dictionary that it is called
   with. Calls that cannot be known are left alone, and many are forgotten at
   some time. The launch lives as long as the process. */
void kamiCallsAdd(KamiCalls *calls, void *const *arguments, size_t count,
                  const KamiLaunch *launch, unsigned scaleBits,
                  void *const *maker);
/* Where a matrix lies: the address of its first element, rows and columns, and
   elements from one row and one column to the next; its type as DLPack has it,
   the code in bits 0 to 7, bits of an element in 8 to 15 and lanes from 16 on;
   DLPack's type of device in the upper half and its number in the lower one. */
typedef struct KamiMatrix {
  int64_t address, rows, columns, down, across, type, device;
} KamiMatrix;

/* Describes the arrays in a tuple of Python's, as many as there are before one
   that is not of the table's types, has other than two dimensions, or of whose
   elements there is more to say than where they lie. Gives how many. */
size_t kamiCallsDescribe(const KamiCalls *calls, void *tuple, KamiMatrix *rows);
/* From now on calls of `function`, one written in Python, are looked up in all
   tables before it is entered, and it is not for those that are known.
   `count` strings and objects say what the parameters of the functions above
   are called and what they are by default; `function` takes a, b and c by
   position, the others by name. For one function of a process. 0, and nothing
   has changed, where the interpreter does not let that be (CPython before
   3.12). */
int kamiCallsAnswer(void *function, void *const *names, void *const *defaults,
                    size_t count);

#ifdef __cplusplus
}
#endif

#endif /* KAMI_C_KAMI_H */
