#!/usr/bin/env python3
"""`opscope mcp`: the Model Context Protocol, message by message; which files it reads; how it ends."""

import base64
import gzip
import time

from support import *
import support

TRACE = ROOT / "samples/pytorch/training.json.gz"
OTHER = ROOT / "samples/pytorch/stacks.json.gz"
ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT MAX(x) FROM n"
MODERN = {"io.modelcontextprotocol/protocolVersion": "2026-07-28",
          "io.modelcontextprotocol/clientCapabilities": {}}
TOOLS = ["open", "info", "overview", "top", "operators", "sql", "diff", "explain", "whatif", "picture"]


class Server:
    """A server, and a client that writes lines to it."""

    def __init__(self, *words, version="2025-11-25"):
        self.process = subprocess.Popen([program("opscope"), "mcp", *map(str, words)], stdin=subprocess.PIPE,
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.number = 0
        if version:
            self.version = self.ask("initialize", protocolVersion=version, capabilities={},
                                    clientInfo={"name": "test", "version": "1"})["result"]["protocolVersion"]
            self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.stdout.close()
        equal(self.process.stderr.read().decode(), "", "what the server says")
        equal(self.process.wait(PATIENCE), 0, "exit code")
        self.process.stderr.close()

    def send(self, message):
        line = message if isinstance(message, bytes) else json.dumps(message).encode()
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def receive(self):
        line = self.process.stdout.readline()
        true(line, "the server ended")
        return json.loads(line)

    def start(self, method, **params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        return self.number

    def ask(self, method, **params):
        number = self.start(method, **params)
        answer = self.receive()
        equal(answer["id"], number, "id")
        return answer

    def start_call(self, name, **arguments):
        return self.start("tools/call", name=name, arguments=arguments)

    def call(self, name, **arguments):
        """The result of a call."""
        return self.ask("tools/call", name=name, arguments=arguments)["result"]

    def answer(self, name, **arguments):
        """The structured answer of a call that must be good."""
        result = self.call(name, **arguments)
        true(not result["isError"], result["content"][0].get("text"))
        text = [part["text"] for part in result["content"] if part["type"] == "text"]
        equal(json.loads(text[0]), result["structuredContent"], "text beside structured content")
        return result["structuredContent"]

    def refusal(self, name, **arguments):
        result = self.call(name, **arguments)
        true(result["isError"], f"{name} {arguments}: no error")
        true("structuredContent" not in result, "an error with structured content")
        return result["content"][0]["text"]


def children(pid):
    """Processes below another."""
    found = set()
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                parent = int((entry / "stat").read_text().rsplit(")", 1)[1].split()[1])
            except (OSError, IndexError):
                continue
            if parent == pid:
                found |= {int(entry.name)} | children(int(entry.name))
    return found


def is_gone(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except OSError:
        return True


# Answers ---------------------------------------------------------------------

def command(*words):
    return opscope(*words, "--json").json()


def test_tools_say_what_the_commands_say(folder):
    del folder
    file = str(TRACE)
    calls = {
        "open": ({}, ("info", file, "--top", 20)),
        "info": ({"limit": 3, "offset": 5, "columns": "name,spans"},
                 ("info", file, "--top", 3, "--skip", 5, "--columns", "name,spans")),
        "overview": ({"all": True}, ("overview", file, "--all")),
        "top": ({"by": "category", "from": "1ms", "to": "5ms", "sort": "count:desc", "limit": 7},
                ("top", file, "--by", "category", "--from", "1ms", "--to", "5ms", "--sort", "count:desc", "--top", 7)),
        "operators": ({"limit": 4}, ("operators", file, "--top", 4)),
        "sql": ({"query": "SELECT name, dur FROM slice ORDER BY dur DESC", "limit": 9},
                ("sql", file, "SELECT name, dur FROM slice ORDER BY dur DESC LIMIT 9")),
        "explain": ({"by": "track", "limit": 3, "peak_macs": "8T"}, ("explain", file, "--by", "track", "--top", 3, "--peak-macs", "8T")),
        "whatif": ({"faster": ["*gemm*=2x", "*elementwise*=3x"], "no_gaps": True},
                   ("whatif", file, "--faster", "*gemm*=2x", "--faster", "*elementwise*=3x", "--no-gaps", "--top", 20)),
    }
    with Server(ROOT / "samples") as server:
        equal(server.version, "2025-11-25", "version")
        for name, (arguments, words) in calls.items():
            answer = server.answer(name, file=file, **arguments)
            equal(answer["result"], command(*words), name)
            equal(answer["loss"], False, f"loss of {name}")
        answer = server.answer("diff", a=[file], b=[str(OTHER), file], limit=5, time="host")
        equal(answer["result"], command("diff", "--a", file, "--b", OTHER, file, "--time", "host", "--top", 5), "diff")
        equal(answer["result"]["a"][0]["ledger"]["recorded"], 1228, "ledger of a side")


def test_pictures_are_those_of_timeline(folder):
    opscope("timeline", TRACE, "-o", folder / "a.png", "--from", "1ms", "--to", "4ms", "--width", 640, "--tracks", "stream")
    with Server(ROOT / "samples") as server:
        result = server.call("picture", file=str(TRACE), **{"from": "1ms", "to": "4ms"}, width=640, tracks=["stream"])
        equal([part["type"] for part in result["content"]], ["image", "text"], "content")
        equal(result["content"][0]["mimeType"], "image/png", "kind of picture")
        equal(base64.b64decode(result["content"][0]["data"]), (folder / "a.png").read_bytes(), "picture")
        equal(result["structuredContent"]["result"]["ledger"]["recorded"], 1228, "ledger")


def test_pages_together_are_everything(folder):
    del folder
    whole = command("top", TRACE)["spans"]
    rows, offset = [], 0
    with Server(ROOT / "samples") as server:
        while offset is not None:
            answer = server.answer("top", file="pytorch/training.json.gz", offset=offset, limit=50)
            page = answer["pages"][0]
            equal((page["rows"], page["offset"], page["shown"], page["total"]),
                  ("spans", offset, len(answer["result"]["spans"]), len(whole)), "page")
            rows += answer["result"]["spans"]
            offset = page["next"]
        equal(rows, whole, "rows of all pages")
        beyond = server.answer("top", file=str(TRACE), offset=100000)
        equal((beyond["result"]["spans"], beyond["pages"][0]["next"]), ([], None), "beyond the end")
        # Of a query nobody knows how much follows until it is asked for.
        pages = server.answer("sql", file=str(TRACE), query="SELECT 1 UNION ALL SELECT 2", limit=1)["pages"]
        equal(pages, [{"rows": "rows", "offset": 0, "shown": 1, "total": None, "next": 1}], "first page")
        pages = server.answer("sql", file=str(TRACE), query="SELECT 1 UNION ALL SELECT 2", limit=1, offset=1)["pages"]
        equal(pages, [{"rows": "rows", "offset": 1, "shown": 1, "total": 2, "next": None}], "last page")


def test_answers_are_bounded(folder):
    """A page that would be too long is a shorter one; one row that is too long is refused."""
    del folder
    with Server(ROOT / "samples") as server:
        answer = server.answer("sql", file=str(TRACE), query="SELECT id, hex(zeroblob(1000)) FROM slice", limit=1000)
        shown = answer["pages"][0]["shown"]
        true(0 < shown < 1000, f"{shown} rows")
        equal(answer["pages"][0]["next"], shown, "next page")
        true(len(json.dumps(answer)) < 300 << 10, "size")
        contains(server.refusal("sql", file=str(TRACE), query="SELECT hex(zeroblob(10000000))"), "more than 256 KiB")
        equal(len(server.answer("top", file=str(TRACE))["result"]["spans"]), 20, "rows that nobody counted")


def test_a_loss_is_told(folder):
    content = json.loads(small_trace("good"))
    content["traceEvents"].append({"ph": "X", "name": "broken", "pid": 1, "tid": 1, "ts": "never", "dur": 5})
    write(folder / "broken.json", json.dumps(content))
    with Server(folder) as server:
        answer = server.answer("top", file="broken.json")
        equal(answer["loss"], True, "loss")
        equal(answer["result"]["ledger"]["impossible"] + answer["result"]["ledger"]["lost"], 1, "ledger")


def test_wrong_arguments_say_what_to_do(folder):
    write(folder / "empty.json", "")
    write(folder / "notes.txt", "nothing of the kind\n")
    shutil.copy(TRACE, folder / "t.json.gz")
    with Server(folder) as server:
        for arguments, said in (({}, '"file" is missing'), ({"file": 3}, "expected a path"), ({"file": ""}, "expected a path"),
                                ({"file": "none.json"}, "No such file"), ({"file": "empty.json"}, "is empty"),
                                ({"file": "notes.txt"}, "not a file that opscope knows"),
                                ({"file": "t.json.gz", "by": "colour"}, "one of name, category"),
                                ({"file": "t.json.gz", "limit": 0}, "1 to 1000"),
                                ({"file": "t.json.gz", "limit": 1001}, "1 to 1000"),
                                ({"file": "t.json.gz", "limit": "5"}, "a whole number"),
                                ({"file": "t.json.gz", "limit": 1.5}, "a whole number"),
                                ({"file": "t.json.gz", "sort": "nothing"}, "self_ns"),
                                ({"file": "t.json.gz", "from": "soon"}, "neither a time"),
                                ({"file": "t.json.gz", "colour": "red"}, "it takes file, by"),
                                ({"file": "a\0b"}, "NUL"), ({"file": "x" * 5000}, "shorter"),
                                ({"file": "--help"}, "No such file")):
            contains(server.refusal("top", **arguments), said, str(arguments)[:100])
        contains(server.refusal("sql", file="t.json.gz", query="SELEKT 1"), "syntax error")
        contains(server.refusal("sql", file="t.json.gz", query="DELETE FROM span"), "SQL")
        contains(server.refusal("sql", file="t.json.gz", query="ATTACH '/tmp/x.db' AS x"), "SQL")
        contains(server.refusal("diff", a=[], b=["t.json.gz"]), "1 to 32")
        contains(server.refusal("overview", file="t.json.gz", all="yes"), "true or false")
        equal(server.ask("tools/call", name="nothing", arguments={})["error"]["code"], -32602, "unknown tool")
        equal(server.answer("top", file="t.json.gz", filter="--json")["result"]["spans"], [], "a value is no option")


# Messages --------------------------------------------------------------------

def test_versions_are_agreed_on(folder):
    for asked, got in (("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
                       ("2025-11-25", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("1999-01-01", "2025-11-25")):
        with Server(folder, version=asked) as server:
            equal(server.version, got, f"answer to {asked}")
            tool = server.ask("tools/list")["result"]["tools"][3]
            equal(("annotations" in tool, "outputSchema" in tool), (got >= "2025-03-26", got >= "2025-06-18"), got)
    with Server(folder, version=None) as server:
        contains(server.ask("tools/list")["error"]["message"], "initialize")
        equal(server.ask("ping")["result"], {}, "ping before it begins")
        equal(server.ask("initialize")["error"]["code"], -32602, "initialize without a version")


def test_requests_that_say_their_version(folder):
    shutil.copy(TRACE, folder / "t.json.gz")
    with Server(folder, version=None) as server:
        found = server.ask("server/discover", _meta=MODERN)["result"]
        equal(found["supportedVersions"][0], "2026-07-28", "newest version")
        equal((found["resultType"], found["capabilities"]), ("complete", {"tools": {}}), "discovery")
        tools = server.ask("tools/list", _meta=MODERN)["result"]
        equal([tool["name"] for tool in tools["tools"]], TOOLS, "tools")
        true(tools["ttlMs"] > 0 and tools["cacheScope"] == "public", "caching")
        result = server.ask("tools/call", name="info", arguments={"file": "t.json.gz"}, _meta=MODERN)["result"]
        equal((result["resultType"], result["isError"]), ("complete", False), "call")
        error = server.ask("tools/list", _meta={**MODERN, "io.modelcontextprotocol/protocolVersion": "2099-01-01"})["error"]
        equal((error["code"], error["data"]["requested"]), (-32022, "2099-01-01"), "unknown version")
        error = server.ask("tools/list", _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"})["error"]
        equal(error["code"], -32602, "capabilities are missing")


def test_messages_that_are_none(folder):
    with Server(folder) as server:
        for line, code in ((b"{", -32700), (b"nonsense", -32700), (b"\xff\xfe", -32700), (b"[" * 100000, -32700),
                           (b'{"a":' * 65 + b"1" + b"}" * 65, -32700), (b"3", -32600), (b"{}", -32600),
                           (b'{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":[1],"method":"ping"}', -32600),
                           (b'{"jsonrpc":"2.0","id":1,"method":3}', -32600),
                           (b'{"jsonrpc":"2.0","id":1,"method":"ping","params":[]}', -32600),
                           (b'{"jsonrpc":"2.0","id":1,"method":"resources/list"}', -32601),
                           (b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}', -32602),
                           (b'{"jsonrpc":"2.0","id":"' + b"x" * (5 << 20) + b'","method":"ping"}', -32600),
                           (b"[]", -32600)):
            server.send(line)
            equal(server.receive()["error"]["code"], code, line[:60])
        # What nobody answers: responses, notifications, empty lines, calls that nobody waits for.
        for line in (b'{"jsonrpc":"2.0","id":5,"result":{}}', b'{"jsonrpc":"2.0","method":"notifications/odd"}', b"", b" \r",
                     b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":77}}',
                     b'{"jsonrpc":"2.0","method":"notifications/cancelled"}',
                     b'{"jsonrpc":"2.0","method":"tools/call","params":{"name":"top"}}'):
            server.send(line)
        server.send({"jsonrpc": "2.0", "id": 'a "text"\n', "method": "ping"})
        equal(server.receive(), {"jsonrpc": "2.0", "id": 'a "text"\n', "result": {}}, "an id that is a text")


def test_batches_where_the_revision_has_them(folder):
    shutil.copy(TRACE, folder / "t.json.gz")
    ask = {"jsonrpc": "2.0", "method": "tools/call", "params": {"name": "info", "arguments": {"file": "t.json.gz"}}}
    batch = [{**ask, "id": 11}, {"jsonrpc": "2.0", "id": 12, "method": "ping"}, {"jsonrpc": "2.0", "method": "notifications/x"},
             {"no": "message"}, {**ask, "id": 13, "params": {"name": "sql", "arguments": {"file": "t.json.gz", "query": ENDLESS}}}]
    with Server(folder, version="2025-03-26") as server:
        server.send(batch[:4])
        answers = {answer["id"]: answer for answer in server.receive()}
        equal(sorted(map(str, answers)), ["11", "12", "None"], "answers of a batch")
        equal(answers[11]["result"]["isError"], False, "call in a batch")
        server.send(batch)
        server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 13}})
        equal(sorted(str(answer["id"]) for answer in server.receive()), ["11", "12", "None"], "without what was cancelled")
        server.send([{"jsonrpc": "2.0", "method": "notifications/x"}])
        equal(server.ask("ping")["result"], {}, "a batch without requests has no answer")
    with Server(folder) as server:
        server.send(batch[:2])
        contains(server.receive()["error"]["message"], "no batches")


# Files -----------------------------------------------------------------------

def test_only_files_below_the_folders(folder):
    inside, outside = folder / "inside", folder / "outside"
    inside.mkdir(), outside.mkdir(), (inside / "sub").mkdir()
    for place in (inside / "t.json.gz", inside / "sub/t.json.gz", outside / "t.json.gz", folder / "inside2.gz"):
        shutil.copy(TRACE, place)
    (inside / "near").symlink_to("sub/t.json.gz")
    (inside / "far").symlink_to("../outside/t.json.gz")
    (inside / "absolute").symlink_to(outside / "t.json.gz")
    (inside / "folder").symlink_to("../outside")
    (inside / "magic").symlink_to("/proc/self/fd/0")
    os.mkfifo(inside / "fifo")
    with Server(inside) as server:
        for good in ("t.json.gz", "sub/t.json.gz", "near", "sub/../t.json.gz", str(inside / "t.json.gz"), "./t.json.gz"):
            equal(server.answer("info", file=good)["result"][0]["spans"], 1226, good)
        for bad in ("../outside/t.json.gz", "far", "absolute", "folder/t.json.gz", str(outside / "t.json.gz"), "magic",
                    "/etc/passwd", f"{inside}2.gz", f"{inside}/../outside/t.json.gz", "/proc/self/environ", "/"):
            contains(server.refusal("info", file=bad), "not below", bad)
        contains(server.refusal("info", file="fifo"), "neither a file nor a folder")
        contains(server.refusal("info", file="-"), "No such file")
        contains(server.refusal("info", file="sub"), "holds neither")
        # Where an option would take a file, it is none of those either.
        contains(server.refusal("top", file="t.json.gz", **{"from": "/etc/hostname"}), "neither a time")
    with Server(inside / "sub", outside) as server:
        equal(server.answer("info", file="t.json.gz")["result"][0]["file"], str((inside / "sub/t.json.gz").resolve()), "first folder")
        equal(server.answer("info", file=str(outside / "t.json.gz"))["result"][0]["spans"], 1226, "second folder")
        contains(server.refusal("info", file=str(inside / "t.json.gz")), "not below")
    contains(opscope("mcp", folder / "none", code=1).err, "none")
    contains(opscope("mcp", TRACE, code=1).err, "training.json.gz")


SWAP = """
import os, random, time
while True:
    for target in ("t.json.gz", "../secret.json"):
        os.symlink(target, "next")
        os.replace("next", "name")
        time.sleep(random.random() / 1000)
"""


def test_links_that_change_lead_nowhere_else(folder):
    """A name that leads outside every other moment is never read there."""
    inside = folder / "inside"
    inside.mkdir()
    shutil.copy(TRACE, inside / "t.json.gz")
    write(folder / "secret.json", small_trace("secret"))
    (inside / "name").symlink_to("t.json.gz")
    with subprocess.Popen([sys.executable, "-c", SWAP], cwd=inside) as swapping:
        try:
            with Server(inside, "--keep", 1) as server:
                calls, refused = 0, 0
                end = time.monotonic() + PATIENCE
                while calls < 200 or not 0 < refused < calls:
                    result = server.call("top", file="name")
                    true("secret\"" not in result["content"][0]["text"], result["content"][0]["text"][:200])
                    calls += 1
                    refused += result["isError"]
                    true(time.monotonic() < end, f"{refused} of {calls} were refused")
        finally:
            swapping.kill()


def small_trace(name):
    return json.dumps({"traceEvents": [{"ph": "X", "name": name, "pid": 1, "tid": 1, "ts": 1, "dur": 1}]})


def test_profiles_stay_open_and_are_read_again_when_they_change(folder):
    path = write(folder / "t.json", small_trace("first"))
    write(folder / "u.json", small_trace("other"))
    before = path.stat()
    with Server(folder, "--keep", 1) as server:
        def name(file="t.json"):
            return server.answer("top", file=file)["result"]["spans"][0]["label"]

        equal(name(), "first", "name")
        # Nothing tells that it is another one: what is kept counts.
        path.write_text(small_trace("later"))
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
        equal(name(), "first", "name in the profile that is kept")
        equal(name("u.json"), "other", "another file, for which it has to go")
        equal(name(), "later", "name after it was read again")
        path.write_text(small_trace("changed"))
        equal(name(), "changed", "name of a file that changed")
        path.unlink()
        contains(server.refusal("top", file="t.json"), "No such file")


def test_packed_files_unfold_to_what_is_allowed(folder):
    write(folder / "t.json.gz", gzip.compress(small_trace("a" * 100000).encode()))
    with Server(folder, "--max-unpacked", "50KB") as server:
        contains(server.refusal("top", file="t.json.gz"), "--max-unpacked")
    with Server(folder, "--max-unpacked", "200KB") as server:
        equal(server.answer("top", file="t.json.gz")["result"]["count"], 1, "spans")


# Ends ------------------------------------------------------------------------

def test_calls_are_cancelled(folder):
    shutil.copy(TRACE, folder / "t.json.gz")
    with Server(folder) as server:
        server.answer("open", file="t.json.gz")
        keeper = children(server.process.pid)
        endless = server.start_call("sql", file="t.json.gz", query=ENDLESS)
        until(lambda: len(children(server.process.pid)) == 2, "the call to run")
        waiting = server.start_call("sql", file="t.json.gz", query="SELECT 1")
        last = server.start_call("sql", file="t.json.gz", query="SELECT 2")
        equal(server.ask("ping")["result"], {}, "answered while a call runs")
        for number in (waiting, endless, 4711):
            server.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number}})
        answer = server.receive()
        equal((answer["id"], answer["result"]["structuredContent"]["result"]["results"][0]["rows"]), (last, [[2]]), "the last one")
        equal(children(server.process.pid), keeper, "the profile stays open")


