//===- VulkanDriver.cpp ---------------------------------------------------===//
//
// Part of kami, under the Apache License v2.0 with LLVM Exceptions.
// See LICENSE for license information.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VulkanDriver.h"
#include "LastError.h"
#include <cstdlib>
#include <dlfcn.h>

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
/// The outcome of the one attempt to load Vulkan, kept because every later
/// call, of any thread, has to be able to repeat it.
struct LoadedDriver {
  Driver driver = {};
  KamiStatus status = KAMI_STATUS_OK;
  std::string error;

  LoadedDriver() {
    if (load() && createInstance())
      resolveAll();
  }

private:
  bool fail(KamiStatus reason, std::string message) {
    status = reason;
    error = std::move(message);
    return false;
  }
  template <typename Function>
  bool resolve(const char *symbol, Function &function);
  bool load();
  bool createInstance();
  bool resolveAll();
};
} // namespace

template <typename Function>
bool LoadedDriver::resolve(const char *symbol, Function &function) {
  function = reinterpret_cast<Function>(
      driver.getInstanceProcAddr(driver.instance, symbol));
  return function || fail(KAMI_STATUS_NO_DRIVER,
                          std::string("the Vulkan loader has no ") + symbol +
                              "; one of Vulkan 1.3 or newer is needed");
}

bool LoadedDriver::load() {
  const char *name = std::getenv("KAMI_VULKAN_LOADER");
  if (!name || !*name)
    name = "libvulkan.so.1";
  // Never closed: drivers keep threads of their own.
  void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    return fail(KAMI_STATUS_NO_DRIVER, std::string("no Vulkan loader found: ") +
                                           (reason ? reason : name));
  }
  driver.getInstanceProcAddr =
      reinterpret_cast<decltype(driver.getInstanceProcAddr)>(
          dlsym(library, "vkGetInstanceProcAddr"));
  return driver.getInstanceProcAddr ||
         fail(KAMI_STATUS_NO_DRIVER, std::string("the library ") + name +
                                         " has no vkGetInstanceProcAddr");
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
  if (vulkan::check(result, "vkCreateInstance") == KAMI_STATUS_OK)
    return true;
  return fail(KAMI_STATUS_FAILED, kamiRuntimeLastError());
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
  status = loaded.status;
  if (status == KAMI_STATUS_OK)
    return &loaded.driver;
  setLastError(status, loaded.error);
  return nullptr;
}
