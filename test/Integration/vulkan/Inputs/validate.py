"""validate.py COMPILE VALIDATOR: has every SPIR-V module of a list validated.

The list goes over targets, types, algorithms, and what makes tiles ragged, rows
unaligned and sums scaled: each asks for other code."""

import itertools
import os
import subprocess
import sys
import tempfile

# spirv-val's environments: Vulkan's rules, or those of SPIR-V alone, since OpenCL's
# are of versions before cooperative matrices.
TARGETS = {
    "vulkan": ("vulkan1.3", ["f16", "bf16", "i8", "u8"]),
    "lavapipe": ("vulkan1.3", ["f16", "i8", "u8"]),
    "xe-hpc": ("spv1.6", ["f16", "bf16", "i8", "u8"]),
    "xe2": ("spv1.6", ["f16", "bf16", "i8", "u8"]),
}
PROBLEMS = [
    ["--gemm=64x64x64", "--algorithm=1d"],
    ["--gemm=64x64x64", "--algorithm=2d", "--warps=4"],
    ["--gemm=64x64x64", "--algorithm=3d"],
    ["--gemm=50x37x23", "--batch=3", "--transpose-a", "--beta=2"],
    ["--gemm=33x1x7", "--alpha=-1", "--transpose-b"],
]
# What only floats have.
NARROW = ["--gemm=48x48x48", "--output-type"]


def modules():
    for target, (environment, types) in TARGETS.items():
        for kind, problem in itertools.product(types, PROBLEMS):
            yield target, environment, ["--type=" + kind] + problem
        yield target, environment, ["--type=f16", NARROW[0], NARROW[1] + "=f16"]


def run(command):
    made = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if made.returncode == 0:
        return True
    print("failed:", " ".join(command))
    print(made.stdout.decode(errors="replace"))
    return False


def main():
    compiler, validator = sys.argv[1:]
    valid = wrong = 0
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "module.spv")
        for target, environment, flags in modules():
            command = [compiler, *flags, "--target=" + target, "--emit=spirv"]
            right = run(command + ["-o", path]) and run(
                [validator, "--target-env", environment, path]
            )
            valid += right
            wrong += not right
    print(f"{valid} valid, {wrong} not")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
