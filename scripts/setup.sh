#!/bin/sh
# Installs what building and testing need, with apt; does nothing where it is
# all there. Runs as root or through sudo.
set -eu
cd "$(dirname "$0")/.."

# The last line is what the CMake package of LLVM 22 looks for.
packages="
  g++ cmake ninja-build ccache git python3 python3-venv
  libmlir-22-dev mlir-22-tools llvm-22-dev llvm-22-tools
  clang-22 lld-22 clang-format-22 libgtest-dev
  libzstd-dev zlib1g-dev libz3-dev libxml2-dev libedit-dev libcurl4-openssl-dev"

installed() {
  case "$(dpkg-query -W -f='${db:Status-Abbrev}' "$1" 2>/dev/null)" in
  ?i*) true ;;
  *) false ;;
  esac
}

complain() {
  echo "setup: $1" >&2
  exit 1
}

if ! command -v dpkg-query >/dev/null; then
  complain "this is not Debian; install the equivalents of:$packages"
fi

missing=
for package in $packages; do
  installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

as_root=
if [ "$(id -u)" != 0 ]; then
  command -v sudo >/dev/null ||
    complain "become root, or install sudo; to be installed:$missing"
  as_root=sudo
fi

echo "setup: installing$missing"
$as_root apt-get update -q
unknown=
for package in $missing; do
  apt-cache show "$package" >/dev/null 2>&1 || unknown="$unknown $package"
done
if [ -n "$unknown" ]; then
  complain "apt does not know$unknown
setup: Debian 12 has LLVM 22 in its security suite; /etc/apt needs a source of
setup: the suite bookworm-security, component main, on the mirror of your choice"
fi
$as_root env DEBIAN_FRONTEND=noninteractive \
  apt-get install -y -q --no-install-recommends $missing
