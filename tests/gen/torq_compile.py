"""Torq compile profiles of every version, and what a trace of them must hold.

A profile is a list of Span, in cycles. `compile_csv` writes it as the compiler
of a version would (or with the quotes, blanks, line ends ... of a Style);
`compile_rows` says which rows a trace has then. Written from the description of
the formats alone: nothing here knows how opscope reads them.
"""

import random
from dataclasses import dataclass, replace

__all__ = ["FORMS", "HZ", "LOCATIONS", "OPS", "Row", "Span", "Style", "compile_csv", "compile_rows",
           "random_spans", "replace", "shifted"]

FORMS = ("c1", "c2", "c3", "c4")
HZ = 800_000_000

HEADERS = {
    "c1": ("ID", "Start", "End", "Location", "Op Type"),
    "c2": ("ID", "Start", "End", "Location", "Op Type", "bytes"),
    "c3": ("actionIndex", "elapsed_time(us)", "timestamp(us)", "event", "location", "bytes"),
    "c4": ("taskId", "elapsed_time(us)", "timestamp(us)", "event", "location", "bytes"),
}
CDMA_IDS = {"LRAM_TO_DTCM": "CDMA_L2D", "LRAM_TO_ITCM": "CDMA_L2I", "DTCM_TO_LRAM": "CDMA_D2L"}

LOCATIONS = (
    'loc(unknown)',
    'loc("/p/x.mlir":4:10)',
    'loc(callsite("/p/x.mlir":4:10 at "/p/x.mlir":2:3))',
    'loc(fused[callsite("/p/x.mlir":4:10 at "/p/x.mlir":2:3), callsite("/p/y, z.mlir":7:1 at '
    '"/p/x.mlir":2:3)])',
    'loc(fused<"a, b">["in,DMA_IN,12":1:2, unknown, "x":3:4])',
    'loc(fused["main/\u00b5-op":1:2, "(":5:6])',
)


@dataclass(frozen=True)
class Span:
    unit: str  # DMA IN, DMA OUT, CDMA, SLICE or CSS
    start: int
    end: int
    location: str = "loc(unknown)"
    op: str = "add"  # SLICE: what it computes; CDMA: LRAM_TO_DTCM ...
    slice: int = 0
    bytes: int = 64  # DMA and CDMA


@dataclass(frozen=True)
class Style:
    header: bool = None  # None: as the version has it
    newline: str = "\n"
    last_newline: bool = True
    mark: bool = False  # a byte order mark
    blank: str = ""  # behind separators
    quoted: bool = False  # the locations
    empty_lines: bool = False


@dataclass(frozen=True)
class Row:
    """A span as a trace shows it."""
    process: str
    thread: str
    ts: int
    dur: int
    name: str
    args: tuple  # of (key, value), sorted


def in_order(spans):
    """The order of the compiler's files: transfers, then slices, then CSS."""
    return sorted(spans, key=lambda span: {"SLICE": 1, "CSS": 2}.get(span.unit, 0))


def carried(form, spans):
    """The first version knows neither CDMA nor CSS."""
    return [s for s in in_order(spans) if form != "c1" or s.unit not in ("CDMA", "CSS")]


def identifiers(form, spans):
    """The first column of each span: DI, DO and CDMA share a counter."""
    counts = {}
    for number, span in enumerate(spans):
        if form in ("c3", "c4"):
            yield 5 + number // 2 if form == "c3" else number
            continue
        counter = span.unit if span.unit in ("SLICE", "CSS") else "DMA"
        index = counts[counter] = counts.get(counter, -1) + 1
        slice_id = f"S{index}_{span.slice}" if form == "c2" else f"S{index}"
        yield {"DMA IN": f"DI{index}", "DMA OUT": f"DO{index}", "SLICE": slice_id,
               "CSS": f"CSS{index}"}.get(span.unit) or CDMA_IDS[span.op] + str(index)


def op_type(span):
    """The name of a span in C1 and C2."""
    if span.unit == "SLICE":
        return span.op
    return "CDMA_" + span.op if span.unit == "CDMA" else span.unit.replace(" ", "_")


def event(span):
    """The name of a span in C3 and C4."""
    return {"DMA IN": "DMA In", "DMA OUT": "DMA Out", "CSS": "CSS", "SLICE": f"Slice {span.slice}",
            "CDMA": "CDMA " + span.op.replace("_TO_", " to ")}[span.unit]


def name_of(form, span):
    return op_type(span) if form in ("c1", "c2") else event(span)


def moves_bytes(span):
    return span.unit not in ("SLICE", "CSS")


def fields(form, span, identifier, style):
    location = '"' + span.location.replace('"', '""') + '"' if style.quoted else span.location
    if form in ("c1", "c2"):
        out = [identifier, span.start, span.end, location, op_type(span)]
        return out + [span.bytes] if form == "c2" and moves_bytes(span) else out
    return [identifier, span.end - span.start, span.start, event(span), location,
            span.bytes if moves_bytes(span) else ""]


def compile_csv(form, spans, style=Style()):
    spans = carried(form, spans)
    lines = []
    if style.header if style.header is not None else form in ("c3", "c4"):
        lines.append((", " if form in ("c3", "c4") else "," + style.blank).join(HEADERS[form]))
    for span, identifier in zip(spans, identifiers(form, spans)):
        row = fields(form, span, identifier, style)
        lines.append(("," + style.blank).join(map(str, row)))
        if style.empty_lines:
            lines.append("")
    text = style.newline.join(lines) + (style.newline if style.last_newline else "")
    return ("\ufeff" if style.mark else "").encode() + text.encode()


def to_ns(ticks, hz):
    return ticks * 1_000_000_000 // hz


def thread_of(form, span, identifier, num_slices):
    if span.unit != "SLICE":
        return span.unit
    return f"SLICE {int(identifier[1:]) % num_slices if form == 'c1' else span.slice}"


def compile_rows(form, spans, process, hz=HZ, num_slices=2, args=True):
    spans = carried(form, spans)
    rows = []
    for span, identifier in zip(spans, identifiers(form, spans)):
        ts = to_ns(span.start, hz)
        values = {"ID": identifier, "location": span.location, "cycles": span.end - span.start}
        if moves_bytes(span) and form != "c1":
            values["bytes"] = span.bytes
        rows.append(Row(process, thread_of(form, span, identifier, num_slices), ts,
                        to_ns(span.end, hz) - ts, name_of(form, span),
                        tuple(sorted(values.items())) if args else ()))
    return rows


# Profiles --------------------------------------------------------------------

OPS = ("fully_connected", "conv2d", "add", "conv2d_act_add", "unknown")


def random_spans(count, seed, slices=5, length=3000, start=0, locations=LOCATIONS):
    """`count` spans one after the other on each engine, none overlapping."""
    rng = random.Random(seed)
    units = ["DMA IN", "DMA OUT", "CDMA", "CSS"] + ["SLICE"] * slices
    now = {}
    spans = []
    for _ in range(count):
        unit = rng.choice(units)
        number = rng.randrange(slices) if unit == "SLICE" else 0
        begin = now.get((unit, number), start) + rng.choice((0, 0, rng.randrange(length)))
        end = begin + rng.randrange(1, length)
        now[unit, number] = end
        spans.append(Span(unit, begin, end, rng.choice(locations),
                          rng.choice(list(CDMA_IDS)) if unit == "CDMA" else rng.choice(OPS),
                          number, rng.choice((0, 1, 64, 75264, 2**32 + 5))))
    return spans


def shifted(spans, cycles):
    return [replace(span, start=span.start + cycles, end=span.end + cycles) for span in spans]
