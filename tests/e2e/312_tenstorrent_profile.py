"""Tenstorrent's logs through convert, info and overview, read back by Perfetto's own reader."""

import random
import sys

from support import *

sys.path.insert(0, str(ROOT / "tests/gen"))
from tenstorrent_logs import Capture, ordinary  # pylint: disable=wrong-import-position


def markers(capture, *types):
    return [marker for op in capture.ops for done in op.runs for marker in done.markers
            if marker[4] in types]


def test_a_capture_as_a_trace(folder):
    capture = ordinary(1)
    trace = folder / "capture.pb"
    opscope("convert", capture.write(folder / "logs"), "-o", trace)
    spans, flows, processes, lanes = without_loss(
        trace,
        "select name, count(*) as count, sum(dur) as total from slice group by name",
        "select count(*) as count from flow",
        "select name from process where name is not null order by name",
        "select count(distinct track_id) as count from slice where name = 'BRISC-FW'")
    counts = {row["name"]: row["count"] for row in spans}
    for zone in ("BRISC-FW", "BRISC-KERNEL", "NCRISC-FW", "TRISC-KERNEL"):
        wanted = [marker for marker in markers(capture, "ZONE_START") if marker[3] == zone]
        equal(counts[zone], len(wanted), zone)
    runs = [done for op in capture.ops for done in op.runs]
    for code in {op.code for op in capture.ops}:
        launched = sum(1 for op in capture.ops if op.code == code)
        ran = sum(1 for done in runs if done.op.code == code)
        equal(counts[code], launched + ran, f"{code} on host and device")
    equal(flows[0]["count"], len(runs), "one flow from each launch or replay to its run")
    equal([row["name"] for row in processes], ["device 0", "device 1", "host"], "processes")
    cores = {(done.op.device, *marker[:2]) for done in runs for marker in done.markers}
    equal(lanes[0]["count"], len(cores), "lanes of BRISC")
    equal(counts["TT_METAL_TRACE_REPLAY"], len(capture.replays), "replays")
    for header, _, _ in capture.signposts:
        equal(counts[header], 1, header)


