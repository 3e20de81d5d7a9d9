//===- VulkanDriver.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VulkanDriver.h"
#include "DriverLibrary.h"
#include "LastError.h"

using namespace kami;
using namespace kami::vulkan;

static const char *nameOf(int result) {
  switch (result) {
  case errorOutOfHostMemory:
    return "VK_ERROR_OUT_OF_HOST_MEMORY";
  case errorOutOfDeviceMemory:
    return "VK_ERROR_OUT_OF_DEVICE_MEMORY";
  case errorInitializationFailed:
    return "VK_ERROR_INITIALIZATION_FAILED";
  case errorDeviceLost:
    return "VK_ERROR_DEVICE_LOST";
  case errorMemoryMapFailed:
    return "VK_ERROR_MEMORY_MAP_FAILED";
  case errorExtensionNotPresent:
    return "VK_ERROR_EXTENSION_NOT_PRESENT";
  case errorFeatureNotPresent:
    return "VK_ERROR_FEATURE_NOT_PRESENT";
  case errorIncompatibleDriver:
    return "VK_ERROR_INCOMPATIBLE_DRIVER";
  default:
    return nullptr;
  }
}

KamiStatus vulkan::check(int result, const char *call) {
  // Positive results are news, not errors.
  if (result >= success)
    return KAMI_STATUS_OK;
  const char *name = nameOf(result);
  return setLastError(KAMI_STATUS_FAILED,
                      std::string(call) + " failed: " +
                          (name ? name : "error " + std::to_string(result)));
}

namespace {
struct LoadedDriver {
  DriverLibrary library{"Vulkan", "KAMI_VULKAN_LOADER", "libvulkan.so.1"};
  Driver driver = {};

  LoadedDriver() {
    if (library.resolve("vkGetInstanceProcAddr",
                        reinterpret_cast<void **>(&driver.getInstanceProcAddr),
                        needed) &&
        createInstance())
      resolveAll();
  }

private:
  static constexpr const char *needed =
      "a loader of Vulkan 1.3 or newer is needed";

  bool fail(KamiStatus reason, std::string message) {
    library.fail(setLastError(reason, std::move(message)));
    return false;
  }
  template <typename Function>
  bool resolve(const char *symbol, Function &function);
  bool createInstance();
  bool resolveAll();
};
} // namespace

template <typename Function>
bool LoadedDriver::resolve(const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(
      driver.getInstanceProcAddr(driver.instance, symbol));
  return function ||
         fail(KAMI_STATUS_NO_DRIVER, std::string("the Vulkan driver has no ") +
                                         symbol + "; " + needed);
}

bool LoadedDriver::createInstance() {
  int (*create)(const InstanceCreateInfo *, const void *, Dispatchable *);
  if (!resolve("vkCreateInstance", create))
    return false;
  ApplicationInfo application;
  application.applicationName = "kami";
  InstanceCreateInfo info;
  info.application = &application;
  int result = create(&info, nullptr, &driver.instance);
  // The loader is there, but finds no driver, or only older ones.
  if (result == errorIncompatibleDriver)
    return fail(KAMI_STATUS_NO_DEVICE, "the Vulkan loader finds no driver");
  KamiStatus status = vulkan::check(result, "vkCreateInstance");
  if (status == KAMI_STATUS_OK)
    return true;
  library.fail(status);
  return false;
}

bool LoadedDriver::resolveAll() {
#define KAMI_VULKAN_RESOLVE(member, symbol, ...)                               \
  if (!resolve(symbol, driver.member))                                         \
    return false;
  KAMI_VULKAN_FUNCTIONS(KAMI_VULKAN_RESOLVE)
#undef KAMI_VULKAN_RESOLVE
  driver.getCooperativeMatrixProperties =
      reinterpret_cast<decltype(driver.getCooperativeMatrixProperties)>(
          driver.getInstanceProcAddr(
              driver.instance,
              "vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR"));
  return true;
}

const Driver *vulkan::driver(KamiStatus &status) {
  static const LoadedDriver loaded;
  status = loaded.library.check();
  return status == KAMI_STATUS_OK ? &loaded.driver : nullptr;
}
