#!/usr/bin/env bash
# Runs a unit test and prints its TAP: tap.sh PROGRAM
#
# cmocka writes "not ok 3 # SKIP name" for a test that was skipped, which TAP calls a failure.
set -o pipefail
CMOCKA_MESSAGE_OUTPUT=TAP "$@" | sed -u 's/^not ok \([0-9]*\) # SKIP \(.*\)/ok \1 - \2 # SKIP/'
