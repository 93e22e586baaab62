#!/usr/bin/env bash
# What opscope does, in a minute: networks compiled, run, annotated and shown. Run by `make demo`.
set -euo pipefail
cd "$(dirname "$0")/.."

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
ROOT=$PWD
PATH="${OPSCOPE_BIN:-$ROOT/build/bin}:$PATH"
KEPT=${DEMO_FOLDER:-build} # where the traces are left
SHARED="$ROOT/../shared/data/models/mobilenet_v2_int8"
cp "$ROOT/tests/testdata/tosa_ops/add.mlir" "$folder"
cd "$folder"

bold='' plain=''
if [ -t 1 ] && [ -z "${NO_COLOR:-}" ]; then bold=$'\e[1m' plain=$'\e[0m'; fi

say() { printf '\n%s\n' "$*"; }
show() { # a command line, printed and run
    printf '%s$ %s%s\n' "$bold" "$1" "$plain"
    bash -o pipefail -c "$1"
}

say "1. A piece of a quantized network, compiled for Torq: every time is modelled, nothing has run."
show "torq-compile add.mlir -o add.vmfb --torq-enable-profiling \\
      --torq-dump-profiling=./trace.csv --dump-compilation-phases-to=./phases --summary"
show "head -n 3 trace.csv"
show "opscope timeline trace.csv"

say "2. Run on this machine with real numbers, with the profile that Torq's runtime writes."
show "torq-run-module --module=add.vmfb --input=1x56x56x24xi8=1 --output=@out.npy \\
      --torq_profile_host=./runtime.csv"

say "3. Which engines each action used, and which operators it comes from."
show "annotate_profiling ./phases/add.9.executable-targets.mlir ./runtime.csv ./annotated.csv"
show "cut -d ';' -f 1-10 annotated.csv"

say "4. The same as a trace, and where its time went."
show "annotate_profiling ./phases/add.9.executable-targets.mlir ./runtime.csv ./demo.pb"
show "opscope overview demo.pb"

say "5. This machine, measured: what it takes for kernels becomes the target 'host' of what follows."
mkdir targets
export OPSCOPE_TARGETS="$folder/targets" # not the user's own
show "opscope calibrate --quick -o targets/host.target"

say "6. A whole network, MobileNet V2 with random weights: compiled for this machine, proved, run."
python3 "$ROOT/tests/gen/onnx_network.py" mobilenet_v2 mobilenet_v2.onnx
show "opscope compile mobilenet_v2.onnx --target host -o mobilenet_v2.opx --top 3"
show "opscope verify mobilenet_v2.opx | head -n 2"
show "opscope run mobilenet_v2.opx --iterations 5 --max-elements 4 --profile mobilenet_v2.prof"

say "7. Measured and estimated times of its operators, the slowest first."
show "opscope score mobilenet_v2.onnx --iterations 3 | head -n 7"

say "8. What was recorded, the trace, and a picture of it."
show "opscope info mobilenet_v2.prof | tail -n 1"
show "opscope convert mobilenet_v2.prof -o demo-network.pb"
show "opscope overview demo-network.pb | head -n 4"
show "opscope timeline mobilenet_v2.prof -o demo-network.svg"

say "9. The same network on Tenstorrent's Wormhole, modelled: its operations report, and where its time goes."
show "opscope compile mobilenet_v2.onnx --target wormhole_b0 -o wormhole.opx --top 1"
show "tt_profile 'opscope run wormhole.opx --device sim --timing-only >/dev/null'"
show "tt-perf-report results/perf/device_ops_perf_trace.csv --no-advice --no-color | tail -n 12 | cut -c 1-100"

traces="$KEPT/demo.pb and $KEPT/demo-network.pb"
if [ -e "$SHARED/model.onnx" ]; then
    say "10. MobileNet V2 of 8-bit integers, as it would run on Torq: modelled, computed, annotated."
    cp "$SHARED/model.onnx" "$SHARED/test_data_set_0/input_0.pb" .
    show "torq-compile model.onnx -o model.vmfb --summary"
    show "opscope run model.vmfb --device sim --input @input_0.pb --max-elements 4"
    show "torq-run-module --module=model.vmfb --input=@input_0.pb --output=@scores.npy \\
      --torq_profile_host=./runtime.csv >blocks.txt"
    show "head -n 10 blocks.txt"
    show "opscope annotate model.vmfb ./runtime.csv demo-torq.pb"
    show "opscope overview demo-torq.pb"
    traces="$KEPT/demo.pb, $KEPT/demo-network.pb and $KEPT/demo-torq.pb"
fi

(cd "$ROOT" && cp "$folder"/demo*.pb "$folder/demo-network.svg" "$KEPT")
say "The traces are $traces: open them in the Perfetto viewer. A picture is $KEPT/demo-network.svg."
