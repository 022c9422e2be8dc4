"""Reads the sources. README.md in the parent folder describes their format."""

import dataclasses
import json
import re
from pathlib import Path
from typing import Any, Iterator

import yaml

from .model import APIS, FIRST, Api, Column, Resource, Rule, Schema, SourceError

# Types that have no fields.
SCALARS = {
    "string": Schema("string"),
    "boolean": Schema("boolean"),
    "integer": Schema("integer"),
    "int32": Schema("integer", format="int32"),
    "int64": Schema("integer", format="int64"),
    "number": Schema("number"),
    "time": Schema("string", format="date-time"),
    "int-or-string": Schema("int-or-string"),
    "quantity": Schema(
        "int-or-string",
        pattern=r"^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|"
                r"([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$"),
    "any object": Schema("object", preserve_unknown=True),
    "any value": Schema("any", preserve_unknown=True),
}

# Keys of a field in the long form, and their names in Schema.
CONSTRAINTS = {
    "enum": "enum", "default": "default", "minimum": "minimum", "maximum": "maximum",
    "minLength": "min_length", "maxLength": "max_length", "minItems": "min_items",
    "maxItems": "max_items", "maxProperties": "max_properties", "pattern": "pattern",
    "mapType": "map_type", "preserveUnknown": "preserve_unknown",
    "embeddedResource": "embedded_resource",
}
FIELD_KEYS = {"type", "description", "fields"} | set(CONSTRAINTS)
TYPE_KEYS = {"description", "inline", "optional", "replaces", "fields", "rules", "mapType", "preserveUnknown"}
PLAIN_TYPE_KEYS = {"type", "rules"} | set(CONSTRAINTS)  # of a type without fields of its own
RESOURCE_KEYS = {"kind", "plural", "shortName", "annotations", "columns", "status", "scale",
                 "description", "spec", "rules", "types"}
RULE_KEYS = {"name", "rule", "message"}
OPTIONAL_RULE_KEYS = {"field", "optionalOldSelf"}
SCALE_KEYS = {"specReplicasPath", "statusReplicasPath", "labelSelectorPath"}
# The types that each constraint applies to.
ONLY_ON = {
    "enum": {"string"}, "min_length": {"string"}, "max_length": {"string"},
    "pattern": {"string", "int-or-string"}, "minimum": {"integer", "number"},
    "maximum": {"integer", "number"}, "min_items": {"array"}, "max_items": {"array"},
    "max_properties": {"object"}, "map_type": {"object"}, "preserve_unknown": {"object"},
    "embedded_resource": {"object"},
}
PYTHON_TYPES = {"string": str, "integer": int, "number": (int, float), "boolean": bool,
                "object": dict, "array": list, "int-or-string": (int, str)}
MAX_PROPERTIES = 64  # of one object: the C++ code marks the present ones in one machine word

SHORT = re.compile(r"(?P<type>.*?)(?: = (?P<default>\S+))?(?: -- (?P<description>.*))?", re.DOTALL)
# Those that have types of their own; a file belongs to the innermost.
FOLDERS = ("", "later", *(api.folder for api in APIS[1:]))
LIST = re.compile(r"(?P<type>atomic list|list|set) of (?P<each>.+?)(?: by (?P<keys>[\w, ]+))?")


