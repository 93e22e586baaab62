"""A second opinion on the bytes of a trace: protoc with Perfetto's schema."""
import ast
import random

from support import *
from spans import *
from torq_compile import *
from torq_runtime import random_events, runtime_csv, runtime_rows

FIELD = r'(\w+)(?:: ("(?:[^"\\]|\\.)*"|\S+)| \{)$'
BOOTTIME = 6


def decode(trace):
    """A trace as nested lists of (field, value), from protoc's text."""
    if shutil.which("protoc") is None:
        raise Skip("no protoc")
    text = run("protoc", "--decode=perfetto.protos.Trace", "-I", ROOT / "tests/tools",
               "perfetto.proto", stdin=trace.read_bytes()).out
    stack = [[]]
    for line in text.splitlines():
        line = line.strip()
        if line == "}":
            stack.pop()
            continue
        field, value = matches(line, FIELD).groups()
        true(not field.isdigit(), f"a field that the schema does not have: {line}")
        stack[-1].append((field, scalar(value) if value else []))
        if value is None:
            stack.append(stack[-1][-1][1])
    equal(len(stack), 1, "messages left open")
    return stack[0]


def scalar(text):
    if text.startswith('"'):
        return ast.literal_eval("b" + text).decode()
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def get(message, field, default=None):
    """The one value of a field."""
    values = every(message, field)
    true(len(values) < 2, f"{field} more than once in {message}")
    return values[0] if values else default


def every(message, field):
    return [value for name, value in message if name == field]


class Sequence:
    """What the packets of a sequence have defined so far."""

    def __init__(self):
        self.clock = None
        self.now = 0
        self.track = None
        self.texts = {}

    def define(self, packet):
        flags = get(packet, "sequence_flags", 0)
        if flags & 1:
            self.__init__()
        defaults = get(packet, "trace_packet_defaults", [])
        for event in every(defaults, "track_event_defaults"):
            self.track = get(event, "track_uuid")
        self.clock = get(defaults, "timestamp_clock_id", self.clock)
        clocks = [{key: value for key, value in clock}
                  for clock in every(get(packet, "clock_snapshot", []), "clocks")]
        if clocks:
            own = next(clock for clock in clocks if clock["clock_id"] == self.clock)
            base = next(clock for clock in clocks if clock["clock_id"] == BOOTTIME)
            equal((own["is_incremental"], own["timestamp"]), ("true", base["timestamp"]), "clock")
            self.now = own["timestamp"]
        for field, entry in get(packet, "interned_data", []):
            key = field, get(entry, "iid")
            true(key not in self.texts, f"{key} is defined twice")
            self.texts[key] = get(entry, "name") if get(entry, "str") is None else get(entry, "str")

    def time(self, packet):
        true(64 <= self.clock < 128, "a clock of the sequence's own")
        delta = get(packet, "timestamp")
        true(delta < 2**63, "time does not run backwards on a sequence")
        self.now += delta
        return self.now

    def argument(self, annotation):
        name = self.texts["debug_annotation_names", get(annotation, "name_iid")]
        text = get(annotation, "string_value_iid")
        if text is not None:
            return name, self.texts["debug_annotation_string_values", text]
        text = get(annotation, "string_value")
        return name, get(annotation, "uint_value") if text is None else text


def rows_of(packets):
    """The rows that the decoded packets stand for, and the descriptors by uuid."""
    tracks = {get(track, "uuid"): track for packet in packets
              for track in every(packet, "track_descriptor")}
    processes = {get(place, "pid"): get(place, "process_name") for track in tracks.values()
                 for place in every(track, "process")}
    sequences = {}
    open_spans = {}
    rows = []
    for packet in packets:
        number = get(packet, "trusted_packet_sequence_id")
        if number is None:
            continue
        sequence = sequences.setdefault(number, Sequence())
        sequence.define(packet)
        event = get(packet, "track_event")
        if event is None:
            continue
        equal(get(packet, "sequence_flags"), 2, "an event that uses what was defined says so")
        now = sequence.time(packet)
        waiting = open_spans.setdefault(sequence.track, [])
        if get(event, "type") == "TYPE_SLICE_BEGIN":
            args = dict(map(sequence.argument, every(event, "debug_annotations")))
            waiting.append((now, sequence.texts["event_names", get(event, "name_iid")], args))
            continue
        equal(get(event, "type"), "TYPE_SLICE_END", "type")
        start, name, args = waiting.pop()
        place = get(tracks[sequence.track], "thread")
        rows.append(Row(processes[get(place, "pid")], get(place, "thread_name"), start, now - start,
                        name, tuple(sorted(args.items()))))
    equal([waiting for waiting in open_spans.values() if waiting], [], "spans without an end")
    return rows, tracks


def check(trace, want):
    rows, tracks = rows_of(every(decode(trace), "packet"))
    equal(sorted_rows([row for row in rows if not is_overview(row)]), sorted_rows(want), "rows")
    equal(sorted_rows(rows), sorted_rows(trace_rows(trace)), "rows as trace_processor has them")
    return tracks


def test_compile_profiles(folder):
    spans = random_spans(400, seed=1) + random_spans(50, seed=2, start=2**34)
    random.Random(3).shuffle(spans)
    for form in ("c2", "c4"):
        write(folder / "p.csv", compile_csv(form, spans))
        perfetto_logger("--compile_profile", folder / "p.csv", "--pb", folder / "p.pb")
        check(folder / "p.pb", compile_rows(form, spans, "p.csv"))


def test_runtime_profiles(folder):
    paths, want = [], []
    for number, form in enumerate(("r2", "r4"), 1):
        events = random_events(form, 200, seed=4)
        paths.append(write(folder / f"{form}.csv", runtime_csv(form, events)))
        want += runtime_rows(form, events, f"{number:02} {form}.csv")
    perfetto_logger("--runtime_profile", *paths, "--pb", folder / "r.pb")
    check(folder / "r.pb", want)


def test_tracks_say_their_order_and_source(folder):
    spans = random_spans(200, seed=5)
    random.Random(6).shuffle(spans)
    write(folder / "p.csv", compile_csv("c2", spans))
    perfetto_logger("--compile_profile", folder / "p.csv", "--pb", folder / "p.pb")
    tracks = check(folder / "p.pb", compile_rows("c2", spans, "p.csv"))
    for track in tracks.values():
        ordering = "EXPLICIT" if every(track, "process") else None
        equal(get(track, "child_ordering"), ordering, f"order of the children of {track}")
    engines = sorted({(get(track, "sibling_order_rank"), get(track, "name"))
                      for track in tracks.values() if every(track, "thread")
                      and get(track, "description") == "modelled, 800000000 Hz cycles"})
    equal([name for _, name in engines],
          ["DMA IN", "DMA OUT", *(f"SLICE {i}" for i in range(5)), "CDMA", "CSS"], "engines")


main()
