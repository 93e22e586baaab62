#!/usr/bin/env bash
# What opscope does, in a minute. Run by `make demo`.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
PATH="$PWD/build/bin:$PATH"
ROOT=$PWD
cd "$folder"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; fi

say() { printf '\n%s\n' "$*"; }
show() { # a command, printed and run
    printf '%s$ %s%s\n' "$bold" "$*" "$plain"
    "$@"
}

say "1. A compiler's estimate of a network on Torq: what each engine does and when, in cycles."
"$ROOT/build/bench/generate_c2" 20000 7 >compile_profile.csv
show head -n 3 compile_profile.csv | cut -c -100

say "2. What is in it, and whether any row of it is missing or impossible."
show opscope info compile_profile.csv

say "3. As a Perfetto trace, with the command that Torq's users know."
show perfetto_logger --compile_profile compile_profile.csv --pb trace.pb

say "4. Where the time goes."
show opscope overview trace.pb

say "5. A network of additions, compiled for Torq: modelled before anything has run."
cp "$ROOT/tests/testdata/tosa_ops/add.mlir" .
show opscope compile add.mlir --target torq-sl2610 -o add.opx --trace add.pb

say "6. The program is proved, and the timeline is one more trace."
show opscope verify add.opx
show opscope overview add.pb | head -n 6

cp trace.pb "$ROOT/build/demo.pb"
cp add.pb "$ROOT/build/demo-compiled.pb"
say "The traces are build/demo.pb and build/demo-compiled.pb: open them in the Perfetto viewer."
