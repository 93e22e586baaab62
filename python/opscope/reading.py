"""Profiles of any format that opscope reads, as tables.

    import opscope

    profile = opscope.open("trace.json.gz")
    for row in profile.top(by="operator")[:5]:
        print(row.label, row.self_ns)
    frame = profile.spans().to_pandas()

A table is columns that the library filled: arrays of numbers, and of numbers of distinct texts. Rows are
made when they are looked at. What is absent is None in rows, masked in numpy's arrays and NA in pandas'
frames, never 0. docs/python.md is the guide. Only Python's standard library is needed; numpy and pandas
are used where they are asked for.
"""

import collections
import collections.abc
import ctypes
import keyword
import os
import re
import threading
from typing import Any, Dict, Generic, Iterable, Iterator, List, NamedTuple, Optional, Sequence, Tuple, TypeVar, Union

from ._libraries import LibraryMissing, load, missing

__all__ = ["Column", "Instant", "Ledger", "Metric", "Note", "Operator", "OperatorType", "Profile", "ProfileError",
           "Sample", "Span", "Table", "TopRow", "Track", "convert", "open"]

_NAME, _VARIABLE = "libopscope.so", "OPSCOPE_LIBRARY"
_MESSAGE = 4096
_LOSS = 1
_UNKNOWN = (1 << 64) - 1
_ALL_TRACKS = (1 << 32) - 1
_NOTES = ("lost", "impossible", "not carried", "remark")


class ProfileError(RuntimeError):
    """What the library says; `code` is one of opscope/result.h."""

    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


# Rows --------------------------------------------------------------------------

class Span(NamedTuple):
    name: str
    start_ns: int
    duration_ns: int
    track: int
    lane: str
    process: Optional[str]
    role: Optional[str]
    device: Optional[int]
    category: Optional[str]
    operator: Optional[str]
    call: Optional[int]


class Instant(NamedTuple):
    name: str
    start_ns: int
    track: int
    lane: str
    process: Optional[str]
    role: Optional[str]
    device: Optional[int]
    category: Optional[str]
    operator: Optional[str]
    call: Optional[int]


class Sample(NamedTuple):
    start_ns: int
    value: Optional[float]
    unit: Optional[str]
    track: int
    lane: str
    process: Optional[str]
    device: Optional[int]


class Track(NamedTuple):
    id: int
    parent: int
    name: str
    engine: str
    role: str
    device: Optional[int]
    core: Optional[int]
    queue: Optional[str]
    provenance: str
    spans: int
    instants: int
    samples: int
    expected: Optional[int]
    lost: int
    impossible: int


class Operator(NamedTuple):
    name: str
    type: str
    location: Optional[str]
    inputs: Optional[str]
    outputs: Optional[str]
    const_eval_op: Optional[str]
    provider: Optional[str]
    block: Optional[str]
    bound: Optional[str]
    calls: int
    spans: int
    time_ns: Optional[int]
    share: Optional[float]
    host_ns: Optional[int]
    host_total_ns: Optional[int]
    device_ns: Optional[int]
    device_total_ns: Optional[int]
    kernel_ns: Optional[int]
    backward_device_ns: Optional[int]
    backward_host_ns: Optional[int]
    unknown_ns: Optional[int]


class OperatorType(NamedTuple):
    type: str
    calls: int
    spans: int
    time_ns: Optional[int]
    share: Optional[float]
    host_ns: Optional[int]
    host_total_ns: Optional[int]
    device_ns: Optional[int]
    device_total_ns: Optional[int]
    kernel_ns: Optional[int]
    backward_device_ns: Optional[int]
    backward_host_ns: Optional[int]
    unknown_ns: Optional[int]


class TopRow(NamedTuple):
    label: str
    where: str
    count: int  # type: ignore[assignment]  # a tuple's own count is hidden
    self_ns: int
    share: float
    total_ns: int
    backward_ns: Optional[int]
    least_ns: int
    median_ns: int
    p90_ns: int
    most_ns: int
    bytes: Optional[int]
    gb_per_s: Optional[float]


class Metric(NamedTuple):
    model: str
    name: str
    ns: Optional[int]
    percent: Optional[float]


class Note(NamedTuple):
    kind: str  # "lost", "impossible", "not carried" or "remark"
    count: int
    text: str