def test_durations_are_cycles_at_the_clock(folder):
    capture = Capture(3, megahertz=1350)
    op = capture.launch("Matmul", cores=[(3, 4)])
    trace = folder / "clock.pb"
    capture.write(folder)
    opscope("convert", folder / "profile_log_device.csv", "-o", trace)
    rows = without_loss(trace, "select name, ts, dur from slice where name like '%-FW' order by ts")
    pairs = {}
    for marker in op.runs[0].markers:
        if marker[3].endswith("-FW"):
            pairs.setdefault(marker[2], []).append(marker[5])
    wanted = sorted((start * 1000 // 1350, end * 1000 // 1350) for start, end in pairs.values())
    equal(sorted((row["ts"], row["ts"] + row["dur"]) for row in rows), wanted, "times")


def test_attributes_and_shapes_are_arguments(folder):
    capture = Capture(2)
    capture.launch("Softmax", shape=(1, 2, 64, 96))
    opscope("convert", capture.write(folder / "logs"), "-o", folder / "x.pb")
    rows = without_loss(
        folder / "x.pb",
        "select a.key, coalesce(a.string_value, a.int_value) as text from slice s join args a "
        "using (arg_set_id) where s.name = 'Softmax' and a.key like 'debug.%'")
    texts = {row["key"].removeprefix("debug."): str(row["text"]) for row in rows}
    # Perfetto writes the dots of keys as underscores.
    equal(texts.get("input_0_shape"), "1x2x64x96", f"shape in {texts}")
    equal(texts.get("attributes_kind"), "Kind::Softmax, it's", "attribute")
    equal(texts.get("run_host_id"), "1024", "run host ID")
    equal(texts.get("compute_kernel_0_math_fidelity"), "HiFi2", "fidelity")


def test_lost_markers_are_in_the_ledger(folder):
    capture = Capture(4)
    op = capture.launch("Matmul")
    op.runs[0].drop(x=1, y=1, risc="BRISC", zone="BRISC-FW", type="ZONE_END")
    op.runs[0].drop(x=2, y=1, risc="NCRISC", zone="NCRISC-KERNEL", type="ZONE_START")
    capture.write(folder)
    result = opscope("convert", folder / "profile_log_device.csv", "-o", folder / "x.pb", code=3)
    contains(result.err, "2 lost")
    contains(result.err, "BRISC-FW starts and does not end")
    contains(result.err, "NCRISC-KERNEL ends and did not start")


def shuffled(text, seed):
    """The rows of a device log in any order: 'not global time order'."""
    first, header, *rows = text.splitlines()
    random.Random(seed).shuffle(rows)
    return "\n".join([first, header, *rows]) + "\n"


def test_rows_in_any_order_lose_nothing(folder):
    capture = Capture(8, columns=15)
    for _ in range(3):
        capture.launch("Matmul")
        capture.launch("Softmax", device=1)
    # A zone that a kernel passes often, once without taking any time.
    for done in (op.runs[0] for op in capture.ops):
        starts = [marker for marker in done.markers if marker[4] == "ZONE_START"
                  and marker[3] == "BRISC-KERNEL"]
        for x, y, risc, _, _, time, _ in starts:
            for step in range(3):
                done.markers += [(x, y, risc, "LOOP", "ZONE_START", time + 2 * step, 0),
                                 (x, y, risc, "LOOP", "ZONE_END", time + 2 * step + step % 2, 0)]
    spans = ("select s.name, ts, dur, t.name as lane from slice s join track t on t.id = track_id "
             "order by s.name, ts, dur, lane, s.track_id")
    log = write(folder / "profile_log_device.csv", capture.device_log())
    opscope("convert", log, "-o", folder / "ordered.pb")
    want = without_loss(folder / "ordered.pb", spans)
    info = opscope("info", log).out.splitlines()[1]
    for seed in range(3):
        write(log, shuffled(capture.device_log(), seed))
        opscope("convert", log, "-o", folder / "shuffled.pb")
        equal(without_loss(folder / "shuffled.pb", spans), want, f"spans, seed {seed}")
        equal(opscope("info", log).out.splitlines()[1], info, f"info, seed {seed}")


def test_an_order_does_not_hide_lost_markers(folder):
    capture = Capture(4)
    op = capture.launch("Matmul")
    op.runs[0].drop(x=1, y=1, risc="BRISC", zone="BRISC-FW", type="ZONE_END")
    op.runs[0].drop(x=2, y=1, risc="NCRISC", zone="NCRISC-KERNEL", type="ZONE_START")
    log = write(folder / "profile_log_device.csv", shuffled(capture.device_log(), 1))
    result = opscope("convert", log, "-o", folder / "x.pb", code=3)
    contains(result.err, "2 lost")
    contains(result.err, "BRISC-FW starts and does not end")
    contains(result.err, "NCRISC-KERNEL ends and did not start")


def test_info_and_overview(folder):
    capture = ordinary(5)
    capture.write(folder)
    contains(opscope("info", folder / "profile_log_device.csv").out, "tenstorrent-device-log")
    contains(opscope("info", folder / "tracy_ops_data.csv").out, "tenstorrent-ops-data")
    contains(opscope("info", folder / "tracy_ops_times.csv").out, "tenstorrent-ops-times")
    matches(opscope("overview", folder / "profile_log_device.csv").out, r"(?m)^ *Device +[\d.]+")


def test_commands_agree_on_the_device(folder):
    """What all processors of a run did at once is not added up: its operation counts, once."""
    capture = Capture(4)
    for code in ("Matmul", "Softmax"):
        capture.launch(code, cores=[(1, 1), (2, 1)])
    logs = capture.write(folder / "logs")
    opscope("tt-report", logs, "-o", folder / "report.csv")
    report = opscope("operators", folder / "report.csv", "--json").json()
    rows = opscope("operators", logs, "--json").json()
    equal({row["type"]: row["device_ns"] for row in rows["operators"] if row["name"]},
          {row["type"]: row["device_ns"] for row in report["operators"]}, "of the report")
    overview = opscope("overview", logs, "--json").json()
    text = json.dumps(overview)
    contains(text, str(rows["device_ns"]))
    contains(text, str(rows["host_ns"]))
    for row in opscope("top", logs, "--by", "track", "--json", "--top", "0").json()["spans"]:
        equal(row["where"], "device" if "core" in row["label"] else "host", row["label"])


def test_a_profile_keeps_everything(folder):
    capture = ordinary(6)
    opscope("convert", capture.write(folder / "logs"), "-o", folder / "x.prof")
    opscope("convert", folder / "x.prof", "-o", folder / "x.pb")
    opscope("convert", folder / "logs", "-o", folder / "y.pb")
    count = "select count(*) as count, sum(dur) as total from slice"
    equal(without_loss(folder / "x.pb", count), without_loss(folder / "y.pb", count), "slices")


def test_the_real_logs(folder):
    for name, spans in (("n300_profile_log_device.csv", 195), ("wh_profile_log_device_head.csv", 46)):
        log = shared(f"data/tenstorrent/{name}")
        opscope("convert", log, "-o", folder / f"{name}.pb", code=None)
        rows = without_loss(folder / f"{name}.pb", "select count(*) as count from slice")
        equal(rows[0]["count"], spans, name)


main()
