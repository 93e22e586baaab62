#!/usr/bin/env bash
# Invents inputs for one fuzz target: fuzz.sh PROGRAM NAME
#
# It starts from the seeds and from what earlier runs found (in the build folder), for
# FUZZ_SECONDS (5), from FUZZ_SEED (1; 0 is any).
set -u
program=$1 name=$2
corpus=$(dirname "$0")/corpus/$name
build=$(dirname "$program")/..
mkdir -p "$build/corpus/$name" "$build/crashes"

"$program" -max_total_time="${FUZZ_SECONDS:-5}" -seed="${FUZZ_SEED:-1}" -timeout=120 \
    -rss_limit_mb=2048 -error_exitcode=99 -timeout_exitcode=99 \
    -artifact_prefix="$build/crashes/$name-" "$build/corpus/$name" "$corpus"
code=$?
[ $code = 0 ] || echo "the input is in $build/crashes/$name-*: keep it in tests/fuzz/corpus/$name once it is mended"
exit $code
