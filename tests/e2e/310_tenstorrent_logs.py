"""tt-report on synthetic logs without faults: every cell that the rules give."""

import csv
import sys

from support import *

sys.path.insert(0, str(ROOT / "tests/gen"))
from tenstorrent_logs import Capture, ordinary  # pylint: disable=wrong-import-position

V1_HEADER = (
    "OP CODE,OP TYPE,GLOBAL CALL COUNT,DEVICE ID,ATTRIBUTES,MATH FIDELITY,CORE COUNT,"
    "PARALLELIZATION STRATEGY,HOST START TS,HOST END TS,HOST DURATION [ns],DEVICE FW START CYCLE,"
    "DEVICE FW END CYCLE,OP TO OP LATENCY [ns],OP TO OP LATENCY BR/NRISC START [ns],"
    "DEVICE FW DURATION [ns],DEVICE KERNEL DURATION [ns],DEVICE KERNEL DURATION DM START [ns],"
    "DEVICE KERNEL DURATION PER CORE MIN [ns],DEVICE KERNEL DURATION PER CORE MAX [ns],"
    "DEVICE KERNEL DURATION PER CORE AVG [ns],DEVICE KERNEL FIRST TO LAST START [ns],"
    "DEVICE BRISC KERNEL DURATION [ns],DEVICE NCRISC KERNEL DURATION [ns],"
    "DEVICE TRISC0 KERNEL DURATION [ns],DEVICE TRISC1 KERNEL DURATION [ns],"
    "DEVICE TRISC2 KERNEL DURATION [ns],DEVICE ERISC KERNEL DURATION [ns],"
    "DEVICE COMPUTE CB WAIT FRONT [ns],DEVICE COMPUTE CB RESERVE BACK [ns],"
    "DISPATCH TOTAL CQ CMD OP TIME [ns],DISPATCH GO SEND WAIT TIME [ns],"
    "INPUT_0_W,INPUT_0_Z,INPUT_0_Y,INPUT_0_X,INPUT_0_LAYOUT,INPUT_0_DATATYPE,INPUT_0_MEMORY,"
    "INPUT_1_W,INPUT_1_Z,INPUT_1_Y,INPUT_1_X,INPUT_1_LAYOUT,INPUT_1_DATATYPE,INPUT_1_MEMORY,"
    "OUTPUT_0_W,OUTPUT_0_Z,OUTPUT_0_Y,OUTPUT_0_X,OUTPUT_0_LAYOUT,OUTPUT_0_DATATYPE,"
    "OUTPUT_0_MEMORY,METAL TRACE ID,METAL TRACE REPLAY SESSION ID,COMPUTE KERNEL SOURCE,"
    "COMPUTE KERNEL HASH,DATA MOVEMENT KERNEL SOURCE,DATA MOVEMENT KERNEL HASH,"
    "BRISC MAX KERNEL SIZE [B],NCRISC MAX KERNEL SIZE [B],TRISC 0 MAX KERNEL SIZE [B],"
    "TRISC 1 MAX KERNEL SIZE [B],TRISC 2 MAX KERNEL SIZE [B],ERISC MAX KERNEL SIZE [B],"
    "PM IDEAL [ns],PM COMPUTE [ns],PM BANDWIDTH [ns],PM REQ I BW,PM REQ O BW,PM FPU UTIL (%),"
    "NOC UTIL (%),DRAM BW UTIL (%),NPE CONG IMPACT (%)")
ADDED = "LOC,CONST_EVAL_OP,PROGRAM_METADATA"