def test_calls_have_a_time_limit(folder):
    shutil.copy(TRACE, folder / "t.json.gz")
    with Server(folder, "--call-time", "0.5s") as server:
        contains(server.refusal("sql", file="t.json.gz", query=ENDLESS), "took longer than 0.5 s")
        equal(server.answer("sql", file="t.json.gz", query="SELECT 3")["result"]["results"][0]["rows"], [[3]], "the next one")
    contains(opscope("mcp", "--call-time", "never", code=2).err, "--call-time")
    contains(opscope("mcp", "--keep", "0", code=2).err, "--keep")


def test_a_file_that_ends_the_process_costs_one_call(folder):
    """What reads is ended from outside, as by a crash."""
    shutil.copy(TRACE, folder / "t.json.gz")
    with Server(folder) as server:
        server.answer("open", file="t.json.gz")
        server.start_call("sql", file="t.json.gz", query=ENDLESS)
        until(lambda: len(children(server.process.pid)) == 2, "the call to run")
        for process in children(server.process.pid):
            os.kill(process, 9)
        answer = server.receive()["result"]
        contains(answer["content"][0]["text"], "signal 9")
        equal(server.answer("info", file="t.json.gz")["result"][0]["spans"], 1226, "the next call")


def end_of(server, end):
    """How all processes of a server with an endless call end."""
    server.answer("open", file="t.json.gz")
    server.start_call("sql", file="t.json.gz", query=ENDLESS)
    until(lambda: len(children(server.process.pid)) == 2, "the call to run")
    processes = children(server.process.pid)
    end(server)
    code = server.process.wait(PATIENCE)
    for process in processes:
        until(lambda pid=process: is_gone(pid), f"the end of process {process}")
    for stream in (server.process.stdin, server.process.stdout, server.process.stderr):
        stream.close()
    return code


