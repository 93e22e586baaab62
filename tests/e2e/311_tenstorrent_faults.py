"""tt-report where tt-metal's script gives up: what is true is written, the rest is empty, and the
ledger says what is lost."""

import csv
import sys

from support import *

sys.path.insert(0, str(ROOT / "tests/gen"))
from tenstorrent_logs import Capture, ordinary  # pylint: disable=wrong-import-position

KERNELS = "DEVICE KERNEL DURATION [ns]"
BRISC = "DEVICE BRISC KERNEL DURATION [ns]"
LATENCY = "OP TO OP LATENCY [ns]"


def report(folder, logs=None, code=0, lost=0):
    """Runs tt-report; returns its rows. `lost` is what the ledger must say."""
    result = opscope("tt-report", *(logs or [folder]), "-o", folder / "report.csv", code=code)
    if code == 3:
        equal(int(matches(result.err, r"recorded, ([\d ]+) lost").group(1).replace(" ", "")), lost,
              f"lost\n{result.err}\nlost")
    with open(folder / "report.csv", newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file)), result


def three(seed=1):
    capture = Capture(seed)
    for code in ("Matmul", "Softmax", "Untilize"):
        capture.launch(code, cores=capture.grid(4))
    return capture


def same(row, want, but=()):
    for name, text in want.items():
        if name not in but:
            equal(row[name], text, f"call count {row['GLOBAL CALL COUNT']}: {name}")


def test_a_lost_firmware_end(folder):
    capture = three()
    want = capture.rows()
    equal(capture.ops[1].runs[0].drop(x=2, y=1, risc="BRISC", zone="BRISC-FW", type="ZONE_END"), 1)
    rows, result = report(capture.write(folder), code=3, lost=1)
    contains(result.err, "BRISC FW end of 1 core")
    gone = {"DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]"}
    same(rows[0], want[0])
    same(rows[1], want[1], but=gone)
    same(rows[2], want[2])
    equal({rows[1][name] for name in gone}, {""}, "figures that need the marker")


def test_a_lost_kernel_end(folder):
    capture = three()
    want = capture.rows()
    capture.ops[0].runs[0].drop(x=1, y=1, risc="TRISC_1", zone="TRISC-KERNEL", type="ZONE_END")
    rows, _ = report(capture.write(folder), code=3, lost=1)
    equal(rows[0][KERNELS], "", "kernel duration")
    equal(rows[0]["DEVICE TRISC1 KERNEL DURATION [ns]"], "", "TRISC1")
    equal(rows[0]["PM FPU UTIL (%)"], "", "utilisation")
    equal(rows[0][BRISC], want[0][BRISC], "BRISC is whole")
    equal(rows[0]["DEVICE FW DURATION [ns]"], want[0]["DEVICE FW DURATION [ns]"], "firmware")
    equal(rows[1][LATENCY], "", "counted from an end that is lost")
    same(rows[2], want[2])


def test_a_second_firmware_start(folder):
    """An operation ran twice and the first end is lost: two runs, one of them whole."""
    capture = Capture(3)
    capture.begin_trace(5)
    capture.launch("Matmul")
    capture.end_trace()
    capture.replay(5)
    capture.replay(5)
    want = capture.rows()
    capture.ops[0].runs[0].drop(x=1, y=1, risc="BRISC", zone="BRISC-FW", type="ZONE_END")
    rows, _ = report(capture.write(folder), code=3, lost=1)
    equal([row["METAL TRACE REPLAY SESSION ID"] for row in rows], ["", "1", "2"], "sessions")
    same(rows[1], want[1], but={"DEVICE FW END CYCLE", "DEVICE FW DURATION [ns]"})
    same(rows[2], want[2])


def test_a_stray_firmware_start(folder):
    capture = three()
    want = capture.rows()
    log = capture.write(folder) / "profile_log_device.csv"
    text = log.read_text(encoding="utf-8")
    start = next(line for line in text.splitlines()
                 if f",{capture.ops[1].count},BRISC-FW,ZONE_START" in line)
    write(log, text + start + "\n")
    rows, result = report(folder, code=3, lost=2)
    contains(result.err, "1 run on the device is more than the host launched")
    true("does not report" not in result.err, "the host reports it")
    equal(rows[1][KERNELS], want[1][KERNELS], "duration")


