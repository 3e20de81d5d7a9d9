/* A CUDA driver without a device, for tests of how launches are made: memory is
   the host's, and a kernel only says how it was launched. Built as a library that
   KAMI_CUDA_DRIVER names. A graph that is captured counts as launched. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SUCCESS = 0, OUT_OF_MEMORY = 2, LAUNCH_FAILED = 719 };

/* What the last launch was, for callers that load this library themselves. */
int fakeLaunches;
/* The newest CUDA that it supports. */
int fakeVersion = 13000;
/* How many of the next launches are refused. */
int fakeFailures;
unsigned fakeShape[7];
uint64_t fakeParameters[64];
void *fakeStream;
/* How much it was asked to optimize, at least: a cubin, which there is nothing
   to optimize of, is loaded at its highest level. -1 before. */
int fakeLevel = -1;

static char kernelName[256];

int cuInit(unsigned flags) { return SUCCESS; }
int cuDriverGetVersion(int *version) { return *version = fakeVersion, SUCCESS; }
int cuDeviceGetCount(int *count) { return *count = 1, SUCCESS; }
int cuDeviceGet(int *device, int ordinal) {
  *device = ordinal;
  return ordinal == 0 ? SUCCESS : 101;
}
int cuDeviceGetName(char *name, int size, int device) {
  strncpy(name, "no real device", size);
  return SUCCESS;
}
/* Compute capability 9.0. */
int cuDeviceGetAttribute(int *value, int attribute, int device) {
  *value = attribute == 75 ? 9 : attribute == 76 ? 0 : 32;
  return SUCCESS;
}
int cuDeviceTotalMem_v2(size_t *bytes, int device) {
  return *bytes = 1 << 30, SUCCESS;
}
int cuDevicePrimaryCtxRetain(void **context, int device) {
  return *context = &fakeLaunches, SUCCESS;
}
int cuDevicePrimaryCtxRelease_v2(int device) { return SUCCESS; }
/* As after PyTorch's first call. */
int cuCtxGetCurrent(void **context) {
  return *context = &fakeLaunches, SUCCESS;
}
int cuCtxPushCurrent_v2(void *context) { return SUCCESS; }
int cuCtxPopCurrent_v2(void **context) { return SUCCESS; }
int cuCtxSynchronize(void) { return SUCCESS; }

int cuMemAlloc_v2(uint64_t *pointer, size_t bytes) {
  void *memory = bytes > (1u << 30) ? NULL : malloc(bytes);
  *pointer = (uint64_t)memory;
  return memory ? SUCCESS : OUT_OF_MEMORY;
}
int cuMemFree_v2(uint64_t pointer) { return free((void *)pointer), SUCCESS; }
int cuMemcpyHtoD_v2(uint64_t to, const void *from, size_t bytes) {
  return memcpy((void *)to, from, bytes), SUCCESS;
}
int cuMemcpyDtoH_v2(void *to, uint64_t from, size_t bytes) {
  return memcpy(to, (const void *)from, bytes), SUCCESS;
}
int cuMemsetD8_v2(uint64_t to, unsigned char byte, size_t bytes) {
  return memset((void *)to, byte, bytes), SUCCESS;
}

/* CU_JIT_OPTIMIZATION_LEVEL, whose number is in a pointer's bits. */
static void keepLevel(unsigned count, const int *options, void **values) {
  unsigned i;
  for (i = 0; i != count; ++i) {
    int level = (int)(uintptr_t)values[i];
    if (options[i] == 7 && (fakeLevel < 0 || level < fakeLevel))
      fakeLevel = level;
  }
}
/* The bytes that the newest module's variable begins with. */
static uint64_t variable[32];
int cuModuleLoadDataEx(void **module, const void *image, unsigned count,
                       int *options, void **values) {
  const char *text = strstr(image, ".b8 kept");
  unsigned char *byte = (unsigned char *)variable;
  keepLevel(count, options, values);
  if (text)
    for (text = strchr(text, '{'); *text != '}'; ++byte)
      *byte = (unsigned char)strtoul(text + 1, (char **)&text, 10);
  return *module = &fakeLaunches, SUCCESS;
}
int cuModuleUnload(void *module) { return SUCCESS; }
int cuModuleGetFunction(void **function, void *module, const char *name) {
  strncpy(kernelName, name, sizeof(kernelName) - 1);
  return *function = &fakeShape, SUCCESS;
}
int cuModuleGetGlobal_v2(uint64_t *pointer, size_t *bytes, void *module,
                         const char *name) {
  *pointer = (uint64_t)variable;
  return *bytes = sizeof(variable), SUCCESS;
}
int cuFuncGetAttribute(int *value, int attribute, void *function) {
  return *value = 49152, SUCCESS;
}
int cuFuncSetAttribute(void *function, int attribute, int value) {
  return SUCCESS;
}

