"""A board that is this machine: sshd of the system on a free port of 127.0.0.1, with keys and settings of its own.

    with board.start(folder) as there:
        opscope("suite", network, *there.options, "--torq-addr", board.ADDRESS)

The address is the one that Torq's guide prints. The settings for ssh map every address to 127.0.0.1, and
`start` refuses to go on unless ssh itself says that it would connect there: no packet goes anywhere else. A
login begins in an empty folder of the test, as root's does on the board in its home.
"""

import contextlib
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess

from support import Failure, Skip, run, until

ADDRESS = "root@10.46.130.17"
HOME = "home/root"  # of root on the board
SSHD = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/sbin")
SEPARATION = pathlib.Path("/run/sshd")  # where sshd wants to be locked up before somebody logs in

SERVER = """Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/key.pub
PidFile none
UsePAM no
StrictModes no
PasswordAuthentication no
KbdInteractiveAuthentication no
PermitRootLogin prohibit-password
MaxStartups 100
ForceCommand {folder}/login
"""

CLIENT = """Host *
HostName 127.0.0.1
Port {port}
IdentityFile {folder}/key
IdentitiesOnly yes
IdentityAgent none
UserKnownHostsFile {folder}/known_hosts
GlobalKnownHostsFile none
StrictHostKeyChecking yes
"""

# What is asked of the board is kept, and what a test has prepared for it happens first.
LOGIN = """#!/bin/sh
cd {home} || exit 1
HOME=$PWD
export HOME
printf '%s\\n' "$SSH_ORIGINAL_COMMAND" >>{folder}/commands
. {folder}/faults
exec sh -c "$SSH_ORIGINAL_COMMAND"
"""


def check(config, port):
    """Refuses settings with which ssh would go anywhere but to our own sshd."""
    said = subprocess.run(["ssh", "-F", str(config), "-G", ADDRESS], capture_output=True, text=True, check=False).stdout
    settings = dict(line.partition(" ")[::2] for line in said.splitlines())
    if settings.get("hostname") != "127.0.0.1" or settings.get("port") != str(port):
        raise Failure(f"{config} does not lead {ADDRESS} to 127.0.0.1, port {port}: nothing is started")


class Board:
    """`home`: where a login begins; `config`: ssh's settings; `port`."""

    def __init__(self, folder, port):
        self.folder = folder
        self.port = port
        self.home = folder / HOME
        self.config = folder / "ssh_config"
        self.options = [f"--torq-ssh-config={self.config}"]

    def commands(self):
        path = self.folder / "commands"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []

    def fault(self, script):
        """Done by the shell of every login from now on, before what it was asked to do."""
        (self.folder / "faults").write_text(script, encoding="utf-8")

    def cut(self, pattern, times):
        """Cuts the connection of the first `times` commands that have `pattern` (of a shell's case)."""
        self.fault("".join(f"case $SSH_ORIGINAL_COMMAND in {pattern}) ! mkdir {self.folder}/cut.{number} 2>/dev/null || "
                           "{ kill -9 $PPID; exit 1; };; esac\n" for number in range(times)))


def requirements():
    for name in ("ssh", "ssh-keygen"):
        if shutil.which(name) is None:
            raise Skip(f"no {name} (scripts/install-dependencies.sh test)")
    if SSHD is None:
        raise Skip("no sshd (scripts/install-dependencies.sh test)")
    if os.geteuid() != 0:
        raise Skip("sshd logs in only its own user, and the printed line names root")


def free_port():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def answers(port):
    with socket.socket() as trial:
        return trial.connect_ex(("127.0.0.1", port)) == 0


def make_files(folder, port):
    (folder / HOME).mkdir(parents=True, exist_ok=True)
    for name in ("key", "host_key"):
        if not (folder / name).exists():
            run("ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / name)
    host_key = (folder / "host_key.pub").read_text(encoding="utf-8")
    for name, text in (("sshd_config", SERVER), ("ssh_config", CLIENT), ("login", LOGIN)):
        (folder / name).write_text(text.format(folder=folder, home=folder / HOME, port=port), encoding="utf-8")
    (folder / "login").chmod(0o755)
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}", encoding="utf-8")
    (folder / "faults").touch()


def start_server(folder):
    """sshd, not as a service: it ends with the test. Its folder is made in a mount space of its own."""
    words = [SSHD, "-D", "-e", "-f", str(folder / "sshd_config")]
    if not SEPARATION.is_dir():
        script = f"mount -t tmpfs tmpfs /run && mkdir {SEPARATION} && exec {shlex.join(words)}"
        words = ["unshare", "--mount", "sh", "-c", script]
    with open(folder / "sshd.log", "ab") as log:
        return subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=log, stderr=log, start_new_session=True)


@contextlib.contextmanager
def start(folder):
    requirements()
    folder = pathlib.Path(folder) / "board"
    folder.mkdir()
    server, port = None, None
    try:
        for _ in range(5):  # a port may be taken by another between being found and being used
            port = free_port()
            make_files(folder, port)
            check(folder / "ssh_config", port)
            server = start_server(folder)
            until(lambda: answers(port) or server.poll() is not None, "sshd")
            if server.poll() is None:
                break
        if server.poll() is not None:
            raise Skip(f"sshd does not start here: {(folder / 'sshd.log').read_text(encoding='utf-8').strip()[-300:]}")
        yield Board(folder, port)
    finally:
        if server is not None and server.poll() is None:
            os.killpg(server.pid, signal.SIGKILL)
        if server is not None:
            server.wait()
