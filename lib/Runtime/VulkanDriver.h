//===- VulkanDriver.h - Vulkan's entry points -----------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part of Vulkan's ABI that the runtime uses, as "Vulkan 1.4 with all
// registered extensions" (Khronos) documents it, declared here so that building
// needs no SDK. Names are the specification's without their prefix. Structures
// of which few members are of interest have the others as arrays.
//
//===----------------------------------------------------------------------===//

#ifndef KAMI_LIB_RUNTIME_VULKANDRIVER_H
#define KAMI_LIB_RUNTIME_VULKANDRIVER_H

#include "kami/Runtime/Vulkan.h"

namespace kami::vulkan {

/// VkInstance, VkPhysicalDevice, VkDevice, VkQueue, VkCommandBuffer.
using Dispatchable = struct Dispatchable_T *;
/// All other handles.
using Handle = uint64_t;
using DeviceSize = uint64_t;
using Bool32 = uint32_t;

/// VkResult.
enum Result : int {
  success = 0,
  incomplete = 5,
  errorOutOfHostMemory = -1,
  errorOutOfDeviceMemory = -2,
  errorInitializationFailed = -3,
  errorDeviceLost = -4,
  errorMemoryMapFailed = -5,
  errorExtensionNotPresent = -7,
  errorFeatureNotPresent = -8,
  errorIncompatibleDriver = -9,
};

/// VkStructureType.
enum class Structure : uint32_t {
  ApplicationInfo = 0,
  InstanceCreateInfo = 1,
  DeviceQueueCreateInfo = 2,
  DeviceCreateInfo = 3,
  SubmitInfo = 4,
  MemoryAllocateInfo = 5,
  QueryPoolCreateInfo = 11,
  BufferCreateInfo = 12,
  ShaderModuleCreateInfo = 16,
  PipelineShaderStageCreateInfo = 18,
  ComputePipelineCreateInfo = 29,
  PipelineLayoutCreateInfo = 30,
  DescriptorSetLayoutCreateInfo = 32,
  DescriptorPoolCreateInfo = 33,
  DescriptorSetAllocateInfo = 34,
  WriteDescriptorSet = 35,
  CommandPoolCreateInfo = 39,
  CommandBufferAllocateInfo = 40,
  CommandBufferBeginInfo = 42,
  MemoryBarrier = 46,
  Vulkan11Features = 49,
  Vulkan12Features = 51,
  Vulkan13Features = 53,
  Vulkan13Properties = 54,
  PhysicalDeviceFeatures2 = 1000059000,
  PhysicalDeviceProperties2 = 1000059001,
  SubgroupProperties = 1000094000,
  ShaderBFloat16Features = 1000141000,
  DriverProperties = 1000196000,
  RequiredSubgroupSize = 1000225001,
  CooperativeMatrixFeatures = 1000506000,
  CooperativeMatrixProperties = 1000506001,
};

/// Bits and values that calls take, by the specification's names.
constexpr uint32_t queueComputeBit = 2;
constexpr uint32_t memoryDeviceLocalBit = 1;
constexpr uint32_t memoryHostVisibleBit = 2;
constexpr uint32_t memoryHostCoherentBit = 4;
constexpr uint32_t bufferTransferSrcBit = 1;
constexpr uint32_t bufferTransferDstBit = 2;
constexpr uint32_t bufferStorageBit = 0x20;
constexpr uint32_t descriptorStorageBuffer = 7;
constexpr uint32_t shaderStageComputeBit = 0x20;
constexpr uint32_t stageRequireFullSubgroupsBit = 2;
constexpr uint32_t bindPointCompute = 1;
constexpr uint32_t queryTimestamp = 2;
constexpr uint32_t queryResult64Bit = 1;
constexpr uint32_t queryResultWaitBit = 2;
constexpr uint32_t pipelineTopBit = 1;
constexpr uint32_t pipelineBottomBit = 0x2000;
constexpr uint32_t pipelineHostBit = 0x4000;
constexpr uint32_t pipelineAllCommandsBit = 0x10000;
constexpr uint32_t accessMemoryReadBit = 0x8000;
constexpr uint32_t accessMemoryWriteBit = 0x10000;
constexpr uint32_t deviceTypeDiscrete = 2;
constexpr uint32_t deviceTypeCPU = 4;
constexpr uint32_t scopeSubgroup = 3;
constexpr DeviceSize wholeSize = ~DeviceSize(0);

constexpr uint32_t version(uint32_t major, uint32_t minor) {
  return major << 22 | minor << 12;
}

struct ApplicationInfo {
  Structure type = Structure::ApplicationInfo;
  const void *next = nullptr;
  const char *applicationName = nullptr;
  uint32_t applicationVersion = 0;
  const char *engineName = nullptr;
  uint32_t engineVersion = 0;
  uint32_t apiVersion = version(1, 3);
};

struct InstanceCreateInfo {
  Structure type = Structure::InstanceCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  const ApplicationInfo *application = nullptr;
  uint32_t layerCount = 0;
  const char *const *layers = nullptr;
  uint32_t extensionCount = 0;
  const char *const *extensions = nullptr;
};

/// VkPhysicalDeviceLimits.
struct Limits {
  uint32_t images[7];
  uint32_t maxStorageBufferRange;
  uint32_t descriptorsAndGraphics[46];
  uint32_t maxComputeSharedMemorySize;
  uint32_t maxComputeWorkGroupCount[3];
  uint32_t maxComputeWorkGroupInvocations;
  uint32_t maxComputeWorkGroupSize[3];
  uint32_t viewportsAndFramebuffers[44];
  float timestampPeriod;
  uint32_t graphics[12];
  DeviceSize alignments[3];
};

/// VkPhysicalDeviceProperties2, and VkPhysicalDeviceProperties in it.
struct PhysicalDeviceProperties {
  Structure type = Structure::PhysicalDeviceProperties2;
  void *next = nullptr;
  uint32_t apiVersion;
  uint32_t driverVersion;
  uint32_t vendorID;
  uint32_t deviceID;
  uint32_t deviceType;
  char deviceName[256];
  uint8_t pipelineCacheUUID[16];
  Limits limits;
  Bool32 sparseProperties[5];
};
static_assert(sizeof(Limits) == 504 && sizeof(PhysicalDeviceProperties) == 840,
              "as a 64-bit C compiler lays them out");

struct SubgroupProperties {
  Structure type = Structure::SubgroupProperties;
  void *next = nullptr;
  uint32_t subgroupSize;
  uint32_t supportedStages;
  uint32_t supportedOperations;
  Bool32 quadOperationsInAllStages;
};

struct DriverProperties {
  Structure type = Structure::DriverProperties;
  void *next = nullptr;
  uint32_t driverID;
  char driverName[256];
  char driverInfo[256];
  uint8_t conformanceVersion[4];
};

struct Vulkan13Properties {
  Structure type = Structure::Vulkan13Properties;
  void *next = nullptr;
  uint32_t minSubgroupSize;
  uint32_t maxSubgroupSize;
  uint32_t maxComputeWorkgroupSubgroups;
  uint32_t requiredSubgroupSizeStages;
  uint32_t inlineBlocksAndDotProducts[36];
  DeviceSize texelAlignments[4];
  DeviceSize maxBufferSize;
};
static_assert(sizeof(Vulkan13Properties) == 216);

/// A structure of features, all of them Bool32: which member stands for what
/// is said by the enumerations below.
template <Structure structure, unsigned count> struct Features {
  Structure type = structure;
  void *next = nullptr;
  Bool32 has[count] = {};
};
/// VkPhysicalDeviceFeatures2.
enum Feature10 { shaderInt64 = 40, shaderInt16 = 41 };
using Features10 = Features<Structure::PhysicalDeviceFeatures2, 55>;
enum Feature11 { storageBuffer16BitAccess = 0 };
using Features11 = Features<Structure::Vulkan11Features, 12>;
enum Feature12 {
  storageBuffer8BitAccess = 2,
  shaderFloat16 = 7,
  shaderInt8 = 8,
  vulkanMemoryModel = 41,
};
using Features12 = Features<Structure::Vulkan12Features, 47>;
enum Feature13 { subgroupSizeControl = 7, computeFullSubgroups = 8 };
using Features13 = Features<Structure::Vulkan13Features, 15>;
enum FeatureMatrix { cooperativeMatrix = 0 };
using FeaturesMatrix = Features<Structure::CooperativeMatrixFeatures, 2>;
enum FeatureBFloat16 {
  shaderBFloat16Type = 0,
  shaderBFloat16CooperativeMatrix = 2,
};
using FeaturesBFloat16 = Features<Structure::ShaderBFloat16Features, 3>;

struct CooperativeMatrixProperties {
  Structure type = Structure::CooperativeMatrixProperties;
  void *next = nullptr;
  uint32_t m, n, k;
  uint32_t a, b, c, result;
  Bool32 saturatingAccumulation;
  uint32_t scope;
};

struct ExtensionProperties {
  char name[256];
  uint32_t specVersion;
};

struct QueueFamilyProperties {
  uint32_t flags;
  uint32_t queueCount;
  uint32_t timestampValidBits;
  uint32_t minImageTransferGranularity[3];
};

struct MemoryProperties {
  uint32_t typeCount;
  struct {
    uint32_t flags;
    uint32_t heap;
  } types[32];
  uint32_t heapCount;
  struct {
    DeviceSize size;
    uint32_t flags;
  } heaps[16];
};

struct DeviceQueueCreateInfo {
  Structure type = Structure::DeviceQueueCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  uint32_t family = 0;
  uint32_t count = 1;
  const float *priorities = nullptr;
};

struct DeviceCreateInfo {
  Structure type = Structure::DeviceCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  uint32_t queueCount = 1;
  const DeviceQueueCreateInfo *queues = nullptr;
  uint32_t layerCount = 0;
  const char *const *layers = nullptr;
  uint32_t extensionCount = 0;
  const char *const *extensions = nullptr;
  const void *enabledFeatures = nullptr;
};

struct BufferCreateInfo {
  Structure type = Structure::BufferCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  DeviceSize size = 0;
  uint32_t usage = 0;
  uint32_t sharingMode = 0;
  uint32_t familyCount = 0;
  const uint32_t *families = nullptr;
};

struct MemoryRequirements {
  DeviceSize size;
  DeviceSize alignment;
  uint32_t typeBits;
};

struct MemoryAllocateInfo {
  Structure type = Structure::MemoryAllocateInfo;
  const void *next = nullptr;
  DeviceSize size = 0;
  uint32_t typeIndex = 0;
};

struct BufferCopy {
  DeviceSize from, to, size;
};

struct ShaderModuleCreateInfo {
  Structure type = Structure::ShaderModuleCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  size_t bytes = 0;
  const uint32_t *code = nullptr;
};

struct RequiredSubgroupSize {
  Structure type = Structure::RequiredSubgroupSize;
  void *next = nullptr;
  uint32_t size = 0;
};

struct ShaderStageCreateInfo {
  Structure type = Structure::PipelineShaderStageCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  uint32_t stage = shaderStageComputeBit;
  Handle module = 0;
  const char *name = nullptr;
  const void *specialization = nullptr;
};

struct ComputePipelineCreateInfo {
  Structure type = Structure::ComputePipelineCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  ShaderStageCreateInfo stage;
  Handle layout = 0;
  Handle basePipeline = 0;
  int32_t baseIndex = -1;
};

struct PipelineLayoutCreateInfo {
  Structure type = Structure::PipelineLayoutCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  uint32_t setCount = 1;
  const Handle *sets = nullptr;
  uint32_t pushConstantCount = 0;
  const void *pushConstants = nullptr;
};

struct DescriptorSetLayoutBinding {
  uint32_t binding = 0;
  uint32_t descriptorType = descriptorStorageBuffer;
  uint32_t count = 1;
  uint32_t stages = shaderStageComputeBit;
  const Handle *samplers = nullptr;
};

struct DescriptorSetLayoutCreateInfo {
  Structure type = Structure::DescriptorSetLayoutCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  uint32_t bindingCount = 0;
  const DescriptorSetLayoutBinding *bindings = nullptr;
};

struct DescriptorPoolSize {
  uint32_t descriptorType = descriptorStorageBuffer;
  uint32_t count = 0;
};

struct DescriptorPoolCreateInfo {
  Structure type = Structure::DescriptorPoolCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  uint32_t maxSets = 1;
  uint32_t sizeCount = 1;
  const DescriptorPoolSize *sizes = nullptr;
};

struct DescriptorSetAllocateInfo {
  Structure type = Structure::DescriptorSetAllocateInfo;
  const void *next = nullptr;
  Handle pool = 0;
  uint32_t count = 1;
  const Handle *layouts = nullptr;
};

struct DescriptorBufferInfo {
  Handle buffer = 0;
  DeviceSize offset = 0;
  DeviceSize range = wholeSize;
};

struct WriteDescriptorSet {
  Structure type = Structure::WriteDescriptorSet;
  const void *next = nullptr;
  Handle set = 0;
  uint32_t binding = 0;
  uint32_t arrayElement = 0;
  uint32_t count = 1;
  uint32_t descriptorType = descriptorStorageBuffer;
  const void *images = nullptr;
  const DescriptorBufferInfo *buffers = nullptr;
  const Handle *texelViews = nullptr;
};

struct CommandPoolCreateInfo {
  Structure type = Structure::CommandPoolCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  uint32_t family = 0;
};

struct CommandBufferAllocateInfo {
  Structure type = Structure::CommandBufferAllocateInfo;
  const void *next = nullptr;
  Handle pool = 0;
  uint32_t level = 0;
  uint32_t count = 1;
};

struct CommandBufferBeginInfo {
  Structure type = Structure::CommandBufferBeginInfo;
  const void *next = nullptr;
  /// VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT.
  uint32_t flags = 1;
  const void *inheritance = nullptr;
};

struct MemoryBarrier {
  Structure type = Structure::MemoryBarrier;
  const void *next = nullptr;
  uint32_t from = accessMemoryWriteBit;
  uint32_t to = accessMemoryReadBit | accessMemoryWriteBit;
};

struct QueryPoolCreateInfo {
  Structure type = Structure::QueryPoolCreateInfo;
  const void *next = nullptr;
  uint32_t flags = 0;
  uint32_t queryType = queryTimestamp;
  uint32_t count = 0;
  uint32_t statistics = 0;
};

struct SubmitInfo {
  Structure type = Structure::SubmitInfo;
  const void *next = nullptr;
  uint32_t waitCount = 0;
  const Handle *waitFor = nullptr;
  const uint32_t *waitStages = nullptr;
  uint32_t commandCount = 1;
  const Dispatchable *commands = nullptr;
  uint32_t signalCount = 0;
  const Handle *signals = nullptr;
};

// X(member, symbol, result, parameters...). Allocators (`const void *`) are
// always null.
#define KAMI_VULKAN_FUNCTIONS(X)                                               \
  X(destroyInstance, "vkDestroyInstance", void, Dispatchable, const void *)    \
  X(enumeratePhysicalDevices, "vkEnumeratePhysicalDevices", int, Dispatchable, \
    uint32_t *, Dispatchable *)                                                \
  X(getProperties, "vkGetPhysicalDeviceProperties2", void, Dispatchable,       \
    PhysicalDeviceProperties *)                                                \
  X(getFeatures, "vkGetPhysicalDeviceFeatures2", void, Dispatchable,           \
    Features10 *)                                                              \
  X(getMemoryProperties, "vkGetPhysicalDeviceMemoryProperties", void,          \
    Dispatchable, MemoryProperties *)                                          \
  X(getQueueFamilies, "vkGetPhysicalDeviceQueueFamilyProperties", void,        \
    Dispatchable, uint32_t *, QueueFamilyProperties *)                         \
  X(enumerateExtensions, "vkEnumerateDeviceExtensionProperties", int,          \
    Dispatchable, const char *, uint32_t *, ExtensionProperties *)             \
  X(createDevice, "vkCreateDevice", int, Dispatchable,                         \
    const DeviceCreateInfo *, const void *, Dispatchable *)                    \
  X(destroyDevice, "vkDestroyDevice", void, Dispatchable, const void *)        \
  X(getDeviceQueue, "vkGetDeviceQueue", void, Dispatchable, uint32_t,          \
    uint32_t, Dispatchable *)                                                  \
  X(createBuffer, "vkCreateBuffer", int, Dispatchable,                         \
    const BufferCreateInfo *, const void *, Handle *)                          \
  X(destroyBuffer, "vkDestroyBuffer", void, Dispatchable, Handle,              \
    const void *)                                                              \
  X(getBufferMemoryRequirements, "vkGetBufferMemoryRequirements", void,        \
    Dispatchable, Handle, MemoryRequirements *)                                \
  X(allocateMemory, "vkAllocateMemory", int, Dispatchable,                     \
    const MemoryAllocateInfo *, const void *, Handle *)                        \
  X(freeMemory, "vkFreeMemory", void, Dispatchable, Handle, const void *)      \
  X(bindBufferMemory, "vkBindBufferMemory", int, Dispatchable, Handle, Handle, \
    DeviceSize)                                                                \
  X(mapMemory, "vkMapMemory", int, Dispatchable, Handle, DeviceSize,           \
    DeviceSize, uint32_t, void **)                                             \
  X(unmapMemory, "vkUnmapMemory", void, Dispatchable, Handle)                  \
  X(createShaderModule, "vkCreateShaderModule", int, Dispatchable,             \
    const ShaderModuleCreateInfo *, const void *, Handle *)                    \
  X(destroyShaderModule, "vkDestroyShaderModule", void, Dispatchable, Handle,  \
    const void *)                                                              \
  X(createSetLayout, "vkCreateDescriptorSetLayout", int, Dispatchable,         \
    const DescriptorSetLayoutCreateInfo *, const void *, Handle *)             \
  X(destroySetLayout, "vkDestroyDescriptorSetLayout", void, Dispatchable,      \
    Handle, const void *)                                                      \
  X(createPipelineLayout, "vkCreatePipelineLayout", int, Dispatchable,         \
    const PipelineLayoutCreateInfo *, const void *, Handle *)                  \
  X(destroyPipelineLayout, "vkDestroyPipelineLayout", void, Dispatchable,      \
    Handle, const void *)                                                      \
  X(createComputePipelines, "vkCreateComputePipelines", int, Dispatchable,     \
    Handle, uint32_t, const ComputePipelineCreateInfo *, const void *,         \
    Handle *)                                                                  \
  X(destroyPipeline, "vkDestroyPipeline", void, Dispatchable, Handle,          \
    const void *)                                                              \
  X(createDescriptorPool, "vkCreateDescriptorPool", int, Dispatchable,         \
    const DescriptorPoolCreateInfo *, const void *, Handle *)                  \
  X(destroyDescriptorPool, "vkDestroyDescriptorPool", void, Dispatchable,      \
    Handle, const void *)                                                      \
  X(allocateDescriptorSets, "vkAllocateDescriptorSets", int, Dispatchable,     \
    const DescriptorSetAllocateInfo *, Handle *)                               \
  X(updateDescriptorSets, "vkUpdateDescriptorSets", void, Dispatchable,        \
    uint32_t, const WriteDescriptorSet *, uint32_t, const void *)              \
  X(createCommandPool, "vkCreateCommandPool", int, Dispatchable,               \
    const CommandPoolCreateInfo *, const void *, Handle *)                     \
  X(destroyCommandPool, "vkDestroyCommandPool", void, Dispatchable, Handle,    \
    const void *)                                                              \
  X(resetCommandPool, "vkResetCommandPool", int, Dispatchable, Handle,         \
    uint32_t)                                                                  \
  X(allocateCommandBuffers, "vkAllocateCommandBuffers", int, Dispatchable,     \
    const CommandBufferAllocateInfo *, Dispatchable *)                         \
  X(beginCommandBuffer, "vkBeginCommandBuffer", int, Dispatchable,             \
    const CommandBufferBeginInfo *)                                            \
  X(endCommandBuffer, "vkEndCommandBuffer", int, Dispatchable)                 \
  X(cmdBindPipeline, "vkCmdBindPipeline", void, Dispatchable, uint32_t,        \
    Handle)                                                                    \
  X(cmdBindDescriptorSets, "vkCmdBindDescriptorSets", void, Dispatchable,      \
    uint32_t, Handle, uint32_t, uint32_t, const Handle *, uint32_t,            \
    const uint32_t *)                                                          \
  X(cmdDispatch, "vkCmdDispatch", void, Dispatchable, uint32_t, uint32_t,      \
    uint32_t)                                                                  \
  X(cmdCopyBuffer, "vkCmdCopyBuffer", void, Dispatchable, Handle, Handle,      \
    uint32_t, const BufferCopy *)                                              \
  X(cmdPipelineBarrier, "vkCmdPipelineBarrier", void, Dispatchable, uint32_t,  \
    uint32_t, uint32_t, uint32_t, const MemoryBarrier *, uint32_t,             \
    const void *, uint32_t, const void *)                                      \
  X(cmdResetQueryPool, "vkCmdResetQueryPool", void, Dispatchable, Handle,      \
    uint32_t, uint32_t)                                                        \
  X(cmdWriteTimestamp, "vkCmdWriteTimestamp", void, Dispatchable, uint32_t,    \
    Handle, uint32_t)                                                          \
  X(createQueryPool, "vkCreateQueryPool", int, Dispatchable,                   \
    const QueryPoolCreateInfo *, const void *, Handle *)                       \
  X(destroyQueryPool, "vkDestroyQueryPool", void, Dispatchable, Handle,        \
    const void *)                                                              \
  X(getQueryPoolResults, "vkGetQueryPoolResults", int, Dispatchable, Handle,   \
    uint32_t, uint32_t, size_t, void *, DeviceSize, uint32_t)                  \
  X(queueSubmit, "vkQueueSubmit", int, Dispatchable, uint32_t,                 \
    const SubmitInfo *, Handle)                                                \
  X(queueWaitIdle, "vkQueueWaitIdle", int, Dispatchable)

/// The loader with an instance, and what both have.
struct Driver {
  Dispatchable instance;
  void (*(*getInstanceProcAddr)(Dispatchable, const char *))();
#define KAMI_VULKAN_MEMBER(member, symbol, result, ...)                        \
  result (*member)(__VA_ARGS__);
  KAMI_VULKAN_FUNCTIONS(KAMI_VULKAN_MEMBER)
#undef KAMI_VULKAN_MEMBER
  /// Of VK_KHR_cooperative_matrix; null where no device has it.
  int (*getCooperativeMatrixProperties)(Dispatchable, uint32_t *,
                                        CooperativeMatrixProperties *);
};

/// The loaded driver, or null, in which case `status` says why and the thread's
/// last error is set. Loaded once, at the first call.
const Driver *driver(KamiStatus &status);

/// OK for what is no error; else sets the thread's last error to "`call`
/// failed: NAME".
KamiStatus check(int result, const char *call);

} // namespace kami::vulkan

#endif // KAMI_LIB_RUNTIME_VULKANDRIVER_H
