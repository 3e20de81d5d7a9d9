# The lit suite: every .mlir and .test below this folder. A test's path names
# what it tests.

import ctypes
import os
import shutil
import sys

import lit.formats

config.name = "kami"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
# `unit` is GoogleTest's, `Consumer` a project of its own, `Inputs` no tests.
config.excludes = ["unit", "Consumer", "Inputs", "lit.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.kami_binary_root, "test")

TOOLS = os.path.join(config.kami_binary_root, "bin")


def find_ptxas():
    """The folder of NVIDIA's assembler, which decides registers and spills."""
    homes = [os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    folders = [os.path.join(home, "bin") for home in homes if home]
    search = os.pathsep.join([os.environ.get("PATH", ""), *folders])
    found = shutil.which("ptxas", path=search)
    return os.path.dirname(found) if found else None


def has_cuda_device():
    try:
        driver = ctypes.CDLL("libcuda.so.1")
    except OSError:
        return False
    count = ctypes.c_int(0)
    return (
        driver.cuInit(0) == 0
        and driver.cuDeviceGetCount(ctypes.byref(count)) == 0
        and count.value > 0
    )


def find_vulkan():
    """The folder of scripts/vulkan.sh, if it was made."""
    caches = os.environ.get("XDG_CACHE_HOME") or os.path.join(
        os.environ.get("HOME", "/tmp"), ".cache"
    )
    folder = os.environ.get("KAMI_VULKAN") or os.path.join(caches, "kami", "vulkan")
    return folder if os.path.exists(os.path.join(folder, "complete")) else None


path = [TOOLS, config.llvm_tools, os.environ.get("PATH", "")]
ptxas = find_ptxas()
if ptxas:
    config.available_features.add("ptxas")
    path.append(ptxas)
if has_cuda_device():
    config.available_features.add("cuda")
vulkan = find_vulkan()
if vulkan:
    config.available_features.add("vulkan")
    for program in ("vulkan-run", "spirv-val"):
        config.substitutions.append(
            ("%" + program, os.path.join(vulkan, "bin", program))
        )
# The plugin joins an mlir-opt that holds LLVM as a shared library, and only if
# it does not bring an LLVM of its own.
if config.kami_static_llvm.upper() not in ("ON", "TRUE", "1", "YES"):
    config.available_features.add("shared-llvm")

config.environment["PATH"] = os.pathsep.join(path)
# Which toolkit and which devices the caller chose.
for name in ("CUDA_HOME", "CUDA_VISIBLE_DEVICES"):
    if name in os.environ:
        config.environment[name] = os.environ[name]

config.substitutions.append(("%python", sys.executable))
config.substitutions.append(("%tools", TOOLS))
config.substitutions.append(
    ("%kami_plugin", os.path.join(config.kami_binary_root, "lib", "KamiPlugin.so"))
)
# What users need no proof of, after every pass.
for tool in ("kami-compile", "kami-run"):
    config.substitutions.append(
        (rf"(?<![\w./%-]){tool}(?=\s)", f"{tool} --verify-each")
    )
# For programs in C: longer names first, since each is replaced as a prefix.
for name, value in (
    ("%kami_library_folder", os.path.join(config.kami_binary_root, "lib")),
    ("%kami_library", os.path.join(config.kami_binary_root, "lib", "libkami.so")),
    ("%kami_include", os.path.join(config.kami_source_root, "include")),
    ("%cc", config.c_compiler),
):
    config.substitutions.append((name, value))
# Debian's name for the compiler driver that the plugin is loaded into.
config.substitutions.append(
    (r"\bmlir-opt-22\b", os.path.join(config.llvm_tools, "mlir-opt"))
)
