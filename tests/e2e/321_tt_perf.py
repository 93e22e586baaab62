#!/usr/bin/env python3
"""opscope tt-perf, and tt-perf-report: table, windows, files, colours, exit codes."""

import csv
import io

from support import *
from png import png_pixels

TENSORS = ["W", "Z", "Y", "X", "DATATYPE", "MEMORY"]
COLUMNS = (["OP CODE", "OP TYPE", "GLOBAL CALL COUNT", "DEVICE ID", "ATTRIBUTES", "MATH FIDELITY",
            "CORE COUNT", "HOST START TS", "HOST DURATION [ns]", "OP TO OP LATENCY [ns]",
            "DEVICE KERNEL DURATION [ns]"] +
           [f"{tensor}_{field}" for tensor in ("INPUT_0", "INPUT_1", "OUTPUT_0")
            for field in TENSORS])

HEADER = ["ID", "Total %", "Bound", "OP Code", "Device", "Device Time", "Op-to-Op Gap", "Cores",
          "DRAM", "DRAM %", "FLOPs", "FLOPs %", "Math Fidelity", "Output Datatype",
          "Input 0 Datatype", "Input 1 Datatype", "DRAM Sharded", "Input 0 Memory",
          "Inner Dim Block Size", "Output Subblock H", "Output Subblock W", "Global Call Count",
          "Advice"]


def tensor(name, y, x, kind="BFLOAT16", memory="DEV_0_DRAM_INTERLEAVED"):
    return dict(zip((f"{name}_{field}" for field in TENSORS), (1, 1, y, x, kind, memory)))


def device_op(code, time, gap=0, device=0, start=0, **more):
    return {"OP CODE": code, "OP TYPE": "tt_dnn_device", "GLOBAL CALL COUNT": 1024,
            "DEVICE ID": device, "CORE COUNT": 64, "HOST START TS": start,
            "HOST DURATION [ns]": 1000, "OP TO OP LATENCY [ns]": gap,
            "DEVICE KERNEL DURATION [ns]": time, **more}


def matmul(fidelity="HiFi4", **more):
    return device_op("MinimalMatmulOp", 60893, start=1, **{"MATH FIDELITY": fidelity},
                     **tensor("INPUT_0", 32, 1280), **tensor("INPUT_1", 1280, 1280),
                     **tensor("OUTPUT_0", 32, 1280), **more)


def signpost(name, start):
    return {"OP CODE": name, "OP TYPE": "signpost", "HOST START TS": start}


def report(folder, *rows, name="ops.csv", end=""):
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, COLUMNS)
    writer.writeheader()
    writer.writerows(rows)
    return write(folder / name, text.getvalue() + end)


def test_the_hand_checked_row(folder):
    result = opscope("tt-perf", report(folder, matmul()))
    contains(result.out, "Detected CSV format: v0")
    contains(result.out, "Architecture: wormhole, Worker cores: 64")
    matches(result.out, r"^ *2 +100\.0 % +SLOW +MinimalMatmulOp 32 x 1280 x 1280 +0 +61 μs +64"
                        r" +57 GB/s +19\.6 % +1\.7 TFLOPs +2\.6 % +HiFi4 BF16 x BF16 => BF16$")
    contains(result.out, "- If possible place input 0 in L1 (currently in DEV_0_DRAM_INTERLEAVED)")
    matches(result.out, r"^100\.00 % +MinimalMatmulOp \(in0:dram_interleaved\) +60\.89 μs +1"
                        r" +Compute +2\.62 % +2\.62 % +2\.62 % +2\.62 %$")
    contains(result.out, "1 device ops, 0 host ops, 0 signposts")


