"""Sessions of Cloud AI's Python interface, over opscope's library: compile, run, measure.

    import qaic

    session = qaic.Session("model.onnx", options_path="config.yaml", enable_metrics=True)
    outputs = session.run({"data": image})
    session.print_metrics()

A model is an ONNX file, which qaic-compile compiles with the options of the YAML file, or what it
made of one: programqpc.bin, or the folder with it. Numbers are computed on this machine, so that
latencies are this machine's; `modelled_latency` is what the simulated card would take.

Arrays go in as whatever has a buffer (bytes, array.array, numpy's arrays) and come out as numpy's
arrays where numpy is installed, else as memoryviews of their shape. Only Python's standard library
is used; what computes is libopscope-session.so, by ctypes.
"""

import cProfile
import ctypes
import os
import pathlib
import pstats
import re
import shutil
import subprocess
import tempfile
import threading

import opscope
from opscope import LibraryMissing
from opscope._libraries import load, missing

try:
    import numpy
except ImportError:
    numpy = None

__all__ = ["CompileError", "LibraryMissing", "Session", "SessionError", "compile_model", "read_options"]

_NAME, _VARIABLE = "libopscope-session.so", "OPSCOPE_SESSION_LIBRARY"
_MESSAGE = 4096
_INPUTS, _OUTPUTS = range(2)
# What a session itself takes of the options; all others are the compiler's.
_RUN_OPTIONS = {"num_activations": 1, "set_size": 10, "num_threads_per_queue": 4, "dev_id": 0}
_BENCHMARK_USUAL = 40
_FORMATS = {"f64": "d", "f32": "f", "f16": "e", "i8": "b", "u8": "B", "i16": "h", "u16": "H", "i32": "i", "u32": "I",
            "i64": "q", "u64": "Q", "bool": "?"}


class SessionError(RuntimeError):
    """What the library says; `code` is one of opscope/result.h."""

    def __init__(self, message, code):
        super().__init__(message)
        self.code = code


class CompileError(RuntimeError):
    """The compiler refused the model or an option; the text is what it said."""


# The library -------------------------------------------------------------------