class Ledger(NamedTuple):
    """The account of the data: where `expected` is known, it is recorded + lost + impossible."""
    expected: Optional[int]
    recorded: int
    lost: int
    impossible: int
    not_carried: int
    notes: List[Note]


# The library -------------------------------------------------------------------

class _ReadOptions(ctypes.Structure):
    _fields_ = [("torq_slices", ctypes.c_uint32), ("reserved", ctypes.c_uint32), ("torq_clock_hz", ctypes.c_uint64)]


class _TableOptions(ctypes.Structure):
    _fields_ = [("columns", ctypes.c_char_p), ("arguments", ctypes.c_char_p), ("by", ctypes.c_char_p),
                ("filter", ctypes.c_char_p), ("from_ns", ctypes.c_uint64), ("to_ns", ctypes.c_uint64),
                ("step", ctypes.c_uint64), ("has_step", ctypes.c_uint32), ("all", ctypes.c_uint32)]


class _Column(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("unit", ctypes.c_char_p), ("meaning", ctypes.c_char_p),
                ("data", ctypes.c_void_p), ("absent", ctypes.c_void_p), ("texts", ctypes.c_void_p),
                ("text_ends", ctypes.c_void_p), ("text_count", ctypes.c_uint64), ("kind", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32), ("cells", ctypes.c_void_p)]


class _Ledger(ctypes.Structure):
    _fields_ = [(name, ctypes.c_uint64) for name in ("expected", "recorded", "lost", "impossible", "not_carried")]


class _Note(ctypes.Structure):
    _fields_ = [("text", ctypes.c_char_p), ("count", ctypes.c_uint64), ("kind", ctypes.c_uint32),
                ("reserved", ctypes.c_uint32)]


_handle, _text, _number, _size = ctypes.c_void_p, ctypes.c_char_p, ctypes.c_uint32, ctypes.c_size_t
_said, _pointer = [_text, _size], ctypes.POINTER
_FUNCTIONS: Dict[str, Tuple[Any, List[Any]]] = {
    "opscope_profile_open_sized": (ctypes.c_int, [_text, _pointer(_ReadOptions), _size, _pointer(_handle), *_said]),
    "opscope_profile_free": (None, [_handle]),
    "opscope_profile_table_sized": (
        ctypes.c_int, [_handle, _text, _pointer(_TableOptions), _size, _pointer(_handle), *_said]),
    "opscope_table_free": (None, [_handle]),
    "opscope_table_row_count": (ctypes.c_uint64, [_handle]),
    "opscope_table_column_count": (_number, [_handle]),
    "opscope_table_get_column_sized": (ctypes.c_int, [_handle, _number, _pointer(_Column), _size]),
    "opscope_query_open": (ctypes.c_int, [_handle, _text, _pointer(_handle), *_said]),
    "opscope_query_table": (ctypes.c_int, [_handle, _pointer(_handle), *_said]),
    "opscope_query_free": (None, [_handle]),
    "opscope_profile_get_ledger_sized": (ctypes.c_int, [_handle, _number, _pointer(_Ledger), _size]),
    "opscope_profile_note_count": (_number, [_handle]),
    "opscope_profile_get_note_sized": (ctypes.c_int, [_handle, _number, _pointer(_Note), _size]),
    "opscope_profile_fact_count": (_number, [_handle]),
    "opscope_profile_fact_key": (_text, [_handle, _number]),
    "opscope_profile_fact_text": (_text, [_handle, _number]),
    "opscope_profile_write": (ctypes.c_int, [_handle, _text, _text, *_said]),
    "opscope_convert": (ctypes.c_int, [_text, _text, _text, *_said]),
}

_loaded: List[Any] = []
_load_lock = threading.Lock()


def _library() -> Any:
    """The library, when it is first needed; raises LibraryMissing, which says what to do."""
    with _load_lock:
        if not _loaded:
            library, reason = load(_NAME, _VARIABLE)
            if library is None:
                raise LibraryMissing(missing(_NAME, _VARIABLE, reason))
            for name, (result, arguments) in _FUNCTIONS.items():
                function = getattr(library, name, None)
                if function is None:
                    raise LibraryMissing(f"{library._name} is older than this module: it has no {name}")
                function.restype, function.argtypes = result, arguments
            _loaded.append(library)
    return _loaded[0]


