"""The C++ tables of src/schema/texts.hpp: the fields' descriptions, in the form of the schema's tables.

They are separate, since only programs with a user interface need them. Equal texts are written once."""

from .cpp import camel, source_file, text
from .model import Resource, Schema


def render(resources: list[Resource], metadata: Schema) -> str:
    """The whole file. `metadata` is the schema of the field of that name in each resource."""
    writer = Writer()
    rows = []
    for resource in resources:
        properties = {**resource.schema.properties, "metadata": metadata}
        rows.append(f"    {{{text(resource.kind)}, {writer.texts(resource.schema, properties)}}},")
    return source_file("schema/texts.hpp", writer.lines, "NamedTexts", rows, "resource_texts")


class Writer:
    """Collects definitions; each is written before its references."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._names: dict[str, str] = {}

    def texts(self, schema: Schema, properties: dict[str, Schema]) -> str:
        """Writes the schema's texts once; returns a C++ pointer to them."""
        rows = []
        for name, each in sorted(properties.items()):
            below = self.texts(each, each.properties)
            if below != "nullptr":
                rows.append(f"{{{text(name)}, {below}}}")
        each = self.texts(schema.each, schema.each.properties) if schema.each else "nullptr"
        if not schema.description and not rows and each == "nullptr":
            return "nullptr"
        named = self.define("NamedTexts", "[]", ", ".join(rows)) if rows else "{}"
        return "&" + self.define("Texts", "", f"{text(schema.description)}, {named}, {each}")

    def define(self, type_name: str, array: str, body: str) -> str:
        key = f"{type_name}{array}{body}"
        if key not in self._names:
            name = f"k{camel(type_name)}{len(self._names)}"
            self._names[key] = name
            self.lines.append(f"constexpr {type_name} {name}{array}{' = ' if array else ''}{{{body}}};")
        return self._names[key]
