"""Networks on a board that is reached by ssh: the system's own sshd, on this machine only (board.py)."""
import getpass
import signal
import xml.etree.ElementTree

from support import *

import board

TOGETHER = True  # ssh takes its time; two at once gain nothing
NETWORK = ROOT / "tests/testdata/tosa_ops/add.mlir"
PLACE = f"iree-build-soc/{getpass.getuser()}"


def suite(there, folder, *words, code=0, **options):
    """`opscope suite` of one network on the board; its row, and where its files are."""
    opscope("suite", NETWORK, "-o", folder / "out", "--cache", folder / "cache", "--torq-addr", board.ADDRESS,
            *there.options, *words, code=code, **options)
    row = json.loads((folder / "out/results.json").read_text())["networks"][0]
    return row, folder / "out/add"


def test_settings_that_lead_elsewhere_are_refused(folder):
    board.requirements()
    write(folder / "ssh_config", "Host board\nHostName 127.0.0.1\nPort 4242\n")
    try:
        board.check(folder / "ssh_config", 4242)
    except Failure as refused:
        contains(str(refused), "nothing is started")
    else:
        fail("the printed address would have been connected to")


def test_a_network_runs_there_and_its_profile_comes_back(folder):
    with board.start(folder) as there:
        row, files = suite(there, folder, "--update-astra-runtime")
        equal(row["status"], "pass", "status")
        equal((there.home / PLACE / "torq-run-module").read_bytes(), program("opscope").read_bytes(), "the runner")
        true((there.home / PLACE / "add.vmfb").is_file(), "the program lies beside the runner")
        true(not list((there.home / PLACE).glob("*.part")), "nothing is half copied")
        for name in ("host_profile.csv", "trace.pb", "annotated_profile.xlsx", "output.0.npy"):
            true((files / name).stat().st_size > 0, f"{name} came back")
        log = (files / "log.txt").read_text()
        wall = float((files / "wall_time.txt").read_text())
        own = float((files / "wall_time_board.txt").read_text())
        contains(log, f"Wall time: {wall:.3f}s")
        contains(log, f"Wall time without ssh: {own:.3f}s")
        true(0 < row["wall_time_board_ns"] <= row["wall_time_ns"], f"ssh takes time, too\n{row}")
        here = opscope("suite", NETWORK, "-o", folder / "here", "--cache", folder / "cache", "--json").json()
        equal((files / "output.0.npy").read_bytes(), (folder / "here/add/output.0.npy").read_bytes(), "the result")
        equal(here["networks"][0]["cached"], True, "compiled before")


def test_a_runner_that_is_there_is_not_copied_again(folder):
    with board.start(folder) as there:
        suite(there, folder, "--update-astra-runtime")
        runner = there.home / PLACE / "torq-run-module"
        before = runner.stat().st_ino
        suite(there, folder, "--update-astra-runtime")
        equal(runner.stat().st_ino, before, "the file")
        write(runner, b"#!/bin/sh\nexit 7\n")
        row, _ = suite(there, folder, code=1)
        contains(row["reason"], "exit 7")
        equal((row["status"], row["step"]), ("fail", "run"), "without --update-astra-runtime it is used as it is")
        suite(there, folder, "--update-astra-runtime")


def test_inputs_from_files_are_copied(folder):
    with board.start(folder) as there:
        opscope("infer", NETWORK, "--input", "1x56x56x24xi8=3", "--output", f"@{folder / 'wanted.npy'}")
        opscope("infer", NETWORK, "--input", "1x56x56x24xi8=1", "--output", f"@{folder / 'other.npy'}")
        data = bytes([3]) * (56 * 56 * 24)
        write(folder / "three.bin", data)
        _, files = suite(there, folder, "--update-astra-runtime", "--input", f"1x56x56x24xi8=@{folder / 'three.bin'}")
        equal((files / "output.0.npy").read_bytes(), (folder / "wanted.npy").read_bytes(), "the result")
        true((folder / "wanted.npy").read_bytes() != (folder / "other.npy").read_bytes(), "the input matters")


def test_a_disk_that_is_full_is_reported(folder):
    with board.start(folder) as there:
        (there.home / PLACE).mkdir(parents=True)
        (there.home / PLACE / "add.vmfb.part").symlink_to("/dev/full")
        row, _ = suite(there, folder, "--update-astra-runtime", code=1)
        equal((row["status"], row["step"], row["lost_connections"]), ("error", "run", 0), "row")
        contains(row["reason"], "No space left on device")
        contains(row["reason"], "copying add.vmfb")
        true(not (there.home / PLACE / "add.vmfb").exists(), "no half of a program is left")
        row, _ = suite(there, folder, "--update-astra-runtime")
        equal(row["status"], "pass", "what was full is not any more")