def _call(name: str, *arguments: Any) -> Tuple[int, str]:
    """Calls a function that can fail: its code, and what it said; its message becomes an exception."""
    message = ctypes.create_string_buffer(_MESSAGE)
    code = getattr(_library(), name)(*arguments, message, _MESSAGE)
    if code < 0:
        raise ProfileError(_decode(message.value), code)
    return code, _decode(message.value)


def _decode(text: Optional[bytes]) -> str:
    return (text or b"").decode(errors="backslashreplace")


def _encode(text: Optional[str]) -> Optional[bytes]:
    if text is not None and not isinstance(text, str):
        raise TypeError(f"{text!r}: expected a text")
    return None if text is None else text.encode(errors="surrogateescape")


def _words(words: Union[None, str, Iterable[str]]) -> Optional[bytes]:
    """A list of names, as the library takes it."""
    if words is None or isinstance(words, str) or not isinstance(words, collections.abc.Iterable):
        return _encode(words)
    return _encode(",".join(words))


class _Owner:
    """A table of the library, which lives as long as anything looks at it."""

    def __init__(self, library: Any, handle: ctypes.c_void_p) -> None:
        self.handle = handle
        self._free = library.opscope_table_free

    def __del__(self) -> None:
        self._free(self.handle)


def _view(owner: _Owner, address: Optional[int], count: int, code: str) -> memoryview:
    """Items in memory of the library."""
    if not address or count == 0:
        return memoryview(b"").cast(code)
    size = count * memoryview(b"\0" * 8).cast(code).itemsize
    block = (ctypes.c_char * size).from_address(address)
    block._owner = owner  # type: ignore[attr-defined]
    return memoryview(block).cast("B").cast(code).toreadonly()  # type: ignore[call-overload]


# Tables ------------------------------------------------------------------------

_KINDS = (("int", "q"), ("uint", "Q"), ("real", "d"), ("bool", "?"), ("text", "I"))
_CELLS = {1: int, 2: float, 4: bytes}  # of opscope/query.h: what is no text


class Column:
    """A column of a table. `data` has an item for each row: the number, or of a text which of `texts` it is;
    `absent`, where there is one, has True for rows without a value. In a column of texts a query may have
    numbers and blobs, too: `to_list` gives them as such."""

    __slots__ = ("name", "unit", "meaning", "kind", "data", "absent", "texts", "_others")

    def __init__(self, owner: _Owner, rows: int, column: _Column) -> None:
        self.name = _decode(column.name)
        self.unit = _decode(column.unit)
        self.meaning = _decode(column.meaning)
        self.kind, code = _KINDS[column.kind]
        self.data = _view(owner, column.data, rows, code)
        self.absent = _view(owner, column.absent, rows, "?") if column.absent else None
        ends = _view(owner, column.text_ends, column.text_count, "Q")
        texts = ctypes.string_at(column.texts, ends[-1]) if len(ends) and ends[-1] else b""
        starts = [0, *ends]
        self.texts = [_decode(texts[start:end]) for start, end in zip(starts, ends)]
        cells = _view(owner, column.cells, rows if column.cells else 0, "B")
        self._others = {row: _CELLS[cell](texts[starts[item]:ends[item]])
                        for row, (cell, item) in enumerate(zip(cells, self.data)) if cell in _CELLS}

    def __len__(self) -> int:
        return len(self.data)

    def __repr__(self) -> str:
        return f"<opscope.Column {self.name}: {len(self)} of {self.kind}>"

    def to_list(self) -> List[Any]:
        """Python's numbers and texts, None where there is none."""
        if self.kind == "text":
            texts = self.texts or [""]  # where all are absent
            values: List[Any] = [texts[item] for item in self.data]
            for row, other in self._others.items():
                values[row] = other
        else:
            values = self.data.tolist()
        if self.absent is not None:
            values = [None if absent else value for value, absent in zip(values, self.absent)]
        return values

    def to_numpy(self) -> Any:
        """numpy's array: int64, float64 or bool, and objects for texts (None where there is none). Numbers
        are a masked array where some are absent."""
        numpy = _module("numpy")
        if self.kind == "text":
            texts = numpy.array(self.texts or [None], dtype=object)
            values = texts[numpy.frombuffer(self.data, numpy.uint32)]
            for row, other in self._others.items():
                values[row] = other
            if self.absent is not None:
                values[numpy.frombuffer(self.absent, bool)] = None
            return values
        values = numpy.frombuffer(self.data, _numpy_type(self.kind))
        if self.absent is None:
            return values
        return numpy.ma.masked_array(values, mask=numpy.frombuffer(self.absent, bool))

    def to_pandas(self) -> Any:
        """pandas' Series: texts are categories, numbers that may be absent Int64, Float64 or boolean."""
        pandas, numpy = _module("pandas"), _module("numpy")
        absent = numpy.zeros(len(self), bool) if self.absent is None else numpy.frombuffer(self.absent, bool).copy()
        if self.kind != "text":
            values = numpy.frombuffer(self.data, _numpy_type(self.kind)).copy()
            if self.absent is None:
                return pandas.Series(values, name=self.name)
            form = {"int": "Int64", "uint": "UInt64", "real": "Float64", "bool": "boolean"}[self.kind]
            series = pandas.Series(values, name=self.name).astype(form)
            series[absent] = pandas.NA
            return series
        if self._others or len(set(self.texts)) != len(self.texts):  # bytes that are no UTF-8 and look alike
            return pandas.Series(self.to_list(), name=self.name, dtype=object)
        codes = numpy.frombuffer(self.data, numpy.uint32).astype(numpy.int64)
        codes[absent] = -1
        return pandas.Series(pandas.Categorical.from_codes(codes, self.texts), name=self.name)


