#!/bin/sh
# Fails where docs/reference is not what the ODS files describe.
set -eu
cd "$(dirname "$0")/.."
fresh=$(mktemp -d)
trap 'rm -rf "$fresh"' EXIT
scripts/generate-docs.sh "$fresh"
if ! diff -ru docs/reference "$fresh"; then
  echo "docs/reference is out of date: run \`make docs\`" >&2
  exit 1
fi
