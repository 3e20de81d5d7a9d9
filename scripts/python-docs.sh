#!/bin/sh
# python-docs.sh BUILD DIRECTORY: writes the reference of the Python package and
# the gallery of plans into DIRECTORY, with BUILD's libkami.so.
set -eu
output=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/.."
build=$(cd "$1" && pwd)
python=$(scripts/python-env.sh "$build")
KAMI_LIBRARY=$build/lib/libkami.so
PYTHONPATH=$PWD/python
PYTHONDONTWRITEBYTECODE=1
export KAMI_LIBRARY PYTHONPATH PYTHONDONTWRITEBYTECODE
"$python" scripts/python-reference.py >"$output/PythonReference.md"
"$python" scripts/plan-gallery.py "$output/gallery"