def _numpy_type(kind: str) -> str:
    return {"int": "int64", "uint": "uint64", "real": "float64", "bool": "bool"}[kind]


def _module(name: str) -> Any:
    try:
        return __import__(name)
    except ImportError as error:
        raise ImportError(f"{name} is not installed; rows and to_list() need no more than Python has") from error


Row = TypeVar("Row")


class Table(collections.abc.Sequence, Generic[Row]):
    """Rows and columns. `table[0]` is a row (a named tuple), `table[:5]` a list of them, `table["name"]` a
    column as a list; `columns` has the columns by name."""

    def __init__(self, library: Any, handle: ctypes.c_void_p, row: Optional[type] = None) -> None:
        owner = _Owner(library, handle)
        self._rows = library.opscope_table_row_count(handle)
        self.columns: Dict[str, Column] = {}
        for index in range(library.opscope_table_column_count(handle)):
            column = _Column()
            library.opscope_table_get_column_sized(handle, index, ctypes.byref(column), ctypes.sizeof(column))
            made = Column(owner, self._rows, column)
            name, number = made.name, 2
            while made.name in self.columns:  # of a query that gives two the same
                made.name, number = f"{name}_{number}", number + 1
            self.columns[made.name] = made
        fields = _fields(self.columns)
        self._row = row if row is not None and getattr(row, "_fields", None) == tuple(fields) else \
            collections.namedtuple("Row", fields)  # type: ignore[misc]
        self._made: Optional[List[Row]] = None

    def _list(self) -> List[Row]:
        if self._made is None:
            make = self._row._make  # type: ignore[attr-defined]
            self._made = [make(values) for values in zip(*(column.to_list() for column in self.columns.values()))]
        return self._made

    def __len__(self) -> int:
        return self._rows

    def __iter__(self) -> Iterator[Row]:
        return iter(self._list())

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            return self.columns[key].to_list()
        return self._list()[key]

    def __repr__(self) -> str:
        return f"<opscope.Table of {self._rows} rows: {', '.join(self.columns)}>"

    def to_list(self) -> List[Row]:
        """All rows."""
        return list(self._list())

    def to_dict(self) -> Dict[str, List[Any]]:
        """The columns as lists."""
        return {name: column.to_list() for name, column in self.columns.items()}

    def to_numpy(self) -> Dict[str, Any]:
        """The columns as numpy's arrays; numbers are not copied."""
        return {name: column.to_numpy() for name, column in self.columns.items()}

    def to_pandas(self) -> Any:
        """A frame of pandas, with a copy of the columns."""
        pandas = _module("pandas")
        return pandas.DataFrame({name: column.to_pandas() for name, column in self.columns.items()})


