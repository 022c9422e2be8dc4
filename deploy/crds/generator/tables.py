"""The C++ tables of src/schema/table.hpp: constants that point at each other.

What is equal is written once, whatever it is called, so a type that is used in a hundred places is one
table."""

import dataclasses
import json

from .cpp import boolean, camel, source_file, text
from .crds import GROUP
from .model import Resource, Schema

TYPES = {"object": "kObject", "array": "kArray", "string": "kString", "integer": "kInteger",
         "number": "kNumber", "boolean": "kBoolean", "int-or-string": "kIntOrString", "any": "kAny"}
FORMATS = {"byte": "kByte", "int32": "kInt32", "int64": "kInt64", "date-time": "kDateTime"}
LIST_TYPES = {"set": "kSet", "map": "kMap"}  # an atomic list is one without a type
SCALAR_NAMES = {"int-or-string": "IntOrString"}


def render(resources: list[Resource], metadata: Schema) -> str:
    """The whole file. `metadata` is the schema of the field of that name in each resource."""
    writer = Writer()
    rows = []
    for resource in resources:
        root = dataclasses.replace(resource.schema, properties=dict(sorted({
            **resource.schema.properties,
            "apiVersion": Schema("string"),
            "kind": Schema("string"),
            "metadata": metadata,
        }.items())))
        schema = writer.schema(root, resource.kind)
        names = (resource.kind, resource.list_kind, resource.plural, resource.singular,
                 resource.short_name, f"{GROUP}/{resource.api.version}")
        rows.append(f'    {{{", ".join(map(text, names))}, {boolean(resource.has_status)}, &{schema}}},')
    return source_file("schema/table.hpp", writer.lines, "Resource", rows, "all_resources")


LEAST_INDEXED = 6  # properties


def first_letters(names: list[str]) -> str:
    """For each letter and for the end, how many names come before it; "" for few or unusual names."""
    if len(names) < LEAST_INDEXED or not all("a" <= name[0] <= "z" for name in names):
        return ""
    letters = [chr(ord("a") + number) for number in range(26)]
    return ", ".join(str(sum(name[0] < letter for name in names)) for letter in letters) + f", {len(names)}"


class Writer:
    """Collects definitions; each is written before its references."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}  # of the written definitions, by their text
        self._taken: set[str] = set()

    def schema(self, schema: Schema, hint: str) -> str:
        """Writes the schema once; returns its C++ name. `hint` names a schema without a name."""
        hint = camel(schema.name) or hint
        members = [f".type = Type::{TYPES[schema.type]}"]
        if schema.format:
            members.append(f".format = Format::{FORMATS[schema.format]}")
        if schema.list_type in LIST_TYPES:
            members.append(f".list_type = ListType::{LIST_TYPES[schema.list_type]}")
        if schema.nullable:
            members.append(".nullable = true")
        if schema.preserve_unknown:
            members.append(".preserve_unknown = true")
        if schema.properties:
            members.append(f".properties = {self.properties(schema, hint)}")
            if letters := first_letters(sorted(schema.properties)):
                members.append(f".first_letters = {self.define('std::uint8_t', '[]', letters, hint + 'Letters')}")
        if schema.each:
            each = self.schema(schema.each, hint + "Each")
            members.append(f".each = &{each}")
            if not schema.name:
                list_type = {"set": "Set", "map": "KeyedList"}.get(schema.list_type, "List")
                hint = (list_type if schema.type == "array" else "Map") + "Of" + each.removeprefix("k")
                if schema.nullable:
                    hint += "OrNull"
        if limits := self.limits(schema, hint):
            members.append(f".limits = &{limits}")
        if schema.rules:
            members.append(f".validations = {self.rules(schema, hint)}")
        if schema.list_keys:
            keys = self.texts(schema.list_keys, "Keys" + "".join(map(camel, schema.list_keys)))
            members.append(f".list_map_keys = {keys}")
        if schema.default is not None:
            members.append(f".default_value = {text(json.dumps(schema.default))}")
        if not (schema.properties or schema.each or limits or schema.default is not None):
            hint = schema.format or SCALAR_NAMES.get(schema.type, schema.type)
            if schema.preserve_unknown:
                hint = "AnyObject"
            if schema.nullable:
                hint += "OrNull"
            hint = camel(hint)
        return self.define("Schema", "", ", ".join(members), hint)

    def properties(self, schema: Schema, hint: str) -> str:
        rows = []
        for name, each in sorted(schema.properties.items()):
            child = self.schema(each, hint + camel(name))
            required = ", true" if name in schema.required else ""
            rows.append(f"{{{text(name)}, &{child}{required}}}")
        return self.define("Property", "[]", ",\n    ".join(rows), hint + "Properties")

    def limits(self, schema: Schema, hint: str) -> str:
        """The name of the limits, or "" without any."""
        members = []
        if schema.enum:
            members.append(f".enumeration = {self.texts(schema.enum, hint + 'Values')}")
        for name in ("minimum", "maximum"):
            if (value := getattr(schema, name)) is not None:
                members.append(f".{name} = {float(value)}")
        for name in ("min_length", "max_length", "min_items", "max_items", "max_properties"):
            if (value := getattr(schema, name)) is not None:
                members.append(f".{name} = {value}u")
        if schema.pattern:
            members.append(f".pattern = {text(schema.pattern)}")
        return self.define("Limits", "", ", ".join(members), hint + "Limits") if members else ""

    def rules(self, schema: Schema, hint: str) -> str:
        rows = [f"{{CelRule::k{camel(rule.name)}, {text(rule.message)}}}" for rule in schema.rules]
        return self.define("Validation", "[]", ",\n    ".join(rows), hint + "Rules")

    def texts(self, values: tuple[str, ...], hint: str) -> str:
        return self.define("std::string_view", "[]", ", ".join(map(text, values)), hint)

    def define(self, type_name: str, array: str, body: str, hint: str) -> str:
        key = f"{type_name}{array}{body}"
        if key in self._names:
            return self._names[key]
        name = "k" + hint
        number = 2
        while name in self._taken:
            name, number = f"k{hint}{number}", number + 1
        self._taken.add(name)
        self._names[key] = name
        equals = " = " if array else ""
        self.lines.append(f"constexpr {type_name} {name}{array}{equals}{{{body}}};")
        return name
