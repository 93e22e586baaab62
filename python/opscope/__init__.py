"""Reads profiles of any format as tables, and records what a Python program does.

    import opscope

    profile = opscope.open("trace.json.gz")     # PyTorch's, ONNX Runtime's, Perfetto's ... (opscope.reading)
    for row in profile.top()[:5]:
        print(row.label, row.self_ns)

What is recorded is a profile that every command of opscope reads:

    opscope.start("run.prof")
    with opscope.span("load", files=3):
        ...

    @opscope.span                       # or @opscope.span("train step", lane="TRAINER")
    def step():
        ...

    opscope.instant("checkpoint", epoch=1)
    opscope.sample("loss", 0.25)
    opscope.stop()

Under `opscope profile` everything is recorded from the import on, without start, in every process
that imports the module and in those that it forks.

While nothing is recorded a span does nothing, with or without the library. docs/record.md says
what the recorder guarantees. Only Python's standard library is used; what records is
libopscope-record.so, by ctypes.
"""

import atexit
import ctypes
import functools
import inspect
import itertools
import os
import struct
import sys
import threading

from ._libraries import LibraryMissing, candidates, load, missing
from .reading import (Column, Instant, Ledger, Metric, Note, Operator, OperatorType, Profile, ProfileError, Sample,
                      Span, Table, TopRow, Track, convert)
from .reading import open as open  # not in __all__: `from opscope import *` leaves Python's own

__all__ = [
    "Column", "Counter", "Instant", "Ledger", "LibraryMissing", "Metric", "Note", "Operator", "OperatorType",
    "Profile", "ProfileError", "RecordError", "Sample", "Span", "Table", "TopRow", "Track", "allocated", "call",
    "candidates", "convert", "counter", "fact", "flow", "flush", "freed", "instant", "lane", "library",
    "operator", "record", "recording", "sample", "span", "start", "stop", "thread_name",
]

_NAME, _VARIABLE = "libopscope-record.so", "OPSCOPE_RECORD_LIBRARY"
_POLICIES = {"block": 0, "grow": 1, "drop": 2}
_SPAN, _INSTANT, _SAMPLE = range(3)
_UINT, _INT, _BOOL, _REAL, _TEXT, _FLOW_OUT, _FLOW_IN = range(7)

_EVENT = struct.Struct("=QQIIIHH")  # struct opscope_event
_HEAD = struct.Struct("=II")        # struct opscope_value, and what is in its union
_NUMBERS = {_UINT: struct.Struct("=Q"), _INT: struct.Struct("=q"), _REAL: struct.Struct("=d")}


class RecordError(RuntimeError):
    """The recorder refused; the message says why."""


class _RecorderMissing(RecordError, LibraryMissing):
    """libopscope-record.so was not found."""


class _Options(ctypes.Structure):
    _fields_ = [("path", ctypes.c_char_p), ("in_memory", ctypes.c_int), ("full", ctypes.c_int),
                ("buffer_bytes", ctypes.c_size_t), ("interval_ms", ctypes.c_uint),
                ("monotonic", ctypes.c_int), ("process", ctypes.c_char_p)]