int cuLinkCreate_v2(unsigned count, int *options, void **values, void **state) {
  keepLevel(count, options, values);
  return *state = &fakeLaunches, SUCCESS;
}
int cuLinkAddData_v2(void *state, int type, void *data, size_t bytes,
                     const char *name, unsigned count, int *options,
                     void **values) {
  return SUCCESS;
}
int cuLinkComplete(void *state, void **cubin, size_t *bytes) {
  static char assembled[] = "assembled";
  *cubin = assembled;
  *bytes = sizeof(assembled);
  return SUCCESS;
}
int cuLinkDestroy(void *state) { return SUCCESS; }

/* Keeps as many words of parameters as FAKE_CUDA_WORDS says. */
int cuLaunchKernel(void *function, unsigned gridX, unsigned gridY,
                   unsigned gridZ, unsigned blockX, unsigned blockY,
                   unsigned blockZ, unsigned shared, void *stream,
                   void **parameters, void **extra) {
  const unsigned shape[] = {gridX, gridY, gridZ, blockX, blockY, blockZ, shared};
  const char *words = getenv("FAKE_CUDA_WORDS");
  int count = words ? atoi(words) : 0, i;
  if (fakeFailures > 0)
    return --fakeFailures, LAUNCH_FAILED;
  memcpy(fakeShape, shape, sizeof(shape));
  fakeStream = stream;
  ++fakeLaunches;
  for (i = 0; i < count; ++i)
    memcpy(&fakeParameters[i], parameters[i], sizeof(uint64_t));
  if (!getenv("FAKE_CUDA_SAYS"))
    return SUCCESS;
  printf("kernel %s: %u %u %u blocks of %u %u %u threads, %u bytes\n",
         kernelName, gridX, gridY, gridZ, blockX, blockY, blockZ, shared);
  return SUCCESS;
}

int cuStreamCreate(void **stream, unsigned flags) {
  return *stream = &fakeStream, SUCCESS;
}
int cuStreamDestroy_v2(void *stream) { return SUCCESS; }
int cuStreamSynchronize(void *stream) { return SUCCESS; }
int cuStreamBeginCapture_v2(void *stream, int mode) { return SUCCESS; }
int cuStreamEndCapture(void *stream, void **graph) {
  return *graph = &fakeLaunches, SUCCESS;
}
/* What is said of every stream. */
int fakeIsCapturing;
int cuStreamIsCapturing(void *stream, int *status) {
  return *status = fakeIsCapturing, SUCCESS;
}
int cuThreadExchangeStreamCaptureMode(int *mode) { return SUCCESS; }
int cuEventCreate(void **event, unsigned flags) {
  return *event = &fakeLaunches, SUCCESS;
}
int cuEventDestroy_v2(void *event) { return SUCCESS; }
int cuEventRecord(void *event, void *stream) { return SUCCESS; }
int cuStreamWaitEvent(void *stream, void *event, unsigned flags) {
  return SUCCESS;
}
int cuEventSynchronize(void *event) { return SUCCESS; }
int cuEventElapsedTime(float *milliseconds, void *start, void *stop) {
  return *milliseconds = 0.25f, SUCCESS;
}
int cuGraphInstantiateWithFlags(void **executable, void *graph,
                                unsigned long long flags) {
  return *executable = graph, SUCCESS;
}
int cuGraphDestroy(void *graph) { return SUCCESS; }
int cuGraphLaunch(void *graph, void *stream) { return SUCCESS; }
int cuGraphExecDestroy(void *graph) { return SUCCESS; }
int cuGetErrorName(int error, const char **name) {
  *name = error == OUT_OF_MEMORY ? "CUDA_ERROR_OUT_OF_MEMORY" : "CUDA_ERROR";
  return SUCCESS;
}
int cuGetErrorString(int error, const char **text) {
  *text = error == OUT_OF_MEMORY ? "out of memory" : "error";
  return SUCCESS;
}
