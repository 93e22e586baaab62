"""opscope view: the page from this machine, with every span, for who knows the token; nothing else gets anything."""

import signal
import socket
import threading
import urllib.error
import urllib.request

from support import *
from browser import browse
from chrome_traces import complete, dump
from made_profile import ProfileFile
from pages import Page, _rows

import base64


class Viewer:
    """A running `opscope view`: its address, and what it ended with."""

    def __init__(self, *words):
        self.process = subprocess.Popen([str(program("opscope")), "view", *map(str, words), "--no-browser"],
                                        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.address = self.process.stdout.readline().strip().removeprefix("open ")
        true(self.address, f"an address: {self.process.stderr.read() if self.process.poll() is not None else ''}")
        found = re.search(r"http://127\.0\.0\.1:(\d+)/([0-9a-f]{32})/", self.address)
        true(found, f"an address on loopback with a token: {self.address}")
        self.port, self.token = int(found.group(1)), found.group(2)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait(PATIENCE)
        self.process.stdout.close()
        self.process.stderr.close()

    def get(self, path=""):
        with urllib.request.urlopen(self.address + path, timeout=PATIENCE) as answer:
            return answer.read()

    def raw(self, text, close=True):
        """What the server says to these bytes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=PATIENCE) as connection:
            connection.sendall(text)
            if close:
                connection.shutdown(socket.SHUT_WR)
            return receive(connection)

    def code(self, path, method="GET", host=None):
        host = f"127.0.0.1:{self.port}" if host is None else host
        said = self.raw(f"{method} {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
        return int(said.split(b" ", 2)[1])


def receive(connection):
    said = b""
    while True:
        try:
            piece = connection.recv(1 << 16)
        except ConnectionResetError:
            return said
        if not piece:
            return said
        said += piece


def small(folder):
    profile = ProfileFile()
    lane = profile.track("matrix 0", role="compute", engine="matrix")
    for i in range(100):
        profile.span(lane, f"conv {i % 7}", i * 100, i * 100 + 60)
    path = folder / "a.prof"
    path.write_bytes(profile.bytes())
    return path


def stacks(folder, count=30000):
    """Calls in calls, in order, and what they are."""
    spans = []
    for i in range(count):
        start = i * 1000
        spans += [(start, start + 900, "outer"), (start + 100, start + 100 + i % 700, f"inner {i % 5}")]
    events = [complete(name, 1, 1, start, end, args={"number": start}) for start, end, name in spans]
    return write(folder / "s.json", dump(events)), spans


def test_the_page_is_served_and_reads_spans(folder):
    path, spans = stacks(folder)
    with Viewer(path) as viewer:
        text = viewer.get()
        page = Page(write(folder / "p.html", text))
        true(page.data["live"], "the page knows that it is served")
        contains(page.policy, "connect-src 'self'", "it may ask its server")
        [lane] = page.lanes()

        def blocks(start, end):
            answer = json.loads(viewer.get(f"blocks?profile=0&track={lane['track']}&from={start}&to={end}"))
            return answer["bucket"], _rows(base64.b64decode(answer["blocks"]), answer["names"])

        for start, end in ((0, 5000), (12_345_678, 12_400_000), (29_999_950, 29_999_999), (15_000_050, 15_000_050)):
            bucket, rows = blocks(start, end)
            equal(bucket, 0, "exact")
            found = sorted(block[:3] for row in rows for block in row)
            wanted = sorted(span for span in spans if span[0] <= end and span[1] >= start)
            equal(found, wanted, f"spans from {start} to {end}")
        bucket, rows = blocks(0, 30_000_000)
        true(bucket > 0, "too many to be exact")
        equal(sum(block[3] for row in rows for block in row), len(spans), "every one is counted")
        equal(sum(block[4] for row in rows for block in row), sum(end - start for start, end, _ in spans), "their time")
        values = json.loads(viewer.get(f"span?profile=0&track={lane['track']}&start=5000&end=5900"))["values"]
        true(["number", "5000"] in values, f"what a span says of itself: {values}")


def test_only_the_token_opens_it(folder):
    with Viewer(small(folder)) as viewer:
        token = viewer.token
        equal(viewer.code(f"/{token}/"), 200, "the token")
        wrong = "0" * 32 if token[0] != "0" else "1" * 32
        for path in ("/", f"/{wrong}/", f"/{token[:-1]}/", f"/{token}", f"/{token}x/", f"/{token[:31]}g/", "/favicon.ico",
                     f"/{wrong}/blocks?profile=0&track=1&from=0&to=9"):
            equal(viewer.code(path), 403, path)
        for path in ("../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc/passwd", "/etc/passwd", "a.prof",
                     "blocks/", "page", "\\..\\..\\etc"):
            equal(viewer.code(f"/{token}/{path}"), 404, path)
        for query in ("", "profile=0", "profile=1&track=1&from=0&to=9", "profile=0&track=1&from=9&to=0",
                      "profile=0&track=99999999999&from=0&to=9", "profile=x&track=1&from=0&to=9",
                      "profile=0&track=1&from=-1&to=9"):
            equal(viewer.code(f"/{token}/blocks?{query}"), 400, query)
        equal(viewer.code(f"/{token}/blocks?profile=0&track=4000000000&from=0&to=9"), 404, "no such track")
        equal(viewer.code(f"/{token}/blocks?profile=0&track=1&from=0&to={2 ** 64 - 1}"), 200, "for ever")


def test_no_other_host_and_nothing_but_get(folder):
    with Viewer(small(folder)) as viewer:
        path = f"/{viewer.token}/"
        equal(viewer.code(path, host=f"localhost:{viewer.port}"), 200, "localhost")
        for host in ("evil.example", f"evil.example:{viewer.port}", "127.0.0.1", f"127.0.0.1:{viewer.port + 1}",
                     f"127.0.0.1:{viewer.port}.evil.example", f"[::1]:{viewer.port}"):
            equal(viewer.code(path, host=host), 421, host)
        for method in ("POST", "PUT", "DELETE", "OPTIONS", "HEAD", "TRACE", "get"):
            equal(viewer.code(path, method), 405, method)
        said = viewer.raw(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{viewer.port}\r\nContent-Length: 1\r\n\r\nx".encode())
        contains(said.decode()[:20], "400", "a body")
        head = viewer.raw(f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{viewer.port}\r\n\r\n".encode()).split(b"\r\n\r\n")[0]
        for line in (b"X-Frame-Options: DENY", b"X-Content-Type-Options: nosniff", b"Cache-Control: no-store",
                     b"Cross-Origin-Resource-Policy: same-origin", b"Referrer-Policy: no-referrer"):
            true(line in head, f"{line} in {head}")
        true(b"Access-Control" not in head, "no other page may read it")
    with socket.socket() as other:
        other.settimeout(5)
        equal(other.connect_ex(("127.0.0.1", viewer.port)) != 0, True, "it is over")


def test_it_listens_on_loopback_alone(folder):
    with Viewer(small(folder)) as viewer:
        lines = pathlib.Path("/proc/net/tcp").read_text(encoding="utf-8").splitlines()[1:]
        places = {line.split()[1] for line in lines if line.split()[3] == "0A"}
        mine = {place for place in places if place.endswith(f":{viewer.port:04X}")}
        equal(mine, {f"0100007F:{viewer.port:04X}"}, "where it listens")


def test_large_and_broken_requests_are_refused(folder):
    with Viewer(small(folder)) as viewer:
        long = viewer.raw(b"GET /" + b"a" * 100_000 + b" HTTP/1.1\r\nHost: x\r\n\r\n", close=False)
        contains(long.decode()[:40], "431", "a long request")
        for text in (b"\x16\x03\x01\x02\x00\x01\r\n\r\n", b"GET\r\n\r\n", b"\r\n\r\n", b"GET / HTTP/1.1\r\n\r\n", b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n"):
            contains(viewer.raw(text).decode()[:20], "400", text)
        equal(viewer.raw(b"GET / HT"), b"", "a request that is cut off gets nothing")
        equal(viewer.code(f"/{viewer.token}/"), 200, "it goes on")


def test_slow_and_many_connections_hold_up_nobody(folder):
    with Viewer(small(folder)) as viewer:
        slow = [socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE) for _ in range(100)]
        for connection in slow:
            connection.sendall(b"GET /")
        equal(len(viewer.get()) > 1000, True, "the page comes beside a hundred that say nothing")
        answers = []
        threads = [threading.Thread(target=lambda: answers.append(len(viewer.get()))) for _ in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(PATIENCE)
        equal(len(answers), 20, "twenty at once")
        # The server gives each ten seconds; those that were not thrown out for others end then.
        for connection in slow:
            equal(receive(connection), b"", "a slow one gets nothing")
            connection.close()


def test_a_reader_that_does_not_read_is_left(folder):
    path, _ = stacks(folder)
    with Viewer(path) as viewer:
        with socket.create_connection(("127.0.0.1", viewer.port), timeout=PATIENCE) as lazy:
            lazy.sendall(f"GET /{viewer.token}/ HTTP/1.1\r\nHost: 127.0.0.1:{viewer.port}\r\n\r\n".encode())
            equal(len(viewer.get()) > 100_000, True, "another one is served")


def test_it_ends_on_signals_and_when_idle(folder):
    path = small(folder)
    for number in (signal.SIGINT, signal.SIGTERM):
        with Viewer(path) as viewer:
            viewer.process.send_signal(number)
            equal(viewer.process.wait(PATIENCE), 0, f"exit after {number}")
    with Viewer(path, "--idle", "0.2") as viewer:
        equal(viewer.process.wait(PATIENCE), 0, "exit when nobody asks")


def test_perfettos_page_gets_the_trace(folder):
    path = small(folder)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with Viewer(path, "--perfetto", "--port", port) as viewer:
        found = re.fullmatch(r"https://ui\.perfetto\.dev/#!/\?url=(http://127\.0\.0\.1:\d+/[0-9a-f]{32}/a\.prof\.pb)"
                             r"&referrer=open_trace_in_ui", viewer.address)
        true(found, f"an address of Perfetto's page: {viewer.address}")
        equal(viewer.code(f"/{viewer.token}/other"), 404, "no other file")
        with urllib.request.urlopen(found.group(1), timeout=PATIENCE) as answer:
            equal(answer.headers["Access-Control-Allow-Origin"], "https://ui.perfetto.dev", "who may read it")
            write(folder / "t.pb", answer.read())
        equal(viewer.process.wait(PATIENCE), 0, "it ends when the trace was fetched")
    [found] = opscope("info", folder / "t.pb", "--json").json()
    equal(found["spans"], 100, "spans of the trace")
    trace = write(folder / "c.json", dump([complete("a", 1, 1, 0, 10)]))
    with Viewer(trace, "--perfetto", "--port", port) as viewer:
        address = re.search(r"url=([^&]*)", viewer.address).group(1)
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            equal(answer.read(), trace.read_bytes(), "what Perfetto reads is handed on as it is")


def test_wrong_use(folder):
    path = small(folder)
    contains(opscope("view", code=2).err, "give a file", "no file")
    contains(opscope("view", path, "--port", "70000", code=2).err, "70000", "no port")
    contains(opscope("view", path, path, "--perfetto", code=2).err, "one for --perfetto", "two traces")
    opscope("view", folder / "missing", code=1)
    write(folder / "empty", b"")
    opscope("view", folder / "empty", code=1)
    with Viewer(path) as viewer:
        contains(opscope("view", path, "--port", viewer.port, code=1).err, str(viewer.port), "a port that is taken")


def test_in_a_browser(folder):
    path, spans = stacks(folder, count=200)
    generator = program("opscope").resolve().parent / "bench/generate_c2"
    many = path
    if generator.exists():
        many = folder / "m.csv"
        with open(many, "wb") as out:
            subprocess.run([generator, "600000", "7"], stdout=out, check=True)
    with Viewer(path) as viewer:
        steps = [["goto", viewer.address], ["click", "#timeline canvas"], ["press", "ArrowDown", "ArrowDown", "ArrowRight"],
                 ["until", "document.querySelector('#details').textContent.includes('number')"],
                 ["get", "document.querySelector('#details').textContent"], ["axe"]]
        answers, requests = browse(steps)
        contains(answers[4], "outer", "a span is selected")
        equal(answers[5], [], "what axe-core finds")
        true(all(request.startswith((viewer.address, "data:")) for request in requests), f"only its server is asked: {requests}")
    with Viewer(many) as viewer:
        steps = [["goto", viewer.address], ["click", "#timeline canvas"], ["press", *"w" * 22], ["wait", 1500],
                 ["get", "performance.getEntriesByType('resource').filter((one) => one.name.includes('blocks?')).length"]]
        answers, _ = browse(steps)
        true(many == path or answers[4] > 0, "exact spans were asked for")


main()