def test_a_key_that_is_refused_is_not_tried_again(folder):
    with board.start(folder) as there:
        run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / "stranger")
        write(there.config, there.config.read_text().replace(f"{there.folder}/key\n", f"{folder}/stranger\n"))
        row, _ = suite(there, folder, "--update-astra-runtime", code=1)
        equal((row["status"], row["lost_connections"]), ("error", 0), "row")
        contains(row["reason"], "Permission denied")
        equal(there.commands(), [], "nothing was asked")
        row, _ = suite(there, folder, "--update-astra-runtime", f"--torq-private-key={there.folder}/key")
        equal(row["status"], "pass", "with the key that the option names")


def test_the_port_can_be_given(folder):
    with board.start(folder) as there:
        config = there.config.read_text()
        contains(config, "HostName 127.0.0.1\n")
        write(there.config, config.replace(f"Port {there.port}\n", ""))
        row, _ = suite(there, folder, f"--torq-port={there.port}", "--torq-run-cmd=sh -c 'exit 9'", code=1)
        contains(row["reason"], "exit 9")


def test_a_connection_that_is_cut_is_tried_again(folder):
    with board.start(folder) as there:
        there.cut("*--module=*", 2)
        row, files = suite(there, folder, "--update-astra-runtime")
        equal((row["status"], row["lost_connections"]), ("pass", 2), "row")
        contains((files / "log.txt").read_text(), "connection lost, trying again")
        equal(sum("--module=" in line for line in there.commands()), 3, "attempts at running")


def test_a_board_that_stays_away_is_reported(folder):
    with board.start(folder) as there:
        there.cut("*", 100)
        row, _ = suite(there, folder, "--update-astra-runtime", "--torq-attempts=2", code=1)
        equal((row["status"], row["lost_connections"]), ("error", 2), "row")
        contains(row["reason"], "tried 2 times")
        equal(len(there.commands()), 2, "attempts")


def test_what_takes_too_long_ends_here_and_there(folder):
    with board.start(folder) as there:
        # The limit holds for all of it, wherever it is by then.
        row, _ = suite(there, folder, "--timeout=6", "--torq-run-cmd=sh -c 'sleep 10000'", code=1)
        equal(row["status"], "fail", "status")
        matches(row["reason"], "took longer than")


def test_a_command_ends_when_its_connection_does(folder):
    with board.start(folder) as there:
        command = "--torq-run-cmd=sh -c 'sleep 10000 & echo $! >number; mv number sleeper; wait'"
        with subprocess.Popen([program("opscope"), "suite", NETWORK, "-o", folder / "out", "--cache", folder / "cache",
                               "--torq-addr", board.ADDRESS, *there.options, command],
                              stdout=subprocess.DEVNULL, start_new_session=True) as session:
            sleeper = there.home / PLACE / "sleeper"
            until(sleeper.exists, "the command on the board")
            number = int(sleeper.read_text())
            os.kill(session.pid, signal.SIGKILL)
            os.killpg(session.pid, signal.SIGKILL)
        until(lambda: not pathlib.Path(f"/proc/{number}").exists(), "the end of the command on the board")


def test_commands_of_ones_own_run_on_the_board(folder):
    with board.start(folder) as there:
        runner = write(folder / "own-runner", "#!/bin/sh\necho \"own $2\" >&2\nexec \"$OPSCOPE\" torq-run-module \"$1\" "
                                              "--input=1x56x56x24xi8=1 --torq_profile_host=\"$3\"\n")
        runner.chmod(0o755)
        there.fault(f"OPSCOPE={program('opscope')}\nexport OPSCOPE\n")
        row, files = suite(there, folder, "--torq-runtime-hw-type=astra_machina",
                           f"--torq-run-cmd={runner} --module={{program}} {{hardware}} {{profile}}", code=None)
        contains((files / "log.txt").read_text(), "own astra_machina")
        true(not (there.home / PLACE / "torq-run-module").exists(), "no runner is copied that no command names")
        equal((row["status"], row["step"]), ("error", "run"), "it leaves no output, which is said")
        contains(row["reason"], "fetching add.output.0.npy")


def test_the_printed_line_runs_as_it_stands(folder):
    import session  # pylint: disable=import-outside-toplevel
    with board.start(folder) as there:
        result = session.run_line(folder, session.PRINTED, *there.options)
        session.check(result, folder)
        kept = session.kept(folder)
        wall = float(kept[".wall_time.txt"].read_text())
        own = float(kept[".wall_time_board.txt"].read_text())
        contains(result.out, f"Wall time: {wall:.3f}s", "the log")
        case = xml.etree.ElementTree.parse(folder / "junit.xml").find(".//testcase")
        properties = {each.get("name"): each.get("value") for each in case.iter("property")}
        equal((properties["wall_time"], properties["wall_time_board"]), (f"{wall:.3f}", f"{own:.3f}"), "properties")
        true(0 <= own <= wall, "ssh takes time, too")
        equal((there.home / PLACE / "torq-run-module").read_bytes(), program("opscope").read_bytes(), "the runner")
        true((there.home / PLACE / "example-matmul_layer.vmfb").is_file(), "the program lies beside the runner")


main()
