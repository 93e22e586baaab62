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

cp trace.pb "$ROOT/build/demo.pb"
say "The trace is build/demo.pb: open it in the Perfetto viewer."
