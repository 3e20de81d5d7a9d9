#!/bin/sh
# bench.sh [BUILD [OUT]]
#
# Times batches and grouped products on this machine's GPU beside the libraries
# that are there, and leaves tables and figures in OUT (BUILD/bench unless
# given): batch.csv, batch.md, grouped.csv and *.svg. Triton and torch join in
# where $PYTHON (python3) has them; $TRITON names a folder of Triton's kernels
# that was made elsewhere. $BATCH is the number of products of a launch (10000),
# $TYPES and $SIZES what is timed.
set -eu
cd "$(dirname "$0")/.."

build=${1:-build}
out=${2:-$build/bench}
python=${PYTHON:-python3}
types=${TYPES:-f16,bf16,tf32,f64}
sizes=${SIZES:-16,32,48,64,96,128,192,256}
batch=${BATCH:-10000}
bench=$build/bin/kami-bench
[ -x "$bench" ] || {
  echo "bench: no '$bench': run \`make build\`" >&2
  exit 1
}
mkdir -p "$out"

# peer FLAG PATH: makes the peer, and prints kami-bench's flag for it. What is
# missing is said, and gone without.
peer() {
  if "$python" scripts/peers/triton-batch.py "--$1=$2" \
    --types="$types" --sizes="$sizes" --batch="$batch" >&2; then
    echo "--$1=$2"
  else
    echo "bench: goes on without $1" >&2
  fi
}
if [ -n "${TRITON:-}" ]; then
  triton=--triton=$TRITON
else
  triton=$(peer triton "$out/triton")
fi
# Last, since its times should be of the same minutes.
torch=$(peer torch "$out/torch.csv")

status=0
"$bench" batch --algorithms=auto --types="$types" --sizes="$sizes" \
  --batch="$batch" ${triton:+"$triton"} ${torch:+"$torch"} \
  --format=csv -o "$out/batch.csv" || status=1
[ ! -s "$out/batch.csv" ] || {
  "$bench" batch --report --rows="$out/batch.csv" --format=markdown \
    -o "$out/batch.md" &&
    cat "$out/batch.md" || status=1
}
"$bench" grouped -o "$out/grouped.csv" || status=1
[ ! -s "$out/grouped.csv" ] || cat "$out/grouped.csv"
for rows in "$out/batch.csv" "$out/grouped.csv"; do
  [ ! -s "$rows" ] || "$bench" plot --rows="$rows" -o "$out" || status=1
done
exit $status
