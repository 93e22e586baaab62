#!/usr/bin/env bash
# Links a static library, and what it needs of others, into one object whose only visible
# names are those of the public headers: the rest must not meet names of other programs.
#
#   scripts/one-object.sh OUT.o COMPILER OBJCOPY WHOLE.a [NEEDED.a ...]
set -euo pipefail

out=$1 compiler=$2 objcopy=$3 whole=$4
shift 4
"$compiler" -r -nostdlib -o "$out" -Wl,--whole-archive "$whole" -Wl,--no-whole-archive \
    -Wl,--start-group "$@" -Wl,--end-group
"$objcopy" --localize-hidden "$out"