def test_a_replay_that_lost_an_operation(folder):
    for gone in range(3):
        capture = Capture(10 + gone)
        capture.begin_trace(5)
        for code in ("Matmul", "Softmax", "Untilize"):
            capture.launch(code)
        capture.end_trace()
        for _ in range(4):
            capture.replay(5)
        del capture.ops[gone].runs[1]
        rows, result = report(capture.write(folder / str(gone)), code=3, lost=1)
        contains(result.err, "11 of 12 runs are there")
        found = sorted((row["GLOBAL CALL COUNT"], row["METAL TRACE REPLAY SESSION ID"])
                       for row in rows if row["METAL TRACE ID"])
        wanted = sorted((str(op.count), str(run.replay)) for op in capture.ops for run in op.runs)
        equal(found, wanted, "runs and their replays")


def test_the_device_side_of_an_operation_is_missing(folder):
    capture = three()
    want = capture.rows()
    capture.ops[1].runs = []
    rows, result = report(capture.write(folder), code=3, lost=1)
    contains(result.err, "left nothing on the device")
    same(rows[0], want[0])
    equal((rows[1]["OP CODE"], rows[1]["CORE COUNT"], rows[1][KERNELS]), ("Softmax", "", ""), "row")
    equal(rows[2][LATENCY], "", "latency after an operation that is lost")
    equal(rows[2][KERNELS], want[2][KERNELS], "duration")


def test_the_host_side_of_an_operation_is_missing(folder):
    capture = three()
    want = capture.rows()
    missing = capture.ops[1].count
    capture.messages = [message for message in capture.messages if "Softmax" not in message[1]]
    capture.write(folder)
    times = folder / "tracy_ops_times.csv"
    write(times, "".join(line + "\n" for line in times.read_text(encoding="utf-8").splitlines()
                         if f"id:{missing}" not in line))
    rows, result = report(folder, code=3, lost=1)
    contains(result.err, "the host does not report")
    equal([row["GLOBAL CALL COUNT"] for row in rows], [str(op.count) for op in capture.ops])
    equal((rows[1]["OP CODE"], rows[1]["DEVICE ID"]), ("", "0"), "row of the device alone")
    equal(rows[1][KERNELS], want[1][KERNELS], "duration")
    same(rows[2], want[2])


def test_only_the_message_is_missing(folder):
    capture = three()
    want = capture.rows()
    capture.messages = [message for message in capture.messages if "Softmax" not in message[1]]
    rows, result = report(capture.write(folder), code=3, lost=1)
    contains(result.err, "does not describe it")
    equal((rows[1]["OP CODE"], rows[1][KERNELS]), ("", want[1][KERNELS]), "row")
    equal(rows[1]["HOST START TS"], want[1]["HOST START TS"], "host start")


def test_a_message_of_64_kib_lost_its_end(folder):
    capture = Capture(4)
    capture.launch("Matmul")
    op = capture.launch("Softmax")
    capture.signpost("between")
    capture.launch("Softmax")
    capture.launch("Untilize")
    want = capture.rows()
    index = next(i for i, message in enumerate(capture.messages) if op.head in message[1])
    time, text = capture.messages[index]
    long = text.replace('"grid": "{8, 8}"', '"grid": "' + "x" * 70000 + '"')
    capture.messages[index] = (time, long[:65535])
    rows, result = report(capture.write(folder), code=3, lost=1)
    contains(result.err, "too long for Tracy")
    same(rows[0], want[0])
    equal((rows[1]["OP CODE"], rows[1]["ATTRIBUTES"]), ("Softmax", ""), "the cut one")
    equal(rows[1][KERNELS], want[1][KERNELS], "its device side")
    equal(rows[2]["OP CODE"], "between", "the signpost behind it")
    equal((rows[3]["OP CODE"], rows[3]["ATTRIBUTES"]), ("Softmax", ""), "cached from the cut one")
    same(rows[4], want[4])


def test_damaged_json(folder):
    capture = three()
    want = capture.rows()
    index = next(i for i, message in enumerate(capture.messages) if "Softmax" in message[1])
    time, text = capture.messages[index]
    capture.messages[index] = (time, text.replace('"op_code":', '"op_code"'))
    rows, result = report(capture.write(folder), code=3, lost=1)
    matches(result.err, r"the JSON of the operation is damaged \(byte \d+: expected ':'\)")
    equal((rows[1]["OP CODE"], rows[1]["GLOBAL CALL COUNT"], rows[1]["ATTRIBUTES"]),
          ("Softmax", want[1]["GLOBAL CALL COUNT"], ""), "row")


def test_a_trace_that_was_never_replayed(folder):
    capture = Capture(5)
    capture.launch("Matmul")
    capture.begin_trace(9)
    capture.launch("Softmax")
    capture.end_trace()
    want = capture.rows()
    rows, result = report(capture.write(folder))
    contains(result.err, "never replayed")
    equal(len(rows), 2, "rows")
    same(rows[0], want[0])
    same(rows[1], want[1])