def test_nothing_outlives_a_client(folder):
    shutil.copy(TRACE, folder / "t.json.gz")
    equal(end_of(Server(folder), lambda server: server.process.stdin.close()), 0, "its input ends")
    equal(end_of(Server(folder), lambda server: server.process.stdout.close()), 0, "nobody reads its output")
    equal(end_of(Server(folder), lambda server: server.process.kill()), -9, "it is killed")
    equal(end_of(Server(folder), lambda server: server.process.terminate()), -15, "it is told to end")


def test_what_was_asked_before_the_end_is_answered(folder):
    shutil.copy(TRACE, folder / "t.json.gz")
    lines = [{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": "2025-06-18"}},
             {"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": "info", "arguments": {"file": "t.json.gz"}}}]
    out = opscope("mcp", folder, stdin="".join(json.dumps(line) + "\n" for line in lines)).out.splitlines()
    equal([json.loads(line)["id"] for line in out], [1, 2], "answers")
    equal(opscope("mcp", folder, stdin=b"").out, "", "nothing was asked")


# The protocol's own client ---------------------------------------------------

def client(library, words, steps, code=0):
    folder = support.fetched("mcp-client")
    return run("node", ROOT / "tests/tools/mcp-client.mjs", library, program("opscope"), "mcp", *words, code=code,
               stdin=json.dumps(steps), env={"MCP_CLIENT_DIR": str(folder)})


