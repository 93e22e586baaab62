"""Time charts as Perfetto traces, by opscope's library: the API of Torq's model profiler.

    from perfetto_api import TimeChartLog, TimeChartView

    view = TimeChartView("chart.pb")
    view.render(TimeChartLog("model", "SLICE 0", "conv2d", 100, 250))
    view.flush()

A tick is a nanosecond, unless TimeChartView(filename, clock_hz=800_000_000) says otherwise.
Everything happens in this process: libopscope.so is looked for beside an installed module, in a
build folder, and where OPSCOPE_LIBRARY says.
"""
import ctypes
import os

from opscope import LibraryMissing, ProfileError
from opscope._libraries import load, missing

__all__ = ["LibraryMissing", "ProfileError", "TimeChartLog", "TimeChartView", "TrackEvent",
           "convert_to_perfetto", "csv_to_view_compile_profile", "csv_to_view_runtime_profile"]

_NAME, _VARIABLE = "libopscope.so", "OPSCOPE_LIBRARY"
_LOSS = 1  # done, but rows were lost
_MESSAGE = 4096


class TrackEvent:
    """Types of events, as Perfetto numbers them."""
    TYPE_SLICE_BEGIN = 1
    TYPE_SLICE_END = 2
    TYPE_INSTANT = 3


class TimeChartLog:
    """A function that ran on a thread of a process, from `start_time` to `end_time`, in ticks."""

    def __init__(self, process, thread, function, start_time, end_time):
        self.process = process
        self.thread = thread
        self.function = function
        self.start_time = start_time
        self.end_time = end_time

    def __repr__(self):
        return (f"TimeChartLog({self.process!r}, {self.thread!r}, {self.function!r}, "
                f"{self.start_time!r}, {self.end_time!r})")


# The library -------------------------------------------------------------------

class _Log(ctypes.Structure):
    _fields_ = [("process", ctypes.c_char_p), ("thread", ctypes.c_char_p),
                ("function", ctypes.c_char_p), ("start_time", ctypes.c_uint64),
                ("end_time", ctypes.c_uint64)]


class _ProfileLog(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("path", ctypes.c_char_p)]


_text, _number, _size = ctypes.c_char_p, ctypes.c_uint32, ctypes.c_size_t
_view, _tick, _log = ctypes.c_void_p, ctypes.c_uint64, ctypes.POINTER(_Log)
_logs, _said = ctypes.POINTER(_ProfileLog), [ctypes.c_char_p, ctypes.c_size_t]
_FUNCTIONS = {
    "view_create": [_text, ctypes.POINTER(_view), *_said],
    "view_set_clock": [_view, _tick],
    "view_add_process_descriptor": [_view, _text],
    "view_add_thread_descriptor": [_view, _text, _text],
    "view_render_sized": [_view, _log, _size],
    "view_set_track_event_sized": [_view, _tick, ctypes.c_int, _log, _size],
    "view_flush": [_view, *_said],
    "view_close": [_view, *_said],
    "csv_to_view_compile_profile": [_text, _view, _text, _number, *_said],
    "csv_to_view_runtime_profile": [_text, _view, _text, *_said],
    "convert_to_perfetto": [_logs, _size, _logs, _size, _text, _number, *_said],
}


def _load():
    library, reason = load(_NAME, _VARIABLE)
    if library is not None:
        for name, arguments in _FUNCTIONS.items():
            function = getattr(library, "opscope_time_chart_" + name)
            function.restype, function.argtypes = ctypes.c_int, arguments
        library.opscope_time_chart_view_free.restype = None
        library.opscope_time_chart_view_free.argtypes = [_view]
    return library, reason


_library, _reason = _load()


def _function(name):
    if _library is None:
        raise LibraryMissing(missing(_NAME, _VARIABLE, _reason))
    return getattr(_library, "opscope_time_chart_" + name)


def _encode(text):
    return os.fspath(text).encode(errors="surrogateescape") if isinstance(text, os.PathLike) \
        else str(text).encode(errors="surrogateescape")


def _said_by(name, *arguments):
    """Calls a function that says something; the code, and what it said."""
    message = ctypes.create_string_buffer(_MESSAGE)
    code = _function(name)(*arguments, message, len(message))
    text = message.value.decode(errors="replace")
    if code < 0:
        raise ProfileError(text, code)
    return code, text


