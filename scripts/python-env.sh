#!/bin/sh
# python-env.sh BUILD: prints the Python of a private environment in BUILD that
# has what python/requirements-dev.txt lists; makes it where it is not there yet.
# Fails with the reason where the package index cannot be reached.
set -eu
cd "$(dirname "$0")/.."
env=$(cd "$1" && pwd)/python-env
wanted=python/requirements-dev.txt

if ! cmp -s "$wanted" "$env/installed.txt"; then
  rm -rf "$env"
  python3 -m venv "$env" >&2
  "$env/bin/pip" install -q --disable-pip-version-check -r "$wanted" >&2
  cp "$wanted" "$env/installed.txt"
fi
echo "$env/bin/python"