class _Options(ctypes.Structure):
    _fields_ = [("activations", ctypes.c_uint32), ("set_size", ctypes.c_uint32), ("threads", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


class _Port(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("element", ctypes.c_char_p), ("dims", ctypes.POINTER(ctypes.c_int64)),
                ("rank", ctypes.c_uint32), ("constant", ctypes.c_uint32), ("bytes", ctypes.c_uint64)]


class _Benchmark(ctypes.Structure):
    _fields_ = [("inferences", ctypes.c_uint64), ("ns", ctypes.c_uint64), ("batch", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


class _Metrics(ctypes.Structure):
    _fields_ = [("inferences", ctypes.c_uint64), ("least", ctypes.c_uint64), ("most", ctypes.c_uint64),
                ("sum", ctypes.c_uint64), ("mean", ctypes.c_double),
                *((name, ctypes.c_uint64) for name in ("p25", "p50", "p75", "p90", "p99", "p999"))]


_handle, _size, _said = ctypes.c_void_p, ctypes.c_size_t, [ctypes.c_char_p, ctypes.c_size_t]
_pointers = ctypes.POINTER(ctypes.c_void_p)
_FUNCTIONS = {
    "open_sized": [ctypes.c_char_p, ctypes.POINTER(_Options), _size, ctypes.POINTER(_handle), *_said],
    "port_count": [_handle, ctypes.c_uint32],
    "get_port_sized": [_handle, ctypes.c_uint32, ctypes.c_uint32, ctypes.POINTER(_Port), _size],
    "run_sized": [_handle, _pointers, _pointers, ctypes.c_void_p, _size, *_said],
    "run_benchmark_sized": [_handle, _pointers, ctypes.c_uint64, ctypes.c_uint32, ctypes.POINTER(_Benchmark), _size,
                            *_said],
    "get_metrics_sized": [_handle, ctypes.POINTER(_Metrics), _size],
}


def _load():
    library, reason = load(_NAME, _VARIABLE)
    if library is None:
        raise LibraryMissing(missing(_NAME, _VARIABLE, reason))
    for name, arguments in _FUNCTIONS.items():
        function = getattr(library, "opscope_session_" + name)
        function.restype, function.argtypes = ctypes.c_int, arguments
    for name, result in (("free", None), ("reset_metrics", None), ("modelled_ns", ctypes.c_uint64)):
        function = getattr(library, "opscope_session_" + name)
        function.restype, function.argtypes = result, [_handle]
    return library


_library = []
_library_lock = threading.Lock()


def _call(name, *arguments):
    """Calls a function that can fail; its message becomes an exception."""
    message = ctypes.create_string_buffer(_MESSAGE)
    code = getattr(_library[0], "opscope_session_" + name)(*arguments, message, _MESSAGE)
    if code != 0:
        raise SessionError(message.value.decode(errors="replace"), code)


# Options -----------------------------------------------------------------------

def _value(text, place):
    """A scalar, or a list in brackets."""
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return [_value(item, place) for item in text[1:-1].split(",") if item.strip()]
    if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
        return text[1:-1]
    if not text or text[0] in "&*!|>{%@`'\"[":
        raise ValueError(f"{place}: {text!r} is no plain value: write key: value")
    if text.lower() in ("true", "yes", "on"):
        return True
    if text.lower() in ("false", "no", "off"):
        return False
    return int(text) if re.fullmatch(r"-?\d+", text) else text


def read_options(path):
    """The options of a YAML file: `key: value`, lists in brackets, and one level of keys below a key
    (onnx_define_symbol). What else YAML has is refused with its line."""
    options, inner = {}, None
    for number, line in enumerate(pathlib.Path(path).read_text(encoding="utf-8").splitlines(), 1):
        place = f"{path}:{number}"
        line = re.sub(r"(^|\s)#.*$", "", line).rstrip()
        if not line.strip() or line.strip() == "---":
            continue
        key, colon, rest = line.strip().partition(":")
        key = key.strip().strip("'\"")
        if not colon or (rest and not rest.startswith(" ")) or not re.fullmatch(r"[\w.:/-]+", key):
            raise ValueError(f"{place}: expected key: value, not {line.strip()!r}")
        indented = line[0] in " \t"
        if indented and inner is None:
            raise ValueError(f"{place}: indented, but below no key")
        where = inner if indented else options
        if not indented:
            key = key.replace("-", "_")
            inner = None
        if key in where:
            raise ValueError(f"{place}: {key} is there twice")
        if rest.strip():
            where[key] = _value(rest, place)
        elif indented:
            raise ValueError(f"{place}: {key} has no value")
        else:
            inner = where[key] = {}
    return options


def _flags(options):
    """Options as the compiler's words."""
    words = []
    for key, value in options.items():
        flag = "-" + key.replace("_", "-")
        if isinstance(value, dict):
            words += [f"{flag}={name},{number}" for name, number in value.items()]
        elif isinstance(value, bool):
            words += [flag] if value else []
        elif isinstance(value, (list, tuple)):
            words.append(f"{flag}={','.join(map(str, value))}")
        else:
            words.append(f"{flag}={value}")
    return words


def _compiler():
    told = os.environ.get("OPSCOPE_QAIC_COMPILE")
    above = pathlib.Path(__file__).resolve().parents
    near = [folder / where / "qaic-compile" for folder in above for where in ("bin", "build/bin")]
    for path in [told] if told else [*near, shutil.which("qaic-compile")]:
        if path and os.access(path, os.X_OK):
            return str(path)
    raise LibraryMissing("qaic-compile was not found: put it on the PATH ('opscope links DIR'), or say where it is:"
                         " OPSCOPE_QAIC_COMPILE=/path/to/qaic-compile")


def compile_model(model_path, folder, options):
    """Compiles an ONNX file into folder/programqpc.bin. Returns what the compiler said."""
    done = subprocess.run([_compiler(), f"-model={model_path}", f"-aic-binary-dir={folder}", *_flags(options)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace", check=False)
    if done.returncode != 0:
        raise CompileError((done.stderr or done.stdout).strip())
    return done.stdout + done.stderr


# Arrays ------------------------------------------------------------------------

class _Tensor:
    """A port: what goes in, or comes out."""

    def __init__(self, port):
        self.name = port.name.decode()
        self.element = port.element.decode()
        self.shape = tuple(port.dims[i] for i in range(port.rank))
        self.bytes = port.bytes
        self.constant = bool(port.constant)

    def dtype(self):
        """numpy's type where there is one, else the name of the element."""
        if numpy is None or self.element not in _FORMATS:
            return self.element
        return numpy.dtype(_FORMATS[self.element])

    def take(self, value):
        """An object that keeps the bytes, and their address."""
        if numpy is not None and not isinstance(value, (bytes, bytearray)) and self.element in _FORMATS:
            array = numpy.asarray(value)
            # Counts do not become fractions, nor the other way round.
            if array.dtype != self.dtype() and array.dtype.kind == self.dtype().kind:
                array = array.astype(self.dtype())
            if array.dtype == self.dtype():
                value = numpy.ascontiguousarray(array)
            else:
                raise ValueError(f"input '{self.name}': is {self.element}, but {array.dtype} was given")
        data = memoryview(value)
        if not data.contiguous or data.nbytes != self.bytes:
            raise ValueError(f"input '{self.name}': {self.element} of shape {self.shape} takes {self.bytes} bytes one after"
                             f" the other, but {data.nbytes} were given")
        kept = (ctypes.c_char * max(self.bytes, 1)).from_buffer_copy(data.cast("B").tobytes() or b"\0")
        return kept, ctypes.addressof(kept)

    def give(self, data):
        """The bytes as an array."""
        if numpy is not None and self.element in _FORMATS:
            return numpy.frombuffer(data, dtype=self.dtype()).reshape(self.shape)
        view = memoryview(data)
        try:
            return view.cast(_FORMATS[self.element], shape=self.shape)
        except (KeyError, ValueError, TypeError):
            return view  # elements that a memoryview has no name for


# Sessions ----------------------------------------------------------------------

class Session:
    """A model that is ready to run. `num_activations` copies of it run side by side, and any number of
    threads may call `run`. Options given here go before those of the file."""

    def __init__(self, model_path, options_path=None, *, enable_metrics=False, enable_profiling=False, **options):
        if enable_metrics and enable_profiling:
            raise ValueError("enable_metrics and enable_profiling exclude one another")
        self._model_path = os.fspath(model_path)
        self._options = {**(read_options(options_path) if options_path is not None else {}), **options}
        self._measured = enable_metrics or enable_profiling
        self._profile = cProfile.Profile() if enable_profiling else None
        self._profiling = threading.Lock()
        self._handle = None
        self._folder = None
        self._inputs = self._outputs = ()
        self.compile_output = ""

    # Loading

    def setup(self):
        """Compiles the model where it is an ONNX file, and loads it. `run` does so by itself."""
        with _library_lock:
            if not _library:
                _library.append(_load())
            if self._handle is None:
                self._open(self._compiled())
        return self

    def _compiled(self):
        if not self._model_path.endswith(".onnx"):
            return self._model_path
        options = {key: value for key, value in self._options.items() if key not in _RUN_OPTIONS}
        folder = options.pop("output_dir", None) or options.pop("aic_binary_dir", None)
        if folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="qaic-session-")
            folder = self._folder.name
        self.compile_output = compile_model(self._model_path, folder, options)
        return folder

    def _open(self, path):
        numbers = {key: int(self._options.get(key, usual)) for key, usual in _RUN_OPTIONS.items()}
        options = _Options(numbers["num_activations"], numbers["set_size"], numbers["num_threads_per_queue"], 0)
        handle = _handle()
        _call("open_sized", os.fsencode(path), ctypes.byref(options), ctypes.sizeof(options), ctypes.byref(handle))
        self._handle = handle
        self._inputs, self._outputs = (self._ports(side) for side in (_INPUTS, _OUTPUTS))

    def _ports(self, side):
        found = []
        for index in range(_library[0].opscope_session_port_count(self._handle, side)):
            port = _Port()
            _library[0].opscope_session_get_port_sized(self._handle, side, index, ctypes.byref(port), ctypes.sizeof(port))
            found.append(_Tensor(port))
        return found

    def reset(self):
        """Gives back all that the session holds; the next use loads it again. Nothing may be running."""
        if self._handle is not None:
            _library[0].opscope_session_free(self._handle)
        self._handle = None
        if self._folder is not None:
            self._folder.cleanup()
        self._folder = None

    def __enter__(self):
        return self.setup()

    def __exit__(self, *exception):
        self.reset()

    def __del__(self):
        if getattr(self, "_handle", None) is not None and _library:
            self.reset()

    @property
    def model_input_shape_dict(self):
        """Name -> (shape, type) of every input."""
        self.setup()
        return {port.name: (list(port.shape), port.dtype()) for port in self._inputs if not port.constant}

    @property
    def model_output_shape_dict(self):
        """Name -> (shape, type) of every output."""
        self.setup()
        return {port.name: (list(port.shape), port.dtype()) for port in self._outputs if not port.constant}

    @property
    def modelled_latency(self):
        """Seconds that the simulated card takes for an inference: modelled, without the host."""
        self.setup()
        return _library[0].opscope_session_modelled_ns(self._handle) / 1e9

    # Running

    def _addresses(self, input_dict):
        """What keeps the inputs, and their addresses in the order of the program."""
        known = {port.name for port in self._inputs}
        for name in input_dict:
            if name not in known:
                raise ValueError(f"'{name}' is no input of the model: there are {', '.join(sorted(known))}")
        kept, addresses = [], (ctypes.c_void_p * max(len(self._inputs), 1))()
        for index, port in enumerate(self._inputs):
            if port.constant:
                continue
            if port.name not in input_dict:
                raise ValueError(f"input '{port.name}' is missing")
            data, addresses[index] = port.take(input_dict[port.name])
            kept.append(data)
        return kept, addresses

    def _infer(self, input_dict):
        kept, inputs = self._addresses(input_dict)
        data = [bytearray(port.bytes) for port in self._outputs]
        places = [(ctypes.c_char * max(len(item), 1)).from_buffer(item) if item else None for item in data]
        outputs = (ctypes.c_void_p * max(len(data), 1))(*(place and ctypes.addressof(place) for place in places))
        _call("run_sized", self._handle, inputs, outputs, None, 0)
        del kept, places
        return {port.name: port.give(item) for port, item in zip(self._outputs, data) if not port.constant}

    def run(self, input_dict):
        """One inference: arrays by the names of inputs; returns those of the outputs."""
        self.setup()
        with opscope.span("qaic.Session.run"):
            if self._profile is None:
                return self._infer(input_dict)
            with self._profiling:  # a profile is of one thread at a time
                return self._profile.runcall(self._infer, input_dict)

    def run_benchmark(self, num_inferences=None, inf_time=None, input_dict=None):
        """Runs so many inferences on every activation (40), or as many as `inf_time` seconds take; with
        random inputs where none are given. Returns (inferences, inferences a second with the batch,
        microseconds, batch size)."""
        self.setup()
        kept, inputs = self._addresses(input_dict) if input_dict is not None else (None, None)
        count = int(num_inferences or 0) or (0 if inf_time else _BENCHMARK_USUAL)
        done = _Benchmark()
        _call("run_benchmark_sized", self._handle, inputs, count, int(inf_time or 0), ctypes.byref(done),
              ctypes.sizeof(done))
        del kept
        return done.inferences, done.inferences * done.batch * 1e9 / max(done.ns, 1), done.ns // 1000, done.batch

    # Measuring

    def get_metrics(self):
        """Latencies of all inferences by `run` so far, in seconds."""
        if not self._measured:
            raise RuntimeError("nothing was measured: Session(..., enable_metrics=True)")
        self.setup()
        found = _Metrics()
        code = _library[0].opscope_session_get_metrics_sized(self._handle, ctypes.byref(found), ctypes.sizeof(found))
        if code != 0:
            raise SessionError("nothing was inferred yet: there are no latencies", code)
        return {"num_of_inferences": found.inferences, "min_latency": found.least / 1e9, "max_latency": found.most / 1e9,
                **{name.upper(): getattr(found, name) / 1e9 for name in ("p25", "p50", "p75", "p90", "p99", "p999")},
                "total_inference_time": found.sum / 1e9, "avg_latency": found.mean / 1e9}

    def print_metrics(self):
        """The same in words."""
        found = self.get_metrics()
        average = f"Average latency / inference time observed is {found['avg_latency']} s"
        print(f"Number of inferences utilized for calculation are {found['num_of_inferences']}")
        print(f"Minimum latency observed {found['min_latency']} s")
        print(f"Maximum latency observed {found['max_latency']} s")
        print(average)
        for percent in (25, 50, 75, 90, 99):
            print(f"P{percent} / {percent}% of inferences observed latency less than {found[f'P{percent}']} s")
        print(f"Sum of all the inference times {found['total_inference_time']} s")
        print(average)

    def print_profile_data(self, n=10):
        """The `n` functions of Python that inferences spent most time in, those that they call included."""
        if self._profile is None:
            raise RuntimeError("nothing was profiled: Session(..., enable_profiling=True)")
        print("|  File-Line-Function  | |  num calls  | |  func time  | |  tot time  |")
        with self._profiling:
            stats = pstats.Stats(self._profile).stats if self._profile.getstats() else {}
        for function, (_, calls, own, total, _) in sorted(stats.items(), key=lambda item: -item[1][3])[:n]:
            print(f"\n{function} {calls} {own} {total}")
