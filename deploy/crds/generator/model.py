"""What the sources say, expanded: structural schemas and the resources that have them."""

import dataclasses
from typing import Any


class SourceError(Exception):
    """A source is wrong; the text names the file and the field."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """One entry of x-kubernetes-validations, and the C++ function that does the same."""

    name: str  # in words with hyphens: claim-creation is CelRule::kClaimCreation
    rule: str
    message: str
    field: str = ""  # what it is about, as .spec.identity; empty: where the rule stands


@dataclasses.dataclass(frozen=True)
class Schema:
    """One node of a structural schema. A type that is used twice is the same object twice, but for
    its description."""

    type: str  # object, array, string, integer, number, boolean or int-or-string
    name: str = ""  # of the type, as Service or core/v1.Container; empty for what has none
    description: str = ""
    format: str = ""
    nullable: bool = False
    default: Any = None  # None: no default
    enum: tuple[str, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    min_length: int | None = None
    max_length: int | None = None
    min_items: int | None = None
    max_items: int | None = None
    max_properties: int | None = None
    pattern: str = ""
    properties: dict[str, "Schema"] = dataclasses.field(default_factory=dict)
    required: tuple[str, ...] = ()
    each: "Schema | None" = None  # the elements of an array, the values of a map
    list_type: str = ""  # atomic, set, map
    list_keys: tuple[str, ...] = ()
    map_type: str = ""  # atomic
    preserve_unknown: bool = False
    embedded_resource: bool = False
    rules: tuple[Rule, ...] = ()


@dataclasses.dataclass(frozen=True)
class Column:
    """What `kubectl get` shows of a resource."""

    name: str
    type: str
    path: str


@dataclasses.dataclass(frozen=True)
class Resource:
    """One custom resource definition."""

    kind: str
    plural: str
    short_name: str
    annotations: dict[str, str]
    columns: tuple[Column, ...]
    has_status: bool
    scale: dict[str, str]  # the three paths of the scale subresource; empty without one
    schema: Schema  # without the fields that all objects have: apiVersion, kind, metadata

    @property
    def singular(self) -> str:
        return self.kind.lower()

    @property
    def list_kind(self) -> str:
        return self.kind + "List"
