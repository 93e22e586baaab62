#!/bin/sh
# Gets ONNX Runtime for node (MIT) as an oracle and a peer for tests and benches.
#
#   fetch-onnxruntime.sh DIR
#
# It comes to DIR/node_modules; its scripts do not run. Does nothing when it is
# there already. onnxruntime.js computes with it.
#
# Exit: 0 it is in DIR; 77 it cannot be had here (no npm, no registry), which test
# runners take for "skipped".
set -eu

PACKAGE=onnxruntime-node@1.30.0

say() {
    echo "fetch-onnxruntime: $*" >&2
}

if [ $# -ne 1 ]; then
    echo "usage: fetch-onnxruntime.sh DIR" >&2
    exit 2
fi
if [ -e "$1/complete" ] && [ "$(cat "$1/complete")" = "$PACKAGE" ]; then
    exit 0
fi
if ! command -v npm >/dev/null || ! command -v node >/dev/null; then
    say "node and npm are not installed, so ONNX Runtime cannot be fetched"
    exit 77
fi
mkdir -p "$1"
if ! npm install --silent --no-audit --no-fund --ignore-scripts --prefix "$1" "$PACKAGE" \
    >/dev/null 2>&1; then
    say "npm cannot reach its registry for $PACKAGE"
    exit 77
fi
echo "$PACKAGE" >"$1/complete"