class UniqueKeyLoader(yaml.SafeLoader):
    """YAML in which a key may occur only once."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set()
        for key_node, _ in node.value:
            key = self.construct_object(key_node, deep=True)
            if key in seen:
                raise SourceError(f"line {key_node.start_mark.line + 1}: {key} is a duplicate key")
            seen.add(key)
        return super().construct_mapping(node, deep)


def read(directory: Path) -> tuple[list[Resource], Schema]:
    """The resources by API and kind, and the schema of their metadata.

    Throws SourceError."""
    paths = sorted(directory.rglob("*.yaml"))
    if not paths:
        raise SourceError(f"{directory}: no source, no *.yaml, is here")
    files = [File(path, directory) for path in paths]
    resources: list[Resource] = []
    all_sources = []
    for api in APIS:
        sources = Sources(api, files)
        resources += sorted((resource for file in files if file.folder == api.folder
                             for resource in sources.resources(file)),
                            key=lambda resource: resource.kind)
        all_sources.append(sources)
    metadata = all_sources[0].named("meta/v1.ObjectMeta", Place(files[0], "metadata"))
    check_all_are_used(all_sources)
    return resources, metadata


class File:
    """One source, not resolved."""

    def __init__(self, path: Path, directory: Path) -> None:
        self.name = path.relative_to(directory).as_posix()
        self.folder = max((folder for folder in FOLDERS if is_within(self.name, folder)), key=len)
        try:
            content = yaml.load(path.read_text(encoding="utf-8"), UniqueKeyLoader)
        except (yaml.YAMLError, SourceError) as error:
            raise SourceError(f"{self.name}: {error}") from None
        if not isinstance(content, dict):
            raise SourceError(f"{self.name}: must be a mapping")
        self.content = content
        self.group = content.get("group", "")


@dataclasses.dataclass(frozen=True)
class Place:
    """A position in the sources, for errors and for names without a group."""

    file: File
    path: str

    def at(self, name: str) -> "Place":
        return Place(self.file, f"{self.path}.{name}" if self.path else name)

    def wrong(self, text: str) -> SourceError:
        return SourceError(f"{self.file.name}: {self.path}: {text}")


class Sources:
    """All sources of one API together; resolves references."""

    def __init__(self, api: Api, files: list[File]) -> None:
        self.api = api
        # By name; the last one counts, and replaces those before it.
        self.definitions: dict[str, list[tuple[Place, dict[str, Any]]]] = {}
        self.used: set[Place] = set()
        self._resolved: dict[str, Schema] = {}
        self._resolving: list[str] = []
        for file in sorted(files, key=lambda file: len(file.folder)):
            if is_within(api.folder, file.folder):
                self._define(file)

    def _define(self, file: File) -> None:
        top = Place(file, "")
        if "kind" not in file.content:
            check_keys(file.content, {"group", "types"}, top)
        for name, content in mapping(file.content, "types", top).items():
            place = top.at("types").at(name)
            full = f"{file.group}.{name}" if file.group else name
            known = self.definitions.setdefault(full, [])
            if full in SCALARS or any(other.file.folder == file.folder for other, _ in known):
                raise place.wrong(f"there is another type {full}")
            known.append((place, content))

    def resources(self, file: File) -> Iterator[Resource]:
        content = file.content
        if "kind" not in content:
            return
        top = Place(file, "")
        check_keys(content, RESOURCE_KEYS, top)
        for key in ("kind", "plural", "shortName", "description", "spec"):
            if not isinstance(content.get(key), str):
                raise top.at(key).wrong("must be here, a text")
        properties = {"spec": self.field(content["spec"], top.at("spec"))}
        if "status" in content:
            properties["status"] = self.field(content["status"], top.at("status"))
        for name, each in properties.items():
            if each.type != "object":
                raise top.at(name).wrong("must be an object")
        columns = [Column(**each) for each in content.get("columns", [])]
        scale = mapping(content, "scale", top)
        if scale and set(scale) != SCALE_KEYS:
            raise top.at("scale").wrong(f"must have {', '.join(sorted(SCALE_KEYS))}")
        # The later operator's definitions accept an object without a spec, so one may be stored.
        schema = Schema("object", name=content["kind"], description=content["description"].strip(),
                        properties=properties, required=("spec",) if self.api == FIRST else ())
        yield Resource(
            api=self.api, kind=content["kind"], plural=content["plural"], short_name=content["shortName"],
            annotations=mapping(content, "annotations", top), columns=tuple(columns),
            has_status="status" in content, scale=scale,
            schema=dataclasses.replace(schema, rules=rules(content, schema, top)))

    def named(self, full: str, user: Place) -> Schema:
        """The type of that name, group included; the same object each time."""
        if full in self._resolved:
            return self._resolved[full]
        if full not in self.definitions:
            raise user.wrong(f"there is no type {full}")
        if full in self._resolving:
            raise user.wrong(f"{full} contains itself: {' > '.join(self._resolving)}")
        place, content = self.definitions[full][-1]
        self._resolving.append(full)
        self._resolved[full] = self.defined(full, content, place)
        self._resolving.pop()
        return self._resolved[full]

    def defined(self, full: str, content: dict[str, Any], place: Place) -> Schema:
        self.used.add(place)
        if "type" not in content:
            return self.object(full, content, place)
        check_keys(content, PLAIN_TYPE_KEYS, place)
        schema = dataclasses.replace(self.type(content["type"], place), name=full, description="")
        schema = self.constrain(schema, content, place)
        return dataclasses.replace(schema, rules=rules(content, schema, place))

    def inlined(self, full: str, content: dict[str, Any], place: Place) -> Schema:
        """The type whose fields a type copies. Its own name is the type that it replaces."""
        text, at = content["inline"], place.at("inline")
        if qualified(text, place) != full:
            return self.type(text, at)
        versions = self.definitions[full]
        index = next(i for i, (each, _) in enumerate(versions) if each == place)
        if index == 0:
            raise at.wrong(f"no folder around this one has a type {full}")
        base_place, base_content = versions[index - 1]
        return self.defined(full, base_content, base_place)

    def object(self, full: str, content: dict[str, Any], place: Place) -> Schema:
        check_keys(content, TYPE_KEYS, place)
        properties: dict[str, Schema] = {}
        required: list[str] = []
        base = Schema("object")
        if "inline" in content:
            base = self.inlined(full, content, place)
            if base.type != "object":
                raise place.at("inline").wrong("must be an object")
            properties.update(base.properties)
            optional, replaces = content.get("optional", []), content.get("replaces", [])
            for name in optional:
                if name not in base.required:
                    raise place.at("optional").wrong(f"{name} is not required in {base.name}")
            for name in replaces:
                if properties.pop(name, None) is None:
                    raise place.at("replaces").wrong(f"{name} is no field of {base.name}")
            required += [name for name in base.required if name not in (*optional, *replaces)]
        own, own_required = self.fields(mapping(content, "fields", place), place.at("fields"))
        for name in own:
            if name in properties:
                raise place.at("fields").at(name).wrong("the inlined type has a field of this name")
        properties.update(own)
        if len(properties) > MAX_PROPERTIES:
            raise place.wrong(f"has {len(properties)} fields; at most {MAX_PROPERTIES} work")
        schema = Schema("object", name=full, description=content.get("description", base.description).strip(),
                        properties=dict(sorted(properties.items())),
                        required=tuple(sorted(required + own_required)))
        schema = dataclasses.replace(schema, rules=base.rules + rules(content, schema, place))
        return self.constrain(schema, content, place)

    def fields(self, content: dict[str, Any], place: Place) -> tuple[dict[str, Schema], list[str]]:
        """The fields by name, and the names of those that end in an exclamation mark."""
        properties: dict[str, Schema] = {}
        required = []
        for marked, field in content.items():
            name = marked.removesuffix("!")
            if name in properties:
                raise place.at(name).wrong("is a duplicate key")
            if name != marked:
                required.append(name)
            properties[name] = self.field(field, place.at(name))
            if not properties[name].description:
                raise place.at(name).wrong("must have a description: kubectl explain shows it")
        return properties, required

    def field(self, content: Any, place: Place) -> Schema:
        if isinstance(content, str):
            return self.short(content, place)
        if not isinstance(content, dict):
            raise place.wrong("must be a text, as 'TYPE -- description', or a mapping")
        check_keys(content, FIELD_KEYS, place)
        if ("type" in content) == ("fields" in content):
            raise place.wrong("must have either a type or fields")
        if "fields" in content:
            schema = self.object("", {"fields": content["fields"]}, place)
        else:
            schema = self.type(content["type"], place)
        if "description" in content:
            schema = dataclasses.replace(schema, description=content["description"].strip())
        return self.constrain(schema, content, place)

    def short(self, text: str, place: Place) -> Schema:
        """TYPE, TYPE = DEFAULT, TYPE -- description, TYPE = DEFAULT -- description."""
        match = SHORT.fullmatch(text)
        assert match is not None
        schema = self.type(match["type"], place)
        if match["description"]:
            schema = dataclasses.replace(schema, description=match["description"].strip())
        if match["default"]:
            try:
                default = json.loads(match["default"])
            except ValueError:
                raise place.wrong(f"the default {match['default']} must be JSON") from None
            schema = self.constrain(schema, {"default": default}, place)
        return schema

    def type(self, text: str, place: Place) -> Schema:
        """A scalar, a type's name, or a list, set or map of one, optionally followed by ` or null`."""
        if text.endswith(" or null"):
            inner = self.type(text.removesuffix(" or null"), place)
            return dataclasses.replace(inner, nullable=True)
        if text in SCALARS:
            return SCALARS[text]
        if text.startswith("map of "):
            each = self.type(text.removeprefix("map of "), place)
            return Schema("object", each=each)
        if match := LIST.fullmatch(text):
            return self.list(match, place)
        return self.named(qualified(text, place), place)

    def list(self, match: re.Match[str], place: Place) -> Schema:
        each = self.type(match["each"], place)
        list_type = {"list": "", "atomic list": "atomic", "set": "set"}[match["type"]]
        if not match["keys"]:
            return Schema("array", each=each, list_type=list_type)
        keys = tuple(match["keys"].split(", "))
        if list_type:
            raise place.wrong("only a plain list has keys")
        for key in keys:
            if key not in each.properties or (key not in each.required and
                                              each.properties[key].default is None):
                raise place.wrong(f"the key {key} must be a field that is required or has a default")
        return Schema("array", each=each, list_type="map", list_keys=keys)

    def constrain(self, schema: Schema, content: dict[str, Any], place: Place) -> Schema:
        changes = {}
        for key, member in CONSTRAINTS.items():
            if key not in content:
                continue
            if schema.type not in ONLY_ON.get(member, {schema.type}):
                raise place.wrong(f"{key} does not go with the type {schema.type}")
            value = content[key]
            changes[member] = tuple(value) if isinstance(value, list) and member == "enum" else value
        if not changes:
            return schema
        schema = dataclasses.replace(schema, **changes)
        check_constraints(schema, place)
        return schema


