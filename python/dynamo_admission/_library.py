"""The C ABI through ctypes. dynamo_admission.h documents the semantics."""

import ctypes
import math
import operator
import pathlib
import reprlib

ABI_VERSION = 1
PARTS = ("field", "reason", "message", "detail", "rule")
GENERATIONS = (None, "first", "later")
KNOWN = ("inference_pool_served", "grove_served", "leader_worker_set_served", "kai_scheduler_served",
         "kubernetes_discovery")
OK = 0
INVALID_ARGUMENT = 1
SCHEMA = 1
SCHEMA_STRICT = 2


class Error(Exception):
    """Why there is no verdict: `status` is a number of the C header, `name` its name."""

    def __init__(self, status, text):
        self.status = status
        self.name = _c.dynamo_admission_status_name(status).decode()
        self.text = text
        super().__init__(f"{self.name}: {text}")


class _Text(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("length", ctypes.c_size_t)]


class _Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int32), ("message", ctypes.c_char * 1020)]


class _Facts(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("now", ctypes.c_int64)] + [
        (name, ctypes.c_int32)
        for name in (*KNOWN, "operator_generation", "kubernetes_minor", "reserved")
    ]


class _Request(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t)] + [
        (name, _Text)
        for name in ("operation", "object", "old_object", "user", "namespace_name", "name", "sub_resource")
    ] + [("dry_run", ctypes.c_int32), ("with_schema", ctypes.c_int32)]


def _load():
    library = ctypes.CDLL(str(pathlib.Path(__file__).with_name("libdynamo_admission.so.0")))
    handle, text, size, status = ctypes.c_void_p, _Text, ctypes.c_size_t, ctypes.c_int32
    pointer = ctypes.POINTER
    signatures = {
        "abi_version": (ctypes.c_uint32,),
        "version": (ctypes.c_char_p,),
        "status_name": (ctypes.c_char_p, status),
        "evaluator_create": (status, text, text, pointer(handle), pointer(_Error)),
        "evaluator_free": (None, handle),
        "decision_create": (status, pointer(handle)),
        "decision_free": (None, handle),
        "evaluate": (status, handle, pointer(_Request), pointer(_Facts), handle),
        "review": (status, handle, text, text, pointer(_Facts), handle),
        "convert": (status, text, text, handle),
        "decision_allowed": (ctypes.c_int32, handle),
        "decision_http_status": (ctypes.c_int32, handle),
    }
    for name in ("error", "exemption", "message", "patch", "stored", "answer", "converted"):
        signatures[f"decision_{name}"] = (text, handle)
    for name in ("cause", "warning"):
        signatures[f"decision_{name}"] = (text, handle, size, ctypes.c_int32)
        signatures[f"decision_{name}_count"] = (size, handle)
        signatures[f"decision_{name}s_omitted"] = (size, handle)
    for name, (result, *arguments) in signatures.items():
        function = getattr(library, f"dynamo_admission_{name}")
        function.restype = result
        function.argtypes = arguments
    return library


_c = _load()


def abi_version():
    """The version of the library's C ABI."""
    return _c.dynamo_admission_abi_version()


def version():
    """The version of the library, such as "0.1.0"."""
    return _c.dynamo_admission_version().decode()


if abi_version() != ABI_VERSION:
    raise ImportError(f"the library has ABI version {abi_version()}, this package needs {ABI_VERSION}")


def _lend(data):
    """The bytes as a C text; the caller keeps `data` alive during the call."""
    if data is None:
        return _Text(None, 0)
    data = bytes(data)
    lent = _Text(ctypes.cast(ctypes.c_char_p(data), ctypes.c_void_p).value, len(data))
    lent.keep = data
    return lent


def _copy(text):
    return ctypes.string_at(text.data, text.length)


def invalid(text):
    """An Error about an argument."""
    return Error(INVALID_ARGUMENT, text)