class _Engine(ctypes.Structure):
    _fields_ = [("role", ctypes.c_char_p), ("engine", ctypes.c_char_p), ("queue", ctypes.c_char_p),
                ("index", ctypes.c_uint32), ("device", ctypes.c_uint32), ("core", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


# The library -------------------------------------------------------------------

def _declare(library_):
    number, text, pointer = ctypes.c_uint32, ctypes.c_char_p, ctypes.c_void_p
    waiting = ctypes.CDLL(library_._name)  # these may wait, for a disk say: others go on
    for name, result, arguments in [
            ("opscope_record_start", ctypes.c_int, [ctypes.POINTER(_Options), text, ctypes.c_size_t]),
            ("opscope_record_stop", ctypes.c_int, [text, ctypes.c_size_t]),
            ("opscope_record_flush", ctypes.c_int, [])]:
        function = getattr(waiting, name)
        function.restype, function.argtypes = result, arguments
        setattr(library_, name, function)
    for name, result, arguments in [
            ("opscope_text", number, [text]), ("opscope_lane", number, [text]),
            ("opscope_engine_lane_sized", number, [text, ctypes.POINTER(_Engine), ctypes.c_size_t]),
            ("opscope_memory", number, [text, number, number]),
            ("opscope_allocated", None, [number, ctypes.c_uint64, ctypes.c_uint64, number, number]),
            ("opscope_freed", None, [number, ctypes.c_uint64]),
            ("opscope_counter", number, [text, text]), ("opscope_thread_name", None, [text]),
            ("opscope_operator", number, [text, text, text, pointer, number]),
            ("opscope_call", number, [number, number, number]), ("opscope_fact", None, [text, text]),
            ("opscope_now_far", ctypes.c_uint64, []), ("opscope_record_event", None, [text, text])]:
        function = getattr(library_, name)
        function.restype, function.argtypes = result, arguments


class _Off:
    """Stands for the library's variables where there is none."""
    value = 0


# PyDLL: an event takes no lock, so that giving up Python's own would cost more.
_library, _reason = load(_NAME, _VARIABLE, ctypes.PyDLL)
_state = _number = _Off
_now = _put = None
if _library is not None:
    _declare(_library)
    _state = ctypes.c_uint32.in_dll(_library, "opscope_record_state")
    _number = ctypes.c_uint32.in_dll(_library, "opscope_record_number")
    _now, _put = _library.opscope_now_far, _library.opscope_record_event


def library():
    """The path of the library that records; raises LibraryMissing, which says what to do."""
    if _library is None:
        raise _RecorderMissing(missing(_NAME, _VARIABLE, _reason))
    return _library._name


# Recording ---------------------------------------------------------------------

def _encode(text):
    return str(text).encode(errors="replace").replace(b"\0", b"\xef\xbf\xbd")


def _checked(function, *arguments):
    message = ctypes.create_string_buffer(512)
    if function(*arguments, message, len(message)) != 0:
        raise RecordError(message.value.decode(errors="replace"))


def start(path=None, *, full="block", buffer_bytes=0, interval_ms=0, in_memory=False, monotonic=False,
          process="python"):
    """Begins to record to `path` (.prof); without one, to where `opscope profile` around this process
    wants it. A recording that began by itself there ends first. `full` says what happens to an event when the buffer of its
    thread is full: "block", "grow" or "drop" (and count it as lost). Ends by itself with Python."""
    library()
    if full not in _POLICIES:
        raise ValueError(f"full={full!r}: one of {', '.join(_POLICIES)}")
    if _captured[0] and recording():
        stop()
    _captured[0] = False
    options = _Options(None if path is None else os.fsencode(path), in_memory, _POLICIES[full], buffer_bytes, interval_ms,
                       monotonic, _encode(process))
    _checked(_library.opscope_record_start, ctypes.byref(options))
    atexit.unregister(_stop_at_exit)
    atexit.register(_stop_at_exit)


def stop():
    """Writes what is left and ends the file. Raises RecordError when not all could be written."""
    library()
    _checked(_library.opscope_record_stop)


_captured = [False]  # whether the recording at hand began by itself


def _is_captured():
    return bool(_library and os.environ.get("OPSCOPE_CAPTURE") and os.environ.get("OPSCOPE_CAPTURE_TOKEN"))


def _start_captured():
    """Records for `opscope profile`, which started this process or one above it."""
    if not _is_captured() or recording():
        return
    try:
        start(process=os.path.basename(sys.argv[0] or "") or "python")
        _captured[0] = True
    except (RecordError, AttributeError) as error:
        print(f"opscope: not recorded: {error}", file=sys.stderr)


def _stop_at_exit():
    if recording():
        stop()


def flush():
    """Writes what was recorded so far, so that it survives whatever happens next."""
    library()
    if _library.opscope_record_flush() != 0:
        raise RecordError("nothing is being recorded, or its file cannot be written any more")


def recording():
    """Whether anything is being recorded."""
    return _state.value != 0


class record:
    """`with opscope.record("run.prof"): ...`: start and stop, with the options of start."""

    def __init__(self, path, **options):
        self._path, self._options = path, options

    def __enter__(self):
        start(self._path, **self._options)
        return self

    def __exit__(self, *exception):
        stop()


# Descriptions ------------------------------------------------------------------

class _Ids(threading.local):
    """Ids that were given, of the recording that they belong to, by thread."""
    number = 0

    def of(self, number):
        if self.number != number:
            self.number = number
            self.texts, self.lanes, self.counters = {"": 0}, {}, {}
            _library.opscope_thread_name(_encode(threading.current_thread().name))
        return self


_ids = _Ids()
_lock = threading.Lock()
_shared = [0, {}]  # a recording, and its lanes and counters: threads of one name have one lane


def _shared_id(key, make):
    with _lock:
        if _shared[0] != _number.value:
            _shared[:] = [_number.value, {}]
        if key not in _shared[1]:
            _shared[1][key] = make()
        return _shared[1][key]


def _text(ids, text):
    known = ids.texts.get(text)
    if known is None:
        known = ids.texts[text] = _library.opscope_text(_encode(text))
    return known


def _lane(ids, name):
    """0 is the thread's own."""
    if name is None:
        return 0
    known = ids.lanes.get(name)
    if known is None:
        known = ids.lanes[name] = _shared_id(
            ("lane", name), lambda: _library.opscope_lane(_encode(name)))
    return known


def lane(name, *, role=None, engine=None, queue=None, index=0, device=None, core=None):
    """Says once what does the work of the lane of this name: its role ("compute", "transfer in" ...),
    the engine as its machine calls it, the queue that orders it, which of the engine's lanes it is,
    and the numbers of device and core."""
    def text(given):
        return None if given is None else _encode(given)

    def number(given):
        return 0 if given is None else given + 1

    if not recording():
        return
    about = _Engine(text(role), text(engine), text(queue), index, number(device), number(core), 0)
    _shared_id(("lane", name), lambda: _library.opscope_engine_lane_sized(
        _encode(name), ctypes.byref(about), ctypes.sizeof(about)))


def _pack(ids, values, flow_out, flow_in):
    """(bytes, count) of a list of struct opscope_value."""
    if not values and flow_out is None and flow_in is None:
        return None, 0
    packed = []

    def add(key, kind, number):
        packed.append(_HEAD.pack(key, kind) + _NUMBERS.get(kind, _NUMBERS[_UINT]).pack(number))

    for name, value in values.items():
        key = _text(ids, name)
        if isinstance(value, bool):
            add(key, _BOOL, value)
        elif isinstance(value, int) and -1 << 63 <= value < 1 << 64:
            add(key, _INT if value < 1 << 63 else _UINT, value)
        elif isinstance(value, float):
            add(key, _REAL, value)
        else:
            add(key, _TEXT, _text(ids, str(value)))
    for kind, number in ((_FLOW_OUT, flow_out), (_FLOW_IN, flow_in)):
        if number is not None:
            add(0, kind, number)
    return b"".join(packed), len(packed)


def operator(name, type="", location="", /, **values):
    """Describes an operator of a network once; its id is for `call`."""
    if not recording():
        return 0
    packed, count = _pack(_ids.of(_number.value), values, None, None)
    return _library.opscope_operator(_encode(name), _encode(type), _encode(location), packed, count)


def call(operator_id, *, parent=0, iteration=0):
    """One execution of an operator: the id is for the `call` of its spans."""
    return _library.opscope_call(operator_id, parent, iteration) if recording() else 0


def fact(key, text):
    """Says something about the recording as a whole."""
    if recording():
        _library.opscope_fact(_encode(key), _encode(text))


def thread_name(name):
    """Names the calling thread's lane; without it, it has the name that Python gives the thread."""
    if recording():
        _ids.of(_number.value)
        _library.opscope_thread_name(_encode(name))


_flows = itertools.count(1)


def flow():
    """A new flow: an arrow from the event with flow_out=it to the one with flow_in=it."""
    return next(_flows)


# Events ------------------------------------------------------------------------

def _event(kind, begun, ended, lane, name, call_, values, flow_out=None, flow_in=None):
    ids = _ids.of(_number.value)
    packed, count = _pack(ids, values, flow_out, flow_in)
    _put(_EVENT.pack(begun, ended, _lane(ids, lane), _text(ids, name), call_, kind, count), packed)


class _Span:
    __slots__ = ("_name", "_options", "_begun", "_number")

    def __init__(self, name, options):
        self._name = name
        self._options = options
        self._begun = 0

    def __enter__(self):
        if _state.value:
            self._number = _number.value
            self._begun = _now()
        return self

    def __exit__(self, kind, error, trace):
        begun = self._begun
        if not begun:
            return
        self._begun = 0
        if _state.value and self._number == _number.value:
            self._end(begun, kind, **self._options)

    def _end(self, begun, kind, /, *, lane=None, call=0, flow_out=None, flow_in=None, **values):
        ended = _now()
        if kind is not None:
            values["exception"] = kind.__name__
        _event(_SPAN, begun, ended, lane, self._name, call, values, flow_out, flow_in)

    def __call__(self, function):
        """As a decorator."""
        name, options = self._name or function.__qualname__, self._options
        if inspect.iscoroutinefunction(function):
            @functools.wraps(function)
            async def waiting(*arguments, **named):
                with _Span(name, options):
                    return await function(*arguments, **named)
            return waiting

        @functools.wraps(function)
        def called(*arguments, **named):
            if not _state.value:
                return function(*arguments, **named)
            with _Span(name, options):
                return function(*arguments, **named)
        return called


def span(name="", /, **options):
    """A span around a block (`with opscope.span("name"):`) or around each call of a function
    (`@opscope.span`, `@opscope.span("name")`). The keywords lane, call, flow_out and flow_in are as
    for `instant`; all others are values of the span. A block that is left by an exception has its
    type as the value "exception"."""
    if callable(name):
        return _Span("", options)(name)
    return _Span(name, options)


def instant(name, /, *, lane=None, call=0, flow_out=None, flow_in=None, **values):
    """Something that happened now, on a lane of this name (the thread's own without one), as part of
    a `call`; a flow starts or ends here. All other keywords are its values."""
    if _state.value:
        now = _now()
        _event(_INSTANT, now, now, lane, name, call, values, flow_out, flow_in)


def _memory(name, device, core):
    numbers = [0 if number is None else number + 1 for number in (device, core)]
    return _shared_id(("memory", name, *numbers), lambda: _library.opscope_memory(_encode(name), *numbers))


def allocated(memory, address, size, name="", *, call=0, device=None, core=None):
    """`size` bytes of a memory (its name) are taken now, for what `name` says."""
    if _state.value:
        ids = _ids.of(_number.value)
        _library.opscope_allocated(_memory(memory, device, core), address, size, _text(ids, name), call)


def freed(memory, address, *, device=None, core=None):
    """What was taken at this address of a memory is given back now."""
    if _state.value:
        _ids.of(_number.value)
        _library.opscope_freed(_memory(memory, device, core), address)


class Counter:
    """A number that changes over time: `gauge = opscope.counter("queue", "items"); gauge.sample(3)`."""

    __slots__ = ("name", "unit")

    def __init__(self, name, unit=""):
        self.name, self.unit = name, unit

    def sample(self, number):
        if not _state.value:
            return
        now = _now()
        ids = _ids.of(_number.value)
        key = (self.name, self.unit)
        known = ids.counters.get(key)
        if known is None:
            known = ids.counters[key] = _shared_id(("counter", *key), lambda: _library.opscope_counter(
                _encode(self.name), _encode(self.unit)))
        _put(_EVENT.pack(now, now, known, 0, 0, _SAMPLE, 1),
             _HEAD.pack(0, _REAL) + _NUMBERS[_REAL].pack(number))


counter = Counter


def sample(name, number, unit=""):
    """A sample of the counter of this name and unit."""
    if _state.value:
        Counter(name, unit).sample(number)


if _is_captured():
    _start_captured()
    os.register_at_fork(after_in_child=_start_captured)
