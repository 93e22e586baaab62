"""make demo: what it shows works, and the traces that it leaves are Perfetto's."""

from support import *


def test_demo(folder):
    if SANITIZED:
        raise Skip("it computes whole networks")
    result = run(ROOT / "scripts/demo.sh", env={"OPSCOPE_BIN": str(program("opscope").parent),
                                                "DEMO_FOLDER": str(folder), "NO_COLOR": "1"})
    for piece in ("$ torq-compile add.mlir", "$ torq-run-module --module=add.vmfb",
                  "$ annotate_profiling ./phases/add.9.executable-targets.mlir",
                  "$ opscope overview demo.pb", "$ opscope run mobilenet_v2.opx", "OVERALL",
                  "tosa.add@L21", "EXEC @main", "iterations on this machine",
                  "$ opscope calibrate --quick", "modelled for host: ", "$ opscope score mobilenet_v2.onnx",
                  "mobilenet_v2 for wormhole_b0: ", "$ tt_profile 'opscope run wormhole.opx", "Conv_Clip"):
        contains(result.out, piece, "what is shown")
    matches(result.err, r"Wrote report to results/perf/device_ops_perf_trace.csv \(\d\d rows, all modelled",
            "tt_profile")
    true("not calibrated" not in result.out, "this machine was measured")
    equal(re.findall(r"^.*(?:lost|missing|not in the program).*$", result.err, re.MULTILINE), [],
          "what went wrong")
    traces = sorted(folder.glob("*.pb"))
    true(len(traces) >= 2, f"traces: {traces}")
    for trace in traces:
        true(without_loss(trace, "select count(*) as n from slice")[0]["n"] > 0, f"{trace}")


main()