def test_csv_files(folder):
    table = folder / "out.csv"
    rows = report(folder, matmul(), device_op("Untilize", 1000, 9000, start=2))
    result = opscope("tt-perf", rows, "--csv", table)
    contains(result.out, "Writing CSV output to")
    content = table.read_bytes().decode()
    equal(content.count("\r\n"), 3, "CRLF")
    got = list(csv.DictReader(io.StringIO(content, newline="")))
    equal(list(got[0]), HEADER, "header")
    equal(got[0]["ID"], "2")
    equal(got[0]["Device Time"], "60.893")
    equal(got[0]["Op-to-Op Gap"], "")
    equal(got[0]["DRAM Sharded"], "False")
    equal(got[0]["OP Code"], "MinimalMatmulOp 32 x 1280 x 1280")
    contains(got[0]["Advice"], " • No program_config specified")
    close_to(float(got[0]["DRAM"]), 56.50, 0.005)
    close_to(float(got[0]["FLOPs %"]), 2.618, 0.0005)
    equal(got[1]["Op-to-Op Gap"], "9.0")
    stacked = (folder / "out_stacked.csv").read_text()
    equal(stacked.splitlines()[0],
          "Total % [%],Op Code,Device Time Sum [μs],Op Count,Op Category,Min FLOPs [%],"
          "Max FLOPs [%],Mean FLOPs [%],Std FLOPs [%],Weighted Mean FLOPs [%]")
    equal(stacked.splitlines()[1],
          "98.38,MinimalMatmulOp (in0:dram_interleaved),60.89,1,Compute,2.62,2.62,2.62,,2.62")
    equal(stacked.splitlines()[2], "1.62,Untilize,1.00,1,TM,,,,,")


def test_csv_without_advice_and_by_category(folder):
    table = folder / "out.csv"
    opscope("tt-perf", report(folder, matmul()), "--csv", table, "--no-advice", "--group-by",
            "category", "--summary-file", folder / "sum")
    equal(table.read_text().splitlines()[0].split(","), HEADER[:-1], "header")
    opscope("tt-perf", folder / "ops.csv", "--csv", table, "--raw-op-codes")
    lines = table.read_text().splitlines()
    equal(lines[0].split(","), HEADER + ["Raw OP Code"], "header")
    true(lines[1].endswith(",MinimalMatmulOp"), "the code without sizes")
    equal((folder / "sum.csv").read_text(),
          "Total % [%],Op Code,Device Time Sum [μs],Op Count\n100.00,Compute,60.89,1\n")


def test_the_picture_has_a_piece_per_group(folder):
    path = report(folder, matmul(), device_op("Untilize", 60893, start=2))
    opscope("tt-perf", path, "--summary-file", folder / "sum.csv")
    width, _, rows, _ = png_pixels(folder / "sum.png")
    side = [row[width - 30] for row in rows]
    colours = [colour for index, colour in enumerate(side) if index == 0 or colour != side[index - 1]]
    equal(len([colour for colour in colours if colour > 1]), 2, "pieces")
    lengths = [side.count(colour) for colour in colours if colour > 1]
    close_to(lengths[0], lengths[1], 4, "halves")
    opscope("tt-perf", path, "--summary-file", folder / "classic", "--classic-colors")
    png_pixels(folder / "classic.png")
    many = report(folder, *(device_op("A", 1000, device=number) for number in range(40)))
    opscope("tt-perf", many, "--summary-file", folder / "many", "--no-merge-devices")
    true(png_pixels(folder / "many.png")[0] > width, "a bar per device")


def test_json_has_every_figure(folder):
    answer = opscope("tt-perf", report(folder, matmul(), device_op("Untilize", 1000, 9000, start=2)),
                     "--json").json()
    equal(answer["machine"], {"arch": "wormhole", "worker_cores": 64, "dram_gb_s": 288})
    first, second = answer["operations"]
    equal(first["limit"]["by"], "neither")
    equal(first["limit"]["dram_bytes"], 3440640)
    equal(first["limit"]["operations"], 104857600)
    equal(second["limit"]["by"], "dispatch gap")
    equal(second["dram_gb_s"], None)
    equal(answer["high_gaps"]["count"], 1)
    equal(answer["ledger"]["recorded"], 2)
    equal(answer["stacked"][0]["name"], "MinimalMatmulOp (in0:dram_interleaved)")