def test_cut_and_interleaved_lines(folder):
    capture = three()
    want = capture.rows()
    log = folder / "profile_log_device.csv"
    capture.write(folder)
    lines = log.read_text(encoding="utf-8").splitlines()
    event = next(i for i, line in enumerate(lines) if "TS_DATA" in line)
    lines.insert(event, lines[event][:20])
    lines.insert(event, lines[event + 1][:30] + lines[event + 1])
    lines.insert(event, "garbage")
    write(log, "\n".join(lines) + "\n0,1,1,BRISC,22845,51234")
    rows, result = report(folder, code=3, lost=4)
    contains(result.err, "the last line is cut off")
    for row, wanted in zip(rows, want):
        same(row, wanted)


def test_two_logs_in_one_file(folder):
    first, second = three(6), three(7)
    want = second.rows()
    second.write(folder)
    log = folder / "profile_log_device.csv"
    write(log, first.device_log() + second.device_log())
    rows, result = report(folder, code=3, lost=3)
    contains(result.err, "holds 2 logs")
    equal(len(rows), 6, "rows")
    for row, wanted in zip(rows[3:], want):
        same(row, wanted)
    for row, op in zip(rows[:3], first.ops):
        cells, _ = first.device_cells(op.runs[0], None)
        equal((row["OP CODE"], row[KERNELS]), ("", cells[KERNELS]), "a run of the first log")


def test_more_runs_than_replays(folder):
    capture = Capture(8)
    capture.begin_trace(5)
    capture.launch("Matmul")
    capture.end_trace()
    capture.replay(5)
    capture.replay(5)
    capture.messages = capture.messages[:-1]
    rows, result = report(capture.write(folder), code=3, lost=1)
    contains(result.err, "ran 2 times on device 0; the host replayed it 1 times")
    equal(len(rows), 3, "rows")


def test_an_empty_device_log(folder):
    capture = three()
    capture.write(folder)
    log = write(folder / "profile_log_device.csv", "")
    result = opscope("tt-report", log, code=1)
    contains(result.err, "the device wrote nothing")
    rows, _ = report(folder, code=3, lost=3)
    equal([row["OP CODE"] for row in rows], [op.code for op in capture.ops], "rows of the host")
    header_only = "ARCH: wormhole_b0, CHIP_FREQ[MHz]: 1000\n"
    write(log, header_only)
    report(folder, code=3, lost=3)


def test_no_messages(folder):
    capture = three()
    capture.write(folder)
    write(folder / "tracy_ops_data.csv", "There are currently no messages!\n")
    rows, _ = report(folder, code=3, lost=3)
    equal(len(rows), 3, "rows")


def test_what_is_no_log(folder):
    contains(opscope("tt-report", write(folder / "x.csv", "a,b\n1,2\n"), code=1).err,
             "is no log of Tenstorrent's")
    contains(opscope("tt-report", folder, code=1).err, "holds neither")
    contains(opscope("tt-report", code=2).err, "give the logs")
    contains(opscope("tt-report", folder, "--format", "v9", code=2).err, "expected v1")


def test_a_log_is_not_written_over(folder):
    log = three().write(folder) / "profile_log_device.csv"
    before = log.read_bytes()
    contains(opscope("tt-report", folder, "-o", log, code=2).err, "would be overwritten")
    equal(log.read_bytes(), before, "the log")


def test_the_vendors_name_keeps_exit_0(folder):
    capture = three()
    capture.ops[1].runs = []
    capture.write(folder / ".logs")
    result = run(program("process_ops_logs"), "-o", folder)
    contains(result.err, "1 lost")


def test_many_random_losses(folder):
    """Whatever markers are lost, no figure is wrong: it is right or empty."""
    for seed in range(20):
        capture = ordinary(100 + seed, ops=8, cores=4)
        want = capture.rows()
        rnd = capture.random
        for op in capture.ops:
            for done in op.runs:
                if rnd.random() < 0.3:
                    done.markers.remove(rnd.choice([m for m in done.markers if m[3]
                                                    and m[4] != "ZONE_TOTAL"]))
        rows, _ = report(capture.write(folder / str(seed)), code=None)
        equal(len(rows), len(want), "rows")
        for row, wanted in zip(rows, want):
            for name, text in wanted.items():
                if row[name] not in ("", text):
                    fail(f"seed {seed}, call count {row['GLOBAL CALL COUNT']}: {name}: "
                         f"{row[name]} is neither {text} nor empty")


main()
