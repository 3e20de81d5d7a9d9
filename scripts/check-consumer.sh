#!/bin/sh
# check-consumer.sh BUILD: installs BUILD to a temporary prefix, then configures,
# builds and runs test/Consumer, a project that knows nothing but that prefix.
set -eu
cd "$(dirname "$0")/.."
build=$1
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cmake --install "$build" --prefix "$scratch/prefix" >"$scratch/install.log"
cmake --log-level=NOTICE -S test/Consumer -B "$scratch/build" -G Ninja \
  -DCMAKE_PREFIX_PATH="$scratch/prefix"
cmake --build "$scratch/build"
# The sources must not be reachable by accident: run from elsewhere.
cd "$scratch"
build/consumer
