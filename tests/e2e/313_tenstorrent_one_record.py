"""tt-report from logs and from the profile that they were converted to: the same bytes."""
import random
import sys

from support import *

sys.path.insert(0, str(ROOT / "tests/gen"))
from tenstorrent_logs import ordinary  # pylint: disable=wrong-import-position

REAL = ROOT / "../shared/data/tenstorrent"
GAPS = "per_core_op_to_op_times.csv"


def report(source, folder, *options):
    """The report of logs or a profile, and the gaps of each core where there are any."""
    folder.mkdir(parents=True)
    opscope("tt-report", source, "-o", folder / "report.csv", *options, code=None)
    gaps = folder / GAPS
    return (folder / "report.csv").read_bytes(), gaps.read_bytes() if gaps.exists() else None


def compare(logs, folder, what):
    folder.mkdir(parents=True, exist_ok=True)
    profile = folder / "capture.prof"
    opscope("convert", logs, "-o", profile, code=None)
    for number, options in enumerate([(), ("--format", "v2"), ("--format", "v2.1"), ("--device-only",)]):
        wanted = report(logs, folder / f"logs{number}", *options)
        got = report(profile, folder / f"profile{number}", *options)
        equal(got, wanted, f"{what}, {options}")
    version = folder / "converted.csv"
    opscope("convert", profile, "--to", "tenstorrent-report-v2.1", "-o", version, code=None)
    equal(version.read_bytes(), (folder / "logs2/report.csv").read_bytes(), f"{what}: converted")


def spoil(folder, seed):
    """Removes lines here and there, as a device does whose buffers are full."""
    choose = random.Random(seed)
    for path in sorted(folder.iterdir()):
        lines = path.read_text().splitlines(keepends=True)
        kept = lines[:2] + [line for line in lines[2:] if choose.random() > 0.03]
        write(path, "".join(kept))


def test_sound_logs(folder):
    for seed in range(1, 5):
        ordinary(seed).write(folder / f"{seed}/logs")
        compare(folder / f"{seed}/logs", folder / f"{seed}/out", f"seed {seed}")


def test_logs_with_holes(folder):
    for seed in range(1, 9):
        ordinary(seed).write(folder / f"{seed}/logs")
        spoil(folder / f"{seed}/logs", seed)
        compare(folder / f"{seed}/logs", folder / f"{seed}/out", f"seed {seed}")


def test_parts_of_a_capture(folder):
    ordinary(3).write(folder / "logs")
    for kept in ("profile_log_device.csv", "tracy_ops_data.csv", "tracy_ops_times.csv"):
        compare(folder / "logs" / kept, folder / kept.split(".")[0], f"only {kept}")
    (folder / "logs/profile_log_device.csv").unlink()
    compare(folder / "logs", folder / "host", "without a device log")


def test_real_logs(folder):
    for name in ("n300_profile_log_device.csv", "wh_profile_log_device_head.csv"):
        if (REAL / name).exists():
            compare(REAL / name, folder / name, name)


def test_traces_do_not_carry_what_only_the_profile_needs(folder):
    ordinary(1).write(folder / "logs")
    opscope("convert", folder / "logs", "-o", folder / "x.json")
    equal("run.cores" in (folder / "x.json").read_text(), False, "packed values in a trace")


def test_a_profile_of_something_else_is_reported_too(folder):
    program, profile = folder / "add.opx", folder / "run.prof"
    opscope("compile", ROOT / "tests/testdata/tosa_ops/add.mlir", "--target", "torq-sl2610", "-o", program)
    opscope("run", program, "--device", "sim", "--profile", profile)
    opscope("tt-report", profile, "-o", folder / "r.csv")
    opscope("convert", profile, "--to", "tenstorrent-report", "-o", folder / "c.csv")
    equal((folder / "c.csv").read_bytes(), (folder / "r.csv").read_bytes(), "convert")
    matches((folder / "r.csv").read_text(), r"^\w*add\w*,tt_dnn_device,")
    contains(opscope("tt-report", profile, "-o", profile, code=2).err, "would be overwritten", "the profile itself")


def test_a_cut_profile_is_a_report_or_an_error(folder):
    ordinary(2).write(folder / "logs")
    profile, cut = folder / "x.prof", folder / "cut.prof"
    opscope("convert", folder / "logs", "-o", profile)
    whole = profile.read_bytes()
    for size in range(0, len(whole), len(whole) // 40):
        cut.write_bytes(whole[:size])
        result = opscope("tt-report", cut, "-o", folder / "r.csv", code=None)
        equal(result.code in (0, 1, 3), True, f"exit for {size} bytes: {result.code}")


main()
