#!/usr/bin/env python3
"""Tenstorrent's operations reports through info, convert and overview."""

import csv

from support import *

COLUMNS = [
    "OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "MATH FIDELITY",
    "CORE COUNT", "HOST START TS", "HOST END TS", "HOST DURATION [ns]", "DEVICE FW START CYCLE",
    "DEVICE FW END CYCLE", "OP TO OP LATENCY [ns]", "DEVICE FW DURATION [ns]",
    "DEVICE KERNEL DURATION [ns]", "INPUT_0_W", "INPUT_0_Z", "INPUT_0_Y", "INPUT_0_X",
    "INPUT_0_LAYOUT", "INPUT_0_DATATYPE", "INPUT_0_MEMORY", "MINE",
]

# Real reports: calls of the host and operations of the devices.
REAL = {
    "n300_ops_perf_results.csv": (24, 24),
    "bh20_oft_integral_image_trace.csv": (21, 21),
    "ops_perf_results_2025_09_18_11_39_20.csv": (621, 621),
    "bh_64_clip_encoder_1.csv": (660, 660),
    "segformer_2025_02_ops_perf_results.csv": (1179, 398),
}


def report(rows):
    lines = [",".join(COLUMNS)]
    for row in rows:
        lines.append(",".join(str(row.get(name, "")) for name in COLUMNS))
    return "\r\n".join(lines) + "\r\n"


def operation(number, device=0, **more):
    row = {
        "OP CODE": "Matmul", "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": 1024 * number,
        "DEVICE ID": device, "ATTRIBUTES": "{'dtype': 'BF16'; 'grid': '(8;8)'}",
        "MATH FIDELITY": "HiFi4", "CORE COUNT": 64, "HOST START TS": 1000000 * number,
        "HOST END TS": 1000000 * number + 5000, "HOST DURATION [ns]": 5000,
        "DEVICE FW START CYCLE": 5000000 + 1350000 * number,
        "DEVICE FW END CYCLE": 5000000 + 1350000 * number + 27000,
        "OP TO OP LATENCY [ns]": 0, "DEVICE FW DURATION [ns]": 20000,
        "DEVICE KERNEL DURATION [ns]": 19000, "INPUT_0_W": 1, "INPUT_0_Z": 1, "INPUT_0_Y": 32,
        "INPUT_0_X": 64, "INPUT_0_LAYOUT": "TILE", "INPUT_0_DATATYPE": "BFLOAT16",
        "INPUT_0_MEMORY": "DEV_0_DRAM_INTERLEAVED", "MINE": 7,
    }
    row.update(more)
    return row


def signpost(name, time):
    return {"OP CODE": name, "OP TYPE": "signpost", "HOST START TS": time, "ATTRIBUTES": "hello"}


def fallback(time):
    return {"OP CODE": "(torch) add", "OP TYPE": "python_fallback", "HOST START TS": time,
            "HOST END TS": time + 100, "HOST DURATION [ns]": 100}


def small(folder):
    rows = [signpost("start", 500), operation(1), operation(2), operation(1, device=1),
            fallback(9000000)]
    return write(folder / "ops.csv", report(rows))


def test_info_shows_devices_and_host(folder):
    result = opscope("info", small(folder))
    contains(result.out, "tenstorrent-report-v0")
    for name in ("host", "signposts", "calls", "device 0", "device 1", "operations", "kernels"):
        contains(result.out, name)
    contains(result.out, "ledger: 8 events expected, 8 recorded, 0 lost, 0 impossible")


def test_a_trace_has_tracks_flows_and_arguments(folder):
    trace = folder / "ops.pb"
    opscope("convert", small(folder), "-o", trace)
    lanes = ("from slice s join thread_track t on s.track_id = t.id join thread h using (utid)"
             " join process p using (upid)")
    slices, flows, arguments, instants = without_loss(
        trace,
        f"select p.name as process, h.name as lane, s.name, s.dur {lanes} where s.dur > 0",
        "select count(*) as count from flow",
        f"select a.key, coalesce(a.string_value, a.int_value) as value {lanes}"
        " join args a on s.arg_set_id = a.arg_set_id where h.name = 'operations'",
        f"select s.name, h.name as lane {lanes} where s.dur = 0")
    lengths = {}
    for row in slices:
        lengths.setdefault((row["process"], row["lane"]), []).append(row["dur"])
    equal(lengths, {("host", "calls"): [5000, 5000, 5000, 100],
                    ("device 0", "operations"): [20000] * 2,
                    ("device 0", "kernels"): [19000] * 2,
                    ("device 1", "operations"): [20000],
                    ("device 1", "kernels"): [19000]}, "spans")
    equal(flows, [{"count": 3}])
    equal(instants, [{"name": "start", "lane": "signposts"}])
    values = {row["key"].removeprefix("debug."): str(row["value"]) for row in arguments}
    text = str(values)
    for piece in ("input_0", "1x1x32x64", "BFLOAT16", "HiFi4", "grid", "(8;8)", "MINE"):
        contains(text, piece, "arguments")


