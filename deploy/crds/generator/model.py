"""The expanded sources: structural schemas and their resources."""

import dataclasses
from typing import Any


class SourceError(Exception):
    """An invalid source; the text names the file and the field."""


@dataclasses.dataclass(frozen=True)
class Rule:
    """One entry of x-kubernetes-validations, and the equivalent C++ function."""

    name: str  # in words with hyphens: claim-creation is CelRule::kClaimCreation
    rule: str
    message: str
    field: str = ""  # the field that it concerns, such as .spec.identity; empty: its own
    optional_old: bool = False  # optionalOldSelf: evaluated without an old value, too


@dataclasses.dataclass(frozen=True)
class Schema:
    """One node of a structural schema. A type that is used twice is the same object twice, except for
    its description."""

    type: str  # object, array, string, integer, number, boolean, int-or-string or any
    name: str = ""  # of the type, as Service or core/v1.Container; empty without one
    description: str = ""
    format: str = ""
    nullable: bool = False
    default: Any = None  # None if there is no default
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
    """A column of `kubectl get`."""

    name: str
    type: str
    path: str


@dataclasses.dataclass(frozen=True)
class Api:
    """One version of the API of a generation of operators, and the folder of its sources."""

    generation: str  # first, later
    version: str
    folder: str  # its types replace those of the folders around it


FIRST = Api("first", "v1alpha1", "")
GENERATIONS = ("first", "later")
# The later generation stores its last version.
APIS = (FIRST, Api("later", "v1alpha1", "later/v1alpha1"), Api("later", "v1beta1", "later/v1beta1"))


@dataclasses.dataclass(frozen=True)
class Resource:
    """One version of a custom resource definition."""

    api: Api
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