def test_by_the_protocols_own_clients(folder):
    """Every tool, wrong arguments, much, outside, cancelled: by both client libraries and both ways to begin."""
    shutil.copy(TRACE, folder / "t.json.gz")
    opscope("convert", TRACE, "-o", folder / "t.prof")
    files = {"file": "t.json.gz"}
    steps = [{"list": True}, {"call": "open", "arguments": files}, {"call": "info", "arguments": files},
             {"call": "overview", "arguments": {"file": "t.prof"}}, {"call": "top", "arguments": {**files, "by": "path"}},
             {"call": "operators", "arguments": files},
             {"call": "sql", "arguments": {**files, "query": "SELECT * FROM top_kernels", "limit": 5}},
             {"call": "diff", "arguments": {"a": ["t.json.gz"], "b": ["t.prof"]}}, {"call": "explain", "arguments": files},
             {"call": "whatif", "arguments": {**files, "overlap_copies": True}}, {"call": "picture", "arguments": files},
             {"call": "sql", "arguments": {**files, "query": "SELECT hex(zeroblob(100000)) FROM slice", "limit": 1000}},
             {"call": "top", "arguments": {"file": "/etc/passwd"}}, {"call": "top", "arguments": {"file": "t.prof", "by": 3}},
             {"call": "sql", "arguments": {**files, "query": ENDLESS}, "cancel_ms": 300}, {"call": "info", "arguments": files},
             {"call": "nothing", "arguments": {}}]
    for library in ("sdk", "client", "modern"):
        said = client(library, [folder], steps).json()
        equal(said["problems"], [], f"what {library} complains of")
        contains(said["instructions"], "Begin with overview")
        results = said["results"]
        equal([tool["name"] for tool in results[0]["tools"]], TOOLS, "tools")
        for step, result in zip(steps[1:12], results[1:12]):
            true("result" in result, f"{library}: {step}: {result}")
            equal(result["result"].get("isError", False), False, f"{library}: {step['call']}")
            true("ledger" in json.dumps(result["result"]["structuredContent"]), f"{library}: {step['call']}: no ledger")
        equal(results[11]["result"]["structuredContent"]["pages"][0]["shown"], 1, "rows of a huge answer")
        contains(results[12]["result"]["content"][0]["text"], "not below")
        contains(results[13]["result"]["content"][0]["text"], "expected one of")
        contains(results[14]["error"], "enough")
        equal(results[15]["result"].get("isError", False), False, "after a call was cancelled")
        contains(results[16]["error"], "unknown tool")
        until(lambda pid=said["pid"]: is_gone(pid), "the end of the server")


def test_a_client_that_dies(folder):
    shutil.copy(TRACE, folder / "t.json.gz")
    steps = [{"call": "open", "arguments": {"file": "t.json.gz"}},
             {"call": "sql", "arguments": {"file": "t.json.gz", "query": ENDLESS}, "die": 300}]
    pid = client("sdk", [folder], steps, code=-9).json()["pid"]
    until(lambda: is_gone(pid), "the end of the server")


main()