# Views -------------------------------------------------------------------------

class TimeChartView:
    """A trace that flush() and close() write to `filename`: .pb, .pb.gz or .pb.zst."""

    def __init__(self, filename, *, clock_hz=None):
        self._view = _view()
        self.filename = filename
        _said_by("view_create", _encode(filename), ctypes.byref(self._view))
        if clock_hz is not None:
            self._check(_function("view_set_clock")(self._view, clock_hz), f"clock_hz {clock_hz}")

    def __enter__(self):
        return self

    def __exit__(self, kind, error, trace):
        if kind is None:
            self.close()
        else:
            self._free()

    def __del__(self):
        self._free()

    def _free(self):
        view, self._view = getattr(self, "_view", None), None
        if view and _library is not None:
            _library.opscope_time_chart_view_free(view)

    def _open(self):
        if not self._view:
            raise ValueError(f"{self.filename}: the view is closed")
        return self._view

    @staticmethod
    def _check(code, what):
        if code < 0:
            raise ProfileError(f"{what}: not possible", code)

    @staticmethod
    def _log(log):
        return _Log(_encode(log.process), _encode(log.thread), _encode(log.function),
                    int(log.start_time), int(log.end_time))

    def add_process_descriptor(self, name):
        """Registers a process; rendering does it by itself."""
        self._check(_function("view_add_process_descriptor")(self._open(), _encode(name)), name)

    def add_thread_descriptor(self, process, thread):
        """Registers a thread of a process; rendering does it by itself."""
        self._check(_function("view_add_thread_descriptor")(self._open(), _encode(process),
                                                            _encode(thread)), thread)

    def render(self, log):
        """Adds a log as a slice. ProfileError when it ends before it starts."""
        item = self._log(log)
        self._check(_function("view_render_sized")(self._open(), ctypes.byref(item),
                                                   ctypes.sizeof(item)), log)

    def set_track_event(self, time, type, log):  # pylint: disable=redefined-builtin
        """Adds one event at `time` on the log's thread; `type` is one of TrackEvent."""
        item = self._log(log)
        self._check(_function("view_set_track_event_sized")(self._open(), int(time), type,
                                                            ctypes.byref(item),
                                                            ctypes.sizeof(item)), log)

    def flush(self):
        """Writes what the view has so far."""
        _said_by("view_flush", self._open())

    def close(self):
        """Writes and gives up the view. What was lost, in words; "" when nothing was."""
        view, self._view = self._open(), None
        return _said_by("view_close", view)[1]


# Profiles ----------------------------------------------------------------------

def csv_to_view_compile_profile(view_name, view, csv_path, num_slices=2):
    """Adds a compile-time profile of Torq's as a process, with its overview."""
    return _said_by("csv_to_view_compile_profile", _encode(view_name), view._open(),
                    _encode(csv_path), num_slices)[1]


def csv_to_view_runtime_profile(view_name, view, csv_path):
    """Adds a runtime profile of Torq's as a process, with its overview."""
    return _said_by("csv_to_view_runtime_profile", _encode(view_name), view._open(),
                    _encode(csv_path))[1]


def _profile_logs(logs):
    """A dict of names and paths, or paths that get the names of their files."""
    named = logs.items() if hasattr(logs, "items") else [(None, path) for path in logs or []]
    items = [_ProfileLog(None if name is None else _encode(name), _encode(path))
             for name, path in named]
    return (_ProfileLog * max(len(items), 1))(*items), len(items)


def convert_to_perfetto(compile_profile_logs, runtime_profile_logs, pb_path, num_slices=2):
    """Compile profiles, then runtime profiles, to one trace, as `perfetto_logger` writes it.

    Both are dicts of names and paths of CSVs, or lists of paths; either may be None. What was
    lost, in words; "" when nothing was."""
    compiled, compile_count = _profile_logs(compile_profile_logs)
    ran, runtime_count = _profile_logs(runtime_profile_logs)
    code, said = _said_by("convert_to_perfetto", compiled, compile_count, ran, runtime_count,
                          _encode(pb_path), num_slices)
    return said if code == _LOSS else ""
