/* A batch of products with a bias, planned, compiled and run from C: on the
   first CUDA device, or on the CPU, lane by lane. Prints what it did, and exits
   with 1 where the result is wrong. */

#include "kami-c/kami.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 3, M = 5, N = 7, K = 6 };

static float a[BATCH][M][K], b[BATCH][K][N], bias[N], c[BATCH][M][N];

/* Ends the program where something failed. */
static void check(KamiError *error) {
  if (!error)
    return;
  fprintf(stderr, "error: %s\n", kamiErrorGetMessage(error));
  kamiErrorDestroy(error);
  exit(1);
}

static KamiProgram *compile(const char *target) {
  /* The number of products is known at launch. */
  static const int64_t anyBatch[] = {KAMI_DYNAMIC};
  KamiGemm gemm = {0};
  KamiOptions options = {0};
  KamiProgram *program;
  gemm.m = M;
  gemm.n = N;
  gemm.k = K;
  gemm.a.type = gemm.b.type = gemm.c.type = "f32";
  gemm.a.batchRank = gemm.b.batchRank = gemm.c.batchRank = 1;
  gemm.a.batch = gemm.b.batch = gemm.c.batch = anyBatch;
  gemm.hasAlpha = 1;
  gemm.bias = 1;
  options.target = target;
  check(kamiCompileGemm(&gemm, &options, &program));
  return program;
}

/* The elements of a dense array of up to three dimensions. */
static KamiArgument array(void *data, size_t rank, const int64_t *sizes,
                          int64_t *strides) {
  KamiArgument argument = {0};
  size_t dim = rank;
  int64_t stride = 1;
  while (dim-- > 0) {
    strides[dim] = stride;
    stride *= sizes[dim];
  }
  argument.data = data;
  argument.rank = rank;
  argument.sizes = sizes;
  argument.strides = strides;
  return argument;
}

static void simulate(const KamiProgram *program, const KamiArgument *arguments,
                     size_t count) {
  KamiSimulation *simulation;
  check(kamiProgramSimulate(program, arguments, count, &simulation));
  printf("simulated, races and bounds checked\n");
  kamiSimulationDestroy(simulation);
}

static void launch(KamiDevice *device, const KamiProgram *program,
                   const KamiArgument *arguments, size_t count) {
  const size_t bytes[] = {sizeof(a), sizeof(b), sizeof(c), 0, sizeof(bias)};
  uint64_t words[5];
  KamiExecutable *executable;
  KamiLaunch *bound;
  size_t i;
  check(kamiDeviceLoad(device, program, NULL, 0, &executable));
  check(kamiLaunchCreate(executable, arguments, count, &bound));
  for (i = 0; i < count; ++i) {
    words[i] = arguments[i].bits;
    if (bytes[i] == 0)
      continue;
    check(kamiDeviceAllocate(device, bytes[i], &words[i]));
    check(kamiDeviceWrite(device, words[i], arguments[i].data, bytes[i]));
  }
  /* This is all that a launch costs from the second time on. */
  check(kamiLaunchRun(bound, NULL, words));
  check(kamiDeviceSynchronize(device));
  check(kamiDeviceRead(device, c, words[2], sizeof(c)));
  for (i = 0; i < count; ++i)
    if (bytes[i] != 0)
      check(kamiDeviceFree(device, words[i]));
  kamiLaunchDestroy(bound);
  kamiExecutableDestroy(executable);
  printf("launched\n");
}

static void fill(float *elements, size_t count, int seed) {
  size_t i;
  for (i = 0; i < count; ++i)
    elements[i] = (float)((int)(i * 7 + (size_t)seed) % 9 - 4);
}

/* Small integers: every sum is exact. */
static int isRight(float alpha) {
  int p, i, j, k;
  for (p = 0; p < BATCH; ++p)
    for (i = 0; i < M; ++i)
      for (j = 0; j < N; ++j) {
        float sum = 0;
        for (k = 0; k < K; ++k)
          sum += a[p][i][k] * b[p][k][j];
        if (c[p][i][j] != alpha * sum + bias[j])
          return 0;
      }
  return 1;
}

int main(void) {
  const int64_t sizes[4][3] = {
      {BATCH, M, K}, {BATCH, K, N}, {BATCH, M, N}, {N, 0, 0}};
  int64_t strides[4][3];
  KamiArgument arguments[5];
  KamiDeviceInfo info = {0};
  KamiDevice *device = NULL;
  KamiProgram *program;
  const float alpha = 0.5f;
  uint32_t alphaBits;

  fill(&a[0][0][0], BATCH * M * K, 0);
  fill(&b[0][0][0], BATCH * K * N, 3);
  fill(bias, N, 5);
  if (kamiDeviceGetCount() > 0) {
    check(kamiDeviceOpen(0, &device));
    check(kamiDeviceDescribe(0, &info));
  }
  program = compile(device ? info.target : "sm_90");
  printf("kami %s on %s\n", kamiGetVersion(), device ? info.name : "no device");

  arguments[0] = array(a, 3, sizes[0], strides[0]);
  arguments[1] = array(b, 3, sizes[1], strides[1]);
  arguments[2] = array(c, 3, sizes[2], strides[2]);
  memset(&arguments[3], 0, sizeof(arguments[3]));
  memcpy(&alphaBits, &alpha, sizeof(alpha));
  arguments[3].bits = alphaBits;
  arguments[4] = array(bias, 1, sizes[3], strides[3]);
  if (device)
    launch(device, program, arguments, 5);
  else
    simulate(program, arguments, 5);
  kamiProgramDestroy(program);
  kamiDeviceClose(device);
  printf("%s\n", isRight(alpha) ? "right" : "WRONG");
  return isRight(alpha) ? 0 : 1;
}