def _known(name, value):
    if value is None:
        return 0
    if not isinstance(value, int) or value not in (0, 1):
        raise invalid(f"facts: {name} must be True, False or None; found {reprlib.repr(value)}")
    return 1 + int(value)


def _number(name, value, bits):
    # Accepts the result of time.time(): drops the fraction.
    if name == "now" and isinstance(value, float) and math.isfinite(value):
        value = math.floor(value)
    try:
        number = operator.index(value)
    except TypeError:
        number = None
    if number is None or not -(1 << bits - 1) <= number < 1 << bits - 1:
        raise invalid(f"facts: {name} must be a whole number of {bits} bits; found {reprlib.repr(value)}")
    return number


def _generation(value):
    if not (value is None or isinstance(value, str)) or value not in GENERATIONS:
        raise invalid(
            f'facts: operator_generation must be "first", "later" or None; found '
            f'{reprlib.repr(value)}')
    return GENERATIONS.index(value)


def _facts(facts):
    return _Facts(
        ctypes.sizeof(_Facts), _number("now", facts.now, 64),
        *(_known(name, getattr(facts, name)) for name in KNOWN),
        _generation(facts.operator_generation),
        _number("kubernetes_minor", facts.kubernetes_minor, 32),
    )


class _Decision:
    """A decision of the library for use in a `with` statement."""

    def __enter__(self):
        self.handle = ctypes.c_void_p()
        status = _c.dynamo_admission_decision_create(ctypes.byref(self.handle))
        if status != OK:
            raise Error(status, "no decision")
        return self

    def __exit__(self, *_):
        _c.dynamo_admission_decision_free(self.handle)

    def bytes(self, name):
        return _copy(getattr(_c, f"dynamo_admission_decision_{name}")(self.handle))

    def text(self, name):
        return self.bytes(name).decode()

    def number(self, name):
        return getattr(_c, f"dynamo_admission_decision_{name}")(self.handle)

    def findings(self, what):
        """A dict of parts for each cause or warning, and the number of omitted ones."""
        part_of = getattr(_c, f"dynamo_admission_decision_{what}")
        found = [
            {part: _copy(part_of(self.handle, index, number)).decode()
             for number, part in enumerate(PARTS)}
            for index in range(self.number(f"{what}_count"))
        ]
        return found, self.number(f"{what}s_omitted")


def convert(object, api_version):
    """The converted object."""
    with _Decision() as decision:
        status = _c.dynamo_admission_convert(_lend(object), _lend(api_version), decision.handle)
        if status != OK:
            raise Error(status, decision.text("error"))
        return decision.text("converted")


class Evaluator:
    """An evaluator of the library, freed with this object."""

    def __init__(self, settings, policy):
        self._handle = ctypes.c_void_p()
        error = _Error()
        status = _c.dynamo_admission_evaluator_create(
            _lend(settings), _lend(policy), ctypes.byref(self._handle), ctypes.byref(error))
        if status != OK:
            raise Error(status, error.message.decode())

    def __del__(self, free=_c.dynamo_admission_evaluator_free):
        free(self._handle)

    def evaluate(self, texts, dry_run, schema, facts, read):
        """The result of `read` for the decision."""
        lent = [_lend(text) for text in texts]
        request = _Request(ctypes.sizeof(_Request), *lent, int(bool(dry_run)), schema)
        with _Decision() as decision:
            status = _c.dynamo_admission_evaluate(
                self._handle, ctypes.byref(request), ctypes.byref(_facts(facts)), decision.handle)
            if status != OK:
                raise Error(status, decision.text("error"))
            return read(decision)

    def review(self, path, review, facts):
        """HTTP status and body."""
        with _Decision() as decision:
            status = _c.dynamo_admission_review(
                self._handle, _lend(path), _lend(review), ctypes.byref(_facts(facts)),
                decision.handle)
            if decision.number("http_status") == 0:
                raise Error(status, decision.text("error"))
            return decision.number("http_status"), decision.bytes("answer")