def test_operations_never_precede_their_calls(folder):
    trace = folder / "ops.pb"
    opscope("convert", small(folder), "-o", trace)
    early = without_loss(trace, "select count(*) as count from flow f join slice a on f.slice_out ="
                                " a.id join slice b on f.slice_in = b.id where b.ts < a.ts")
    equal(early, [{"count": 0}])


def test_cut_and_impossible_rows_are_accounted_for(folder):
    rows = [operation(1), operation(2, **{"DEVICE FW END CYCLE": 1}),
            operation(3, **{"DEVICE FW START CYCLE": ""})]
    text = report(rows) + "Matmul,tt_dnn_dev"
    result = opscope("info", write(folder / "cut.csv", text), code=3)
    contains(result.out, "2 lost, 1 impossible")
    contains(result.out, "cut.csv:5: the last line is cut off")
    contains(result.out, "cut.csv:4: Matmul has no DEVICE FW START and END CYCLE")
    contains(result.out, "cut.csv:3: Matmul ends before it starts")


def test_a_report_without_rows_is_no_error(folder):
    result = opscope("info", write(folder / "empty.csv", report([])))
    contains(result.out, "has a header and no rows")


def test_an_empty_file_is_an_error(folder):
    result = opscope("info", write(folder / "nothing.csv", ""), code=1)
    contains(result.err, "is empty")


def test_overview_of_a_report(folder):
    result = opscope("overview", small(folder), "--json")
    true(len(result.json()) > 0, "an overview")


def test_a_report_is_written_again_or_as_another_version(folder):
    path = small(folder)
    opscope("convert", path, "-o", folder / "again.csv")
    equal((folder / "again.csv").read_bytes(), path.read_bytes(), "the same bytes")
    opscope("convert", path, "-o", folder / "v1.csv", "--to", "tenstorrent-report-v1")
    header, first, *_ = (folder / "v1.csv").read_text().splitlines()
    contains(header, "OP TO OP LATENCY BR/NRISC START [ns]")
    true(header.endswith("NPE CONG IMPACT (%),MINE,LOC,CONST_EVAL_OP,PROGRAM_METADATA"), header)
    true(first.startswith("start,signpost,,,hello,"), first)
    opscope("convert", path, "-o", folder / "v21.csv", "--to", "tenstorrent-report-v2.1")
    contains((folder / "v21.csv").read_text(), "INPUT_0_X_PAD[LOGICAL]")
    cut = write(folder / "cut.csv", path.read_text() + "Matmul,")
    opscope("convert", cut, "-o", folder / "again.csv", code=3)
    equal((folder / "again.csv").read_bytes(), cut.read_bytes(), "cut rows, too")


def test_a_version_has_its_columns_and_no_later_ones(folder):
    path = shared("data/tenstorrent/bh_64_clip_encoder_1.csv")
    for version, later in (("v1", ["DEVICE ARCH", "AVAILABLE WORKER CORE COUNT",
                                   "IDLE ETH DM 0 MAX KERNEL SIZE [B]", "logical shapes"]),
                           ("v2", ["DEVICE ARCH", "AVAILABLE WORKER CORE COUNT"])):
        result = opscope("convert", path, "-o", folder / "out.csv", "--to",
                         f"tenstorrent-report-{version}", code=3)
        with open(folder / "out.csv", newline="") as file:
            header = next(csv.reader(file))
        for name in later:
            contains(result.err, name)
            true(name not in header, f"{name} in {version}")
        equal(any("_PAD[LOGICAL]" in name for name in header), version == "v2", "shapes")
        equal(opscope("tt-perf", folder / "out.csv", "--json").json()["version"], version.upper())
    opscope("convert", path, "-o", folder / "out.csv", "--to", "tenstorrent-report-v2.1")
    equal((folder / "out.csv").read_bytes(), path.read_bytes(), "nothing is left out of V2.1")


def test_real_reports_are_written_again_byte_for_byte(folder):
    for name in REAL:
        path = shared(f"data/tenstorrent/{name}")
        opscope("convert", path, "-o", folder / "again.csv")
        equal((folder / "again.csv").read_bytes() == path.read_bytes(), True, name)


def test_real_reports_convert_without_loss(folder):
    for name, (calls, operations) in REAL.items():
        trace = folder / "real.pb"
        opscope("convert", shared(f"data/tenstorrent/{name}"), "-o", trace)
        slices, flows = without_loss(
            trace, "select count(*) as count from slice where dur > 0",
            "select count(*) as count from flow")
        equal(slices[0]["count"], calls + 2 * operations, f"slices of {name}")
        equal(flows[0]["count"], operations, f"flows of {name}")


main()