def check_constraints(schema: Schema, place: Place) -> None:
    for low, high in ((schema.minimum, schema.maximum), (schema.min_length, schema.max_length),
                      (schema.min_items, schema.max_items)):
        if low is not None and high is not None and low > high:
            raise place.wrong(f"the lower bound {low} is above the upper bound {high}")
    if not all(isinstance(value, str) for value in schema.enum):
        raise place.wrong("enum must be a list of texts")
    if len(set(schema.enum)) != len(schema.enum):
        raise place.wrong("enum names a value twice")
    if schema.pattern:
        try:
            re.compile(schema.pattern)
        except re.error as error:
            raise place.wrong(f"pattern: {error}") from None
    if schema.default is None:
        return
    if not isinstance(schema.default, PYTHON_TYPES[schema.type]) or (
            isinstance(schema.default, bool) and schema.type != "boolean"):
        raise place.wrong(f"the default {json.dumps(schema.default)} is no {schema.type}")
    if schema.enum and schema.default not in schema.enum:
        raise place.wrong(f"the default {schema.default} is not in the enum")
    if schema.minimum is not None and schema.default < schema.minimum:
        raise place.wrong(f"the default {schema.default} is below the minimum")


def rules(content: dict[str, Any], schema: Schema, place: Place) -> tuple[Rule, ...]:
    found = []
    for each in content.get("rules", []):
        if not isinstance(each, dict) or set(each) - OPTIONAL_RULE_KEYS != RULE_KEYS:
            raise place.at("rules").wrong(f"each must have {', '.join(sorted(RULE_KEYS))}")
        rule = Rule(**{key: text.strip() for key, text in each.items() if key != "optionalOldSelf"},
                    optional_old=each.get("optionalOldSelf", False))
        node = schema
        for name in rule.field.split(".")[1:]:
            if name not in node.properties:
                raise place.at("rules").wrong(f"{rule.name}: there is no field {rule.field}")
            node = node.properties[name]
        found.append(rule)
    return tuple(found)


def is_within(name: str, folder: str) -> bool:
    """Whether a file or folder is in a folder, or is it."""
    return not folder or name == folder or name.startswith(folder + "/")


def qualified(text: str, place: Place) -> str:
    """The name of a type with its group, which is that of the file if the text has none."""
    return f"{place.file.group}.{text}" if "/" not in text and place.file.group else text


def check_all_are_used(all_sources: list[Sources]) -> None:
    used = set().union(*(sources.used for sources in all_sources))
    for sources in all_sources:
        for versions in sources.definitions.values():
            for place, _ in versions:
                if place not in used:
                    raise place.wrong("nothing refers to this type; remove it")


def mapping(content: dict[str, Any], key: str, place: Place) -> dict[str, Any]:
    value = content.get(key, {})
    if not isinstance(value, dict):
        raise place.at(key).wrong("must be a mapping")
    return value


def check_keys(content: Any, known: set[str], place: Place) -> None:
    if not isinstance(content, dict):
        raise place.wrong("must be a mapping")
    for key in content:
        if key not in known:
            raise place.wrong(f"{key} is unknown here; known are {', '.join(sorted(known))}")