def read_report(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def check(capture, folder, *options):
    capture.write(folder / "logs")
    result = opscope("tt-report", folder / "logs", "-o", folder / "report.csv", *options)
    rows = read_report(folder / "report.csv")
    wanted = capture.rows()
    equal([row["GLOBAL CALL COUNT"] or row["OP CODE"] for row in rows],
          [row["GLOBAL CALL COUNT"] or row["OP CODE"] for row in wanted], "order of the rows")
    for number, (row, want) in enumerate(zip(rows, wanted)):
        for name, text in want.items():
            equal(row[name], text, f"row {number}, call count {row['GLOBAL CALL COUNT']}: {name}")
    return result


def test_every_cell_of_a_capture(folder):
    for seed in range(1, 6):
        check(ordinary(seed), folder / str(seed))


def test_other_clocks_and_columns(folder):
    check(ordinary(7, megahertz=1350, arch="blackhole"), folder / "blackhole")
    check(ordinary(8, megahertz=1200, columns=15), folder / "columns")
    check(ordinary(9, columns=15, most_cores=64, replays=7), folder / "cores")


def test_the_header_is_the_documents(folder):
    capture = Capture()
    capture.launch("Matmuls").functions = {}  # two inputs, one output
    capture.write(folder / "logs")
    opscope("tt-report", folder / "logs", "-o", folder / "report.csv")
    header = (folder / "report.csv").read_bytes().split(b"\r\n")[0].decode()
    equal(header, f"{V1_HEADER},{ADDED}", "header")
    equal(len(header.split(",")), 77, "columns")


def test_version_2_1_names_the_chip(folder):
    capture = ordinary(3, most_cores=64)
    capture.write(folder / "logs")
    opscope("tt-report", folder / "logs", "--format", "v2.1", "-o", folder / "report.csv")
    rows = [row for row in read_report(folder / "report.csv") if row["CORE COUNT"]]
    equal({row["DEVICE ARCH"] for row in rows}, {"wormhole_b0"}, "arch")
    equal({row["AVAILABLE WORKER CORE COUNT"] for row in rows}, {"64"}, "worker cores")
    true("INPUT_0_W_PAD[LOGICAL]" in rows[0], "no padded shapes")
    true("TENSIX DM 0 MAX KERNEL SIZE [B]" in rows[0], "no kernel sizes of version 2")


def test_program_cache_hit_field(folder):
    capture = Capture()
    for hit in (False, True):
        capture.launch("Matmul", cache_hit=hit)
    check(capture, folder)
    opscope("tt-report", folder / "logs", "--format", "v2.1", "-o", folder / "report.csv")
    rows = read_report(folder / "report.csv")
    equal([row["PROGRAM CACHE HIT"] for row in rows], ["False", "True"], "cache hits")


def test_value_column_and_windows_line_ends(folder):
    capture = ordinary(4)
    capture.write(folder / "logs")
    times = folder / "logs/tracy_ops_times.csv"
    lines = [line.rsplit(",", 1) for line in times.read_text(encoding="utf-8").splitlines()]
    write(times, "\r\n".join(f"{head},{'value' if not number else ''},{tail}"
                             for number, (head, tail) in enumerate(lines)) + "\r\n")
    opscope("tt-report", folder / "logs", "-o", folder / "report.csv")
    rows = read_report(folder / "report.csv")
    for row, want in zip(rows, capture.rows()):
        equal(row["HOST START TS"], want["HOST START TS"], "host start")


def test_device_only(folder):
    capture = Capture(2)
    for _ in range(4):
        capture.launch("Matmul", cores=capture.grid(3))
    capture.write(folder)
    result = opscope("tt-report", folder / "profile_log_device.csv", "-o", folder / "report.csv")
    contains(result.out, "4 rows")
    rows = read_report(folder / "report.csv")
    true("OP CODE" not in rows[0] and "HOST START TS" not in rows[0], "columns of the host")
    before = None
    for row, op in zip(rows, capture.ops):
        cells, before = capture.device_cells(op.runs[0], before)
        del cells["PM FPU UTIL (%)"]
        equal({name: row.get(name, "") for name in cells}, cells, f"row {op.count}")
    equal([list(row)[:2] for row in rows], [["GLOBAL CALL COUNT", "DEVICE ID"]] * 4, "first columns")
    equal([row["DEVICE ID"] for row in rows], ["0"] * 4, "devices")
    gaps = read_report(folder / "per_core_op_to_op_times.csv")
    equal(len(gaps), 3, "pairs of operations")
    first, second = capture.ops[0].runs[0], capture.ops[1].runs[0]
    for x, y in capture.grid(3):
        end = max(m[5] for m in first.markers if m[:2] == (x, y) and m[3].endswith("-KERNEL"))
        start = min(m[5] for m in second.markers if m[:2] == (x, y)
                    and m[3] in ("BRISC-KERNEL", "NCRISC-KERNEL") and m[4] == "ZONE_START")
        equal(gaps[0][f"{x}; {y} [ns]"], str(start - end - 1500), f"gap of core {x},{y}")
    equal(gaps[0]["op2op ID"], f"{capture.ops[0].count} -> {capture.ops[1].count}", "pair")


def test_the_vendors_name(folder):
    capture = ordinary(5)
    capture.write(folder / ".logs")
    run(program("process_ops_logs"), "-o", folder, "-n", "net")
    rows = read_report(folder / "reports/net/ops_perf_results_net.csv")
    equal(len(rows), len(capture.rows()), "rows")


main()