def test_limits_and_advice_are_explained(folder):
    rows = [matmul(), {"OP CODE": "(torch) add", "OP TYPE": "python_fallback", "HOST START TS": 2,
                       "HOST DURATION [ns]": 100}]
    rows += [device_op("Untilize", 1000, 9000, start=3 + number) for number in range(12)]
    path = report(folder, *rows)
    result = opscope("tt-perf", path)
    contains(result.out, "These ops should be moved to run on device.")
    contains(result.out, "Running with tracing could save 36 μs (19.9% of overall time)")
    matches(result.out, r"^dispatch gap +12 ")
    matches(result.out, r"^ *2  neither +MinimalMatmulOp 32 x 1280 x 1280 +60\.9 μs +1\.6 μs"
                        r" +11\.9 μs +3,360 KiB$")
    contains(result.out, "The costliest (--limits shows all):")
    every = opscope("tt-perf", path, "--limits", "--no-advice").out
    equal(len(re.findall(r"^ *\d+  dispatch gap", every, re.MULTILINE)), 12, "operations")


def test_the_host_in_a_gap_is_counted_once(folder):
    """A fallback of 250 us lies in the gap of 260 us before the operation behind it."""
    path = report(folder, device_op("A", 40000), {"OP CODE": "(torch) add", "OP TYPE": "python_fallback",
                                                  "HOST START TS": 1, "HOST DURATION [ns]": 250000},
                  device_op("B", 50000, 260000, start=2))
    text = opscope("tt-perf", path).out
    contains(text, "Running with tracing could save 254 μs (72.6% of overall time)", "the vendor's words")
    contains(text, "Operations on the host fill 250 μs of these gaps, which a trace does not shorten: "
                   "of the rest it could save 4 μs (1.1% of overall time)")
    matches(text, r"^host +1 +71\.4 % +250\.0 μs$")
    matches(text, r"^ *3  host +\(torch\) add +249\.0 μs +250\.0 μs$")
    answer = opscope("tt-perf", path, "--json").json()
    equal(sum((limit["time_us"] or 0) + (limit["gap_us"] or 0) for limit in answer["limits"]), 350, "all of the time, once")
    equal(answer["operations"][2]["limit"]["host_in_gap_us"], 250)
    equal(answer["high_gaps"]["open_saved_us"], 4)


def test_windows_and_ids(folder):
    path = report(folder, device_op("A", 1000, start=10), signpost("begin", 20),
                  device_op("B", 1000, 10, start=30), signpost("end", 40),
                  device_op("C", 1000, 10, start=50))

    def ids(*options):
        answer = opscope("tt-perf", path, "--json", *options).json()
        return [operation["id"] for operation in answer["operations"]]

    equal(ids(), [6], "after the last signpost")
    equal(ids("--ignore-signposts"), [2, 3, 4, 5, 6])
    equal(ids("--start-signpost", "begin"), [4, 6])
    equal(ids("--start-signpost", "begin", "--end-signpost=end"), [4])
    equal(ids("--start-signpost", "begin", "--print-signposts"), [4, 5, 6])
    equal(ids("--ignore-signposts", "--id-range", "3-4"), [3, 4])
    equal(ids("--ignore-signposts", "--id-range", "5-"), [5, 6])
    equal(ids("--ignore-signposts", "--id-range", "-3"), [2, 3])


def test_every_fidelity_is_read(folder):
    for fidelity, percent in (("HiFi4", 2.618), ("HiFi3", 1.964), ("HiFi2", 1.309), ("LoFi", 0.739)):
        answer = opscope("tt-perf", report(folder, matmul(fidelity)), "--json").json()
        close_to(answer["operations"][0]["flops_percent"], percent, 0.001, fidelity)


def test_archs(folder):
    path = report(folder, matmul())
    for arch, cores in (("wormhole", 64), ("blackhole", 130), ("bh20", 20), ("N1", 20),
                        ("grayskull", 108), ("quasar", 32)):
        answer = opscope("tt-perf", path, "--json", "--arch", arch).json()
        equal(answer["machine"]["worker_cores"], cores, arch)
    contains(opscope("tt-perf", shared("data/tenstorrent/bh20_oft_integral_image_trace.csv")).out,
             "Cycles at 1350 MHz on up to 20 cores: taken for 'bh20'")
    contains(opscope("tt-perf", shared("data/tenstorrent/bh_64_clip_encoder_1.csv"), "--arch",
                     "wormhole").out, "Ignoring user-specified architecture: wormhole")
    contains(opscope("tt-perf", path, "--arch", "m1", code=2).err, "'m1' is none of")


