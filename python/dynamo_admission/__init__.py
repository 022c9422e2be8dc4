"""The verdict of the Dynamo admission webhook, without a server.

    evaluator = Evaluator(policy=open("policy.yaml").read())
    decision = evaluator.evaluate("CREATE", manifest, user="jane")
    for cause in decision.causes:
        print(cause.field, cause.message)

Objects are JSON texts, or the results of json.loads(). Many threads may use one Evaluator, which
releases the interpreter lock while it evaluates.
"""

import dataclasses
import json
import typing

from . import _library
from ._library import Error, abi_version, version

__all__ = [
    "Answer", "Cause", "Decision", "Error", "Evaluator", "Facts", "Warning", "abi_version", "convert", "version",
]


@dataclasses.dataclass(frozen=True)
class Facts:
    """Known facts about the cluster. Unset facts are unknown, so that rules warn instead of deny."""

    now: float = 0  # seconds since 1970, UTC; 0: unknown, no exemption of a policy applies
    inference_pool_served: typing.Optional[bool] = None
    grove_served: typing.Optional[bool] = None
    leader_worker_set_served: typing.Optional[bool] = None
    kai_scheduler_served: typing.Optional[bool] = None
    kubernetes_discovery: typing.Optional[bool] = None
    operator_generation: typing.Optional[str] = None  # "first" or "later"
    kubernetes_minor: int = 0  # 35 for v1.35


@dataclasses.dataclass(frozen=True)
class Cause:
    """A reason for a denial."""

    field: str
    reason: str
    message: str
    detail: str
    rule: str


@dataclasses.dataclass(frozen=True)
class Warning:
    """A finding that does not deny."""

    field: str
    message: str
    detail: str
    rule: str


@dataclasses.dataclass(frozen=True)
class Decision:
    """The verdict on one object."""

    allowed: bool
    exemption: str  # "none", or why the request was allowed without validation
    message: str  # the complete denial
    patch: str  # the defaults as a JSON patch, or ""
    stored: str  # with the schema: the object as it would be stored, as JSON; otherwise ""
    causes: typing.Tuple[Cause, ...]
    warnings: typing.Tuple[Warning, ...]
    causes_omitted: int
    warnings_omitted: int


@dataclasses.dataclass(frozen=True)
class Answer:
    """The webhook's response to a complete review."""

    http_status: int
    body: bytes


class Evaluator:
    """Settings and policy; immutable."""

    def __init__(self, settings=None, policy=None):
        """Settings is YAML or a dict, policy the text of a policy file. Raises Error."""
        if isinstance(settings, dict):
            settings = _dumped(settings)
        self._handle = _library.Evaluator(_encoded(settings), _encoded(policy))

    def evaluate(self, operation, object=None, old=None, *, user=None, namespace=None, name=None,
                 sub_resource=None, dry_run=False, with_schema=False, strict=False, facts=Facts()):
        """Sets the object's defaults, then validates the result. Raises Error.

        With the schema: validates against the custom resource's schema first, as an API server
        does; use it for objects that no API server has processed. `stored` is then the object that
        it would store. Unknown and duplicate fields warn, or deny if `strict`, as with kubectl.
        """
        schema = (_library.SCHEMA_STRICT if strict else _library.SCHEMA) if with_schema else 0
        return self._handle.evaluate(
            (_encoded(operation), _json(object), _json(old), _encoded(user), _encoded(namespace),
             _encoded(name), _encoded(sub_resource)), dry_run, schema, facts, _read)

    def review(self, path, review, *, facts=Facts()):
        """Answers a complete AdmissionReview, valid or not, as the webhook does on that path."""
        return Answer(*self._handle.review(_encoded(path), _json(review), facts))


def convert(object, api_version):
    """The object as JSON text in "nvidia.com/v1alpha1" or "nvidia.com/v1beta1". Raises Error."""
    return _library.convert(_json(object), _encoded(api_version))


def _encoded(text):
    if text is None or isinstance(text, (bytes, bytearray)):
        return text
    if not isinstance(text, str):
        raise _library.invalid(f"must be a string; found {type(text).__name__}")
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        raise _library.invalid(f"must be a string that UTF-8 can hold: {error}") from None


def _json(value):
    if value is None or isinstance(value, (str, bytes, bytearray)):
        return _encoded(value)
    return _encoded(_dumped(value))


def _dumped(value):
    try:
        return json.dumps(value)
    except (TypeError, ValueError, RecursionError) as error:
        raise _library.invalid(f"must be a JSON text or what JSON can hold: {error}") from None


def _read(decision):
    causes, causes_omitted = decision.findings("cause")
    warnings, warnings_omitted = decision.findings("warning")
    return Decision(
        allowed=decision.number("allowed") != 0,
        exemption=decision.text("exemption"),
        message=decision.text("message"),
        patch=decision.text("patch"),
        stored=decision.text("stored"),
        causes=tuple(Cause(**parts) for parts in causes),
        warnings=tuple(
            Warning(**{name: part for name, part in parts.items() if name != "reason"})
            for parts in warnings
        ),
        causes_omitted=causes_omitted,
        warnings_omitted=warnings_omitted,
    )
