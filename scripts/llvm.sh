# To be sourced. Sets LLVM_PREFIX, the LLVM and MLIR 22 installation whose tools
# the scripts call: Debian's unless the environment names another.
LLVM_PREFIX=${LLVM_PREFIX:-/usr/lib/llvm-22}