def test_colours_only_where_wanted(folder):
    path = report(folder, matmul())
    true("\033" not in opscope("tt-perf", path).out, "no colours into a pipe")
    contains(opscope("tt-perf", path, "--color").out, "\033[38;5;13mMinimalMatmulOp")
    contains(opscope("tt-perf", path, "--color", env={"NO_COLOR": "1"}).out, "\033[")
    true("\033" not in opscope("tt-perf", path, "--no-color", "--color").out, "--no-color wins")
    contains(opscope("tt-perf", path, "--color", "--min-percentage", "101").out,
             "\033[38;5;8mMinimalMatmulOp")


def test_devices_merge_or_stay_apart(folder):
    path = report(folder, device_op("A", 1000, device=0, start=1),
                  device_op("A", 3000, device=1, start=2))
    contains(opscope("tt-perf", path).out, "Detected data from 2 devices. Merging device data...")
    answer = opscope("tt-perf", path, "--json").json()
    equal([operation["device_time_us"] for operation in answer["operations"]], [3])
    answer = opscope("tt-perf", path, "--json", "--no-merge-devices").json()
    equal([group["device"] for group in answer["stacked"]], [0, 1])


def test_lost_rows_decide_the_exit_code(folder):
    path = report(folder, device_op("A", 1000), end="Matmul,tt_dnn_dev")
    result = opscope("tt-perf", path, code=3)
    contains(result.err, "ops.csv:3: the last line is cut off")
    result = run(program("tt-perf-report"), path, code=0)
    contains(result.err, "ops.csv:3: the last line is cut off")
    result = opscope("tt-perf", report(folder, device_op("A", ""), name="none.csv"), code=3)
    contains(result.err, "A has no DEVICE KERNEL DURATION")


def test_mismatched_hosts_and_wrong_use(folder):
    one = report(folder, device_op("A", 1000), name="one.csv")
    two = report(folder, device_op("A", 1000, device=1), name="two.csv")
    contains(opscope("tt-perf", one, two, code=1).err, "the highest DEVICE ID is 1, expected 0")
    contains(opscope("tt-perf", write(folder / "no.csv", ""), code=1).err, "is empty")
    opscope("tt-perf", code=2)
    opscope("tt-perf", one, "--id-range", "abc", code=2)
    opscope("tt-perf", one, "--group-by", "colour", code=2)
    opscope("tt-perf", one, "--json", "--csv", folder / "x.csv", code=2)
    opscope("tt-perf", one, "--min-percentage", "few", code=2)


def test_options_can_be_cut_short(folder):
    path = report(folder, matmul())
    equal(opscope("tt-perf", path, "--no-adv", "--no-sum").out,
          opscope("tt-perf", path, "--no-advice", "--no-summary").out, "abbreviated")
    contains(opscope("tt-perf", path, "--col").out, "\033[")
    contains(opscope("tt-perf", path, "--no", code=2).err, "unknown option '--no'")
    contains(opscope("tt-perf", path, "--id-range", "1,500-").out, "No operations to display")


def test_signposts_are_listed(folder):
    path = report(folder, signpost("warm-up", 1), device_op("A", 1000, start=2),
                  signpost("run", 3), device_op("B", 1000, start=4))
    contains(opscope("tt-perf", path).out, "Detected signposts: warm-up, run")
    contains(opscope("tt-perf", path, "--ignore-signposts").out, "🪧 warm-up")