def _fields(names: Iterable[str]) -> List[str]:
    """Names of columns as names of Python: args.Input Dims is args_Input_Dims."""
    fields: List[str] = []
    for name in names:
        field = re.sub(r"\W", "_", name)
        field = f"column_{field}" if not field or field[0] in "_0123456789" else field
        field += "_" if keyword.iskeyword(field) else ""
        while field in fields:
            field += "_"
        fields.append(field)
    return fields


# Profiles ----------------------------------------------------------------------

_ROWS: Dict[str, type] = {"spans": Span, "instants": Instant, "samples": Sample, "tracks": Track,
                          "operators": Operator, "types": OperatorType, "top": TopRow, "overview": Metric}
_Words = Union[None, str, Sequence[str]]


class Profile:
    """A profile that was read. Any number of threads may use it, one after the other."""

    def __init__(self, path: Union[str, "os.PathLike[str]"], torq_slices: int = 0, torq_clock_hz: int = 0) -> None:
        self.path = os.fspath(path)
        self._handle: Optional[ctypes.c_void_p] = None
        self._lock = threading.RLock()
        self._free = _library().opscope_profile_free
        handle = ctypes.c_void_p()
        options = _ReadOptions(torq_slices, 0, torq_clock_hz)
        _call("opscope_profile_open_sized", os.fsencode(self.path), ctypes.byref(options), ctypes.sizeof(options),
              ctypes.byref(handle))
        self._handle = handle

    def close(self) -> None:
        """Gives its memory back. Tables that it gave stay."""
        with self._lock:
            handle, self._handle = self._handle, None
            if handle is not None:
                self._free(handle)

    def __del__(self) -> None:
        if getattr(self, "_handle", None) is not None:
            self.close()

    def __enter__(self) -> "Profile":
        return self

    def __exit__(self, *exception: Any) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<opscope.Profile {self.path!r}{'' if self._handle is not None else ', closed'}>"

    def _open(self) -> ctypes.c_void_p:
        if self._handle is None:
            raise ValueError(f"{self.path}: the profile is closed")
        return self._handle

    def table(self, name: str, *, columns: _Words = None, arguments: _Words = None, by: Optional[str] = None,
              filter: Optional[str] = None, from_ns: Optional[int] = None,  # pylint: disable=redefined-builtin
              to_ns: Optional[int] = None, step: Optional[int] = None,
              all: bool = False) -> "Table[Any]":  # pylint: disable=redefined-builtin
        """One of the library's tables, by its name; the methods below are this with the options that count."""
        for what, number in (("from_ns", from_ns), ("to_ns", to_ns), ("step", step)):
            if number is not None and not 0 <= number <= _UNKNOWN:
                raise ValueError(f"{what}={number}: 0 to 2**64 - 1")
        if to_ns == 0:
            raise ValueError("to_ns=0: nothing is before it")
        options = _TableOptions(_words(columns), _words(arguments), _encode(by), _encode(filter), from_ns or 0,
                                to_ns or 0, step or 0, step is not None, all)
        handle = ctypes.c_void_p()
        with self._lock:
            _call("opscope_profile_table_sized", self._open(), _encode(name), ctypes.byref(options),
                  ctypes.sizeof(options), ctypes.byref(handle))
        return Table(_library(), handle, _ROWS.get(name))

    def spans(self, *, columns: _Words = None, arguments: _Words = None, filter: Optional[str] = None,
              from_ns: Optional[int] = None, to_ns: Optional[int] = None) -> "Table[Span]":
        """All spans, track by track, each track's in order of their start. `filter` is of names: what has it,
        or with *, what is it; `from_ns` and `to_ns` are on the axis of start_ns. `arguments` adds a column
        args.KEY for each of these values that the trace has of a span ("stream", "correlation")."""
        return self.table("spans", columns=columns, arguments=arguments, filter=filter, from_ns=from_ns, to_ns=to_ns)

    def instants(self, *, columns: _Words = None, arguments: _Words = None, filter: Optional[str] = None,
                 from_ns: Optional[int] = None, to_ns: Optional[int] = None) -> "Table[Instant]":
        """What happened without taking time; as for spans."""
        return self.table("instants", columns=columns, arguments=arguments, filter=filter, from_ns=from_ns,
                          to_ns=to_ns)

    def samples(self, *, columns: _Words = None) -> "Table[Sample]":
        """The samples of all counters."""
        return self.table("samples", columns=columns)

    def tracks(self, *, columns: _Words = None) -> "Table[Track]":
        """Processes, groups, lanes and counters, with their part of the ledger."""
        return self.table("tracks", columns=columns)

    def operators(self, by: str = "operator", *, columns: _Words = None) -> "Table[Any]":
        """How long operators took, one by one (rows are Operator) or, with by="type", those of one type
        together (OperatorType); the slowest first. As `opscope operators`."""
        if by not in ("operator", "type"):
            raise ValueError(f"by={by!r}: operator or type")
        return self.table("operators" if by == "operator" else "types", columns=columns)

    def top(self, by: str = "name", *, filter: Optional[str] = None, step: Optional[int] = None,
            from_ns: Optional[int] = None, to_ns: Optional[int] = None, columns: _Words = None) -> "Table[TopRow]":
        """What takes the time: spans by name, category, track, engine, role, operator, shape, step, module or
        path. Every nanosecond of a lane is in the self_ns of one row. As `opscope top`."""
        return self.table("top", by=by, filter=filter, step=step, from_ns=from_ns, to_ns=to_ns, columns=columns)

    def overview(self, *, all: bool = False, columns: _Words = None) -> "Table[Metric]":
        """Where the time went, as `opscope overview`; with `all` also the figures that it does not show."""
        return self.table("overview", all=all, columns=columns)

    def sql(self, query: str) -> "Table[Any]":
        """What a SELECT gives, over the tables and views of docs/sql.md; NULL is None, a blob bytes."""
        asked, handle = ctypes.c_void_p(), ctypes.c_void_p()
        with self._lock:
            _call("opscope_query_open", self._open(), _encode(query), ctypes.byref(asked))
            try:
                _call("opscope_query_table", asked, ctypes.byref(handle))
            finally:
                _library().opscope_query_free(asked)
        return Table(_library(), handle)

    @property
    def ledger(self) -> Ledger:
        """The account of the data: what is here, and what is missing and why."""
        library, sums, notes = _library(), _Ledger(), []
        with self._lock:
            handle = self._open()
            library.opscope_profile_get_ledger_sized(handle, _ALL_TRACKS, ctypes.byref(sums), ctypes.sizeof(sums))
            for index in range(library.opscope_profile_note_count(handle)):
                note = _Note()
                library.opscope_profile_get_note_sized(handle, index, ctypes.byref(note), ctypes.sizeof(note))
                kind = _NOTES[note.kind] if note.kind < len(_NOTES) else str(note.kind)
                notes.append(Note(kind, note.count, _decode(note.text)))
        return Ledger(None if sums.expected == _UNKNOWN else sums.expected, sums.recorded, sums.lost, sums.impossible,
                      sums.not_carried, notes)

    @property
    def facts(self) -> Dict[str, str]:
        """What the profile says of itself: its format, its source ..."""
        library = _library()
        with self._lock:
            handle = self._open()
            return {_decode(library.opscope_profile_fact_key(handle, index)):
                    _decode(library.opscope_profile_fact_text(handle, index))
                    for index in range(library.opscope_profile_fact_count(handle))}

    def write(self, path: Union[str, "os.PathLike[str]"], format: Optional[str] = None) -> None:
        """Writes it in the format that the extension says (.pb, .json, .csv, .prof ..., with .gz or .zst after
        it), or in the one that is named. What that has no place for is in the ledger afterwards."""
        with self._lock:
            _call("opscope_profile_write", self._open(), os.fsencode(path), _encode(format))


def open(path: Union[str, "os.PathLike[str]"], *, torq_slices: int = 0,  # pylint: disable=redefined-builtin
         torq_clock_hz: int = 0) -> Profile:
    """Reads a profile of any format, by its content, packed (.gz, .zst) or not. What is no profile, or cannot
    be read, raises ProfileError; rows that could not be read are in the profile's ledger."""
    return Profile(path, torq_slices, torq_clock_hz)


def convert(source: Union[str, "os.PathLike[str]"], destination: Union[str, "os.PathLike[str]"],
            format: Optional[str] = None) -> str:  # pylint: disable=redefined-builtin
    """From one format to another, as `opscope convert`: memory does not grow with the number of events. The
    ledger in words where something was lost; "" when nothing was."""
    code, said = _call("opscope_convert", os.fsencode(source), os.fsencode(destination), _encode(format))
    return said if code == _LOSS else ""