def test_cells_as_python_prints_them(folder):
    path = report(folder, matmul(), signpost("s", 2), device_op("A", "", 9597139, start=3),
                  {"OP CODE": "(torch) add", "OP TYPE": "python_fallback", "HOST START TS": 4})
    run(program("tt-perf-report"), path, "--csv", folder / "t.csv", "--ignore-signposts")
    with open(folder / "t.csv", newline="") as file:
        first, sign, untimed, host = csv.DictReader(file)
    equal([first["Cores"], first["Global Call Count"]], ["64.0", "1024.0"], "a column with gaps")
    equal([sign["Device Time"], sign["Total %"], sign["Global Call Count"],
           sign["Input 0 Datatype"]], ["", "", "nan", "nan"], "signpost")
    equal([untimed["Device Time"], untimed["Op-to-Op Gap"]], ["0", "9597.139"], "no time")
    equal([host["Device Time"], host["Total %"], host["Bound"]], ["", "", "HOST"], "host")


def test_what_logs_do_not_say_is_absent(folder):
    """Without the device's log nothing has a time: it is no 0, and no multiplication is called optimized."""
    from tenstorrent_logs import ordinary
    logs = ordinary(3).write(folder / "logs")
    host = logs / "tracy_ops_data.csv"
    result = opscope("tt-perf", host, "--csv", folder / "table.csv", code=3)
    with open(folder / "table.csv", newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    equal({row["Device Time"] + row["Total %"] for row in rows}, {""}, "times")
    matches(result.err, r"tracy_ops_data.csv: id \d+: \S+ has no DEVICE KERNEL DURATION")
    with open(folder / "table_stacked.csv", newline="", encoding="utf-8") as file:
        equal({row["Device Time Sum [μs]"] + row["Total % [%]"] for row in csv.DictReader(file)}, {""}, "sums")
    text = opscope("tt-perf", host, code=3).out
    true("Optimized" not in text and "100.0 %" not in text and " μs" not in text.split("What limits")[0], text)
    contains(text, "No report was given: one was made of", "no CSV is detected")
    true("CSV format" not in text and "column not found. D" not in text, "nor a column missed")
    if "Matmul" in text:
        contains(text, "- It has no time to go by")
    answer = opscope("tt-perf", host, "--json", code=3).json()
    equal({limit["time_us"] for limit in answer["limits"]}, {None}, "limits")
    file = report(folder, matmul(), matmul(**{"DEVICE KERNEL DURATION [ns]": ""}))
    text = opscope("tt-perf", file, code=3).out
    matches(text, r"^ *3 +0\.0 % .* 0 μs ", "a file is read as the vendor's tool reads it")


def test_places_in_the_model_are_shown(folder):
    header = ",".join(COLUMNS + ["LOC", "CONST_EVAL_OP"])
    row = device_op("A", 1000, **tensor("INPUT_0", 32, 64))
    line = ",".join(str(row.get(name, "")) for name in COLUMNS)
    path = write(folder / "ops.csv", f'{header}\r\n{line},"loc(""model.py"":7:1)",true\r\n')
    matches(opscope("tt-perf", path).out, r'BF16 +true +loc\("model\.py":7:1\)$')
    operation = opscope("tt-perf", path, "--json").json()["operations"][0]
    equal([operation["loc"], operation["const_eval_op"]], ['loc("model.py":7:1)', "true"])
    true("loc" not in opscope("tt-perf", report(folder, row, name="no.csv"), "--json").json()
         ["operations"][0], "no place, no key")


def test_operators_tell_firmware_from_kernels_and_show_shapes(folder):
    header = COLUMNS + ["DEVICE FW START CYCLE", "DEVICE FW END CYCLE", "LOC", "CONST_EVAL_OP"]
    row = {**device_op("A", 1000, **tensor("INPUT_0", 32, 64), **tensor("OUTPUT_0", 32, 64)),
           "HOST END TS": 2000, "DEVICE FW START CYCLE": 0, "DEVICE FW END CYCLE": 1500,
           "LOC": "loc(somewhere)", "CONST_EVAL_OP": "true"}
    lines = [",".join(header), ",".join(str(row.get(name, "")) for name in header), ""]
    path = write(folder / "ops.csv", "\r\n".join(lines))
    result = opscope("operators", path)
    contains(result.out, "device: from the firmware's start to its end; kernel: the kernels inside")
    matches(result.out, r"^ +1\.50 us +1\.00 us .*  A  \(1x1x32x64 BFLOAT16\)$")
    found = opscope("operators", path, "--json").json()["operators"][0]
    equal([found["device_ns"], found["kernel_ns"], found["inputs"], found["outputs"],
           found["location"], found["const_eval_op"]],
          [1500, 1000, "1x1x32x64 BFLOAT16", "1x1x32x64 BFLOAT16", "loc(somewhere)", "true"])


def test_more_than_the_peak_has_a_remark(folder):
    def binary(y, time, start):
        return device_op("BinaryNg", time, start=start, **tensor("INPUT_0", y, 1024),
                         **tensor("INPUT_1", y, 1024), **tensor("OUTPUT_0", y, 1024))

    path = report(folder, binary(32, 90000, 1), binary(1024, 2000, 2), binary(32, 90000, 3))
    result = opscope("tt-perf", path, "--limits")
    matches(result.out, r"^ *3  .*BinaryNg .*  stale shapes$")
    contains(result.err, "id 3: BinaryNg: its shapes are those of another call")
    middle = opscope("tt-perf", path, "--json").json()["operations"][1]["limit"]
    true("another call" in middle["remark"], "remark")
    equal(middle["dram_bytes"], 3 * 32 * 1024 * 2)
    for row in opscope("tt-perf", shared("data/tenstorrent/ops_perf_results_2025_09_18_11_39_20.csv"),
                       "--json", "--ignore-signposts").json()["operations"]:
        limit = row["limit"]
        for side in ("compute_us_at_peak", "dram_us_at_peak"):
            true("remark" in limit or (limit[side] or 0) <= 1.01 * (row["device_time_us"] or 1e9),
                 f"{row['id']} is faster than its {side}")


def test_shapes_of_a_first_call_are_not_those_of_all(folder):
    """Times tell cached calls of other volumes, where their neighbours agree on which."""
    def binary(y, time, start, code="BinaryNg"):
        return device_op(code, time, start=start, **tensor("INPUT_0", y, 1024), **tensor("OUTPUT_0", y, 1024))

    def between(y, other, time, start):
        return [binary(y, 90000, start, "Unary"), binary(other, time, start + 1), binary(y, 90000, start + 2, "Unary")]

    path = report(folder,
                  *between(256, 256, 20000, 10),   # the first call, whose shapes are repeated
                  *between(1024, 256, 70000, 20),  # four times as much, in nearly four times the time
                  *between(64, 256, 6000, 30),     # a quarter
                  *between(1024, 256, 20400, 40),  # neighbours of another size, but the same time
                  *between(256, 256, 70000, 50),   # slow for another reason
                  binary(512, 90000, 60, "Unary"), binary(256, 70000, 61), binary(128, 90000, 62, "Unary"))
    result = opscope("tt-perf", path, "--json", "--ignore-signposts")
    operations = [row for row in result.json()["operations"] if row["op_code"] == "BinaryNg"]
    equal(["another call" in row["limit"].get("remark", "") for row in operations],
          [False, True, True, False, False, False], "marked")
    equal([row["limit"]["dram_bytes"] // (2 * 1024 * 2) for row in operations], [256, 1024, 64, 256, 256, 256], "rows")
    contains(result.err, "id 6 and 1 more: BinaryNg: its shapes are those of another call", "remark")


def test_stale_shapes_of_real_reports(folder):
    del folder
    names = {"ops_perf_results_2025_09_18_11_39_20.csv": [197, 206, 256, 262, 272, 302, 308, 318, 348, 351, 352, 389,
                                                          426, 463, 499, 536, 572, 609, 645],
             "segformer_2025_02_ops_perf_results.csv": [907, 908, 916, 931, 956, 957, 965, 980, 1016, 1017, 1025,
                                                        1039, 1066, 1067, 1075, 1090, 1115, 1116, 1124, 1138, 1154,
                                                        1155, 1163, 1177],
             "n300_ops_perf_results.csv": []}
    for name, wanted in names.items():
        rows = opscope("tt-perf", shared(f"data/tenstorrent/{name}"), "--json", "--ignore-signposts",
                       code=None).json()["operations"]
        equal([row["id"] for row in rows if "another call" in row["limit"].get("remark", "")], wanted, name)


def test_deprecated_options_are_taken(folder):
    result = opscope("tt-perf", report(folder, matmul()), "--no-stack-by-in0", "--classic-colors")
    contains(result.out, "100.00 %  MinimalMatmulOp ")
    result = opscope("tt-perf", report(folder, matmul()), "--no-stacked-report", "--no-advice")
    true("Stacked" not in result.out and "Advice" not in result.out, "neither is shown")


def test_real_reports(folder):
    device_ops = {"n300_ops_perf_results.csv": 12, "bh20_oft_integral_image_trace.csv": 21,
                  "ops_perf_results_2025_09_18_11_39_20.csv": 621,
                  "bh_64_clip_encoder_1.csv": 660, "segformer_2025_02_ops_perf_results.csv": 398}
    for name, count in device_ops.items():
        path = shared(f"data/tenstorrent/{name}")
        answer = opscope("tt-perf", path, "--json", "--ignore-signposts").json()
        equal(answer["device_ops"], count, name)
        equal(answer["ledger"]["lost"], 0, name)
        shares = sum(operation["total_percent"] or 0 for operation in answer["operations"])
        close_to(shares, 100, 1e-6, f"shares of {name}")
        opscope("tt-perf", path, "--csv", folder / "table.csv", "--ignore-signposts")


def padded(cell):
    return int(cell.split("[")[0])


def matmul_figures(row, peak_gb_s, peak_tflops):
    """DRAM and FLOPs in percent, from the rules and nothing else."""
    def side(name, letter):
        return padded(row.get(f"{name}_{letter}_PAD[LOGICAL]") or row[f"{name}_{letter}"])

    def bytes_in_dram(name):
        bits = int(re.search(r"\d+", row[f"{name}_DATATYPE"]).group())
        volume = 1
        for letter in "WZYX":
            volume *= side(name, letter)
        return volume * bits / 8 if "DRAM" in row[f"{name}_MEMORY"] else 0

    seconds = float(row["DEVICE KERNEL DURATION [ns]"]) * 1e-9
    moved = sum(map(bytes_in_dram, ("INPUT_0", "INPUT_1", "OUTPUT_0")))
    batch = (max(side("INPUT_0", "W"), side("INPUT_1", "W")) *
             max(side("INPUT_0", "Z"), side("INPUT_1", "Z")))
    flops = 2 * side("INPUT_0", "Y") * side("INPUT_0", "X") * side("INPUT_1", "X") * batch
    peak = peak_tflops[row["MATH FIDELITY"]] * 1e12 * int(row["CORE COUNT"])
    return (100 * moved / seconds / 1e9 / peak_gb_s if moved else None,
            100 * flops / seconds / peak)


def test_real_matmuls_against_independent_figures(folder):
    wormhole = (288, {"HiFi4": 74 / 72, "HiFi2": 148 / 72, "LoFi": 262 / 72})
    blackhole = (512, {"HiFi4": 1.3824, "HiFi2": 2.7648, "LoFi": 5.5296})
    for name, peaks in (("bh_64_clip_encoder_1.csv", blackhole),
                        ("segformer_2025_02_ops_perf_results.csv", wormhole)):
        path = shared(f"data/tenstorrent/{name}")
        with open(path, newline="") as file:
            rows = list(csv.DictReader(file))
        answer = opscope("tt-perf", path, "--json", "--ignore-signposts").json()
        found = [operation for operation in answer["operations"]
                 if "Matmul" in operation["op_code"]]
        true(len(found) >= 64, f"multiplications in {name}")
        for operation in found:
            dram, flops = matmul_figures(rows[operation["id"] - 2], *peaks)
            close_to(operation["flops_percent"], flops, 1e-6 * flops, "FLOPs %")
            equal(operation["dram_percent"] is None, dram is None, "DRAM")
            if dram is not None:
                close_to(operation["dram_percent"], dram, 1e-6 * dram, "DRAM %")


main()
