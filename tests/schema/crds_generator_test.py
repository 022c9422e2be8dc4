#!/usr/bin/env python3
"""Error messages of deploy/crds/generate.py, and its determinism."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

CRDS = Path(__file__).resolve().parent.parent.parent / "deploy/crds"
sys.dont_write_bytecode = True
sys.path.insert(0, str(CRDS))

from generator import crds, sources, tables  # noqa: E402
from generator.model import SourceError  # noqa: E402

META = "group: meta/v1\ntypes:\n  ObjectMeta: {fields: {name: string -- Its name.}}\n"
KIND = """\
kind: Thing
plural: things
shortName: th
description: A thing.
spec: ThingSpec
types:
  ThingSpec:
    description: What it is to be.
    fields:
      FIELD
"""


def read(files):
    with tempfile.TemporaryDirectory() as directory:
        for name, text in files.items():
            path = Path(directory) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
        return sources.read(Path(directory))


def read_field(field):
    """The schema of the spec of a kind with this single field."""
    (resource,), _ = read({"meta.yaml": META, "thing.yaml": KIND.replace("FIELD", field)})
    return resource.schema.properties["spec"]


class BadSources(unittest.TestCase):
    def assert_error(self, text, field):
        with self.assertRaises(SourceError) as caught:
            read_field(field)
        self.assertEqual(str(caught.exception), text)

    def test_unknown_type_is_reported_with_file_and_field(self):
        self.assert_error("thing.yaml: types.ThingSpec.fields.count: there is no type int33",
                          "count: int33 -- How many.")

    def test_unknown_key_is_reported_with_known_keys(self):
        with self.assertRaises(SourceError) as caught:
            read_field("count: {type: int32, min: 1, description: How many.}")
        self.assertRegex(str(caught.exception), r"^thing.yaml: types.ThingSpec.fields.count: min is "
                         r"unknown here; known are .*minimum")

    def test_a_field_without_a_description_is_refused(self):
        self.assert_error("thing.yaml: types.ThingSpec.fields.count: must have a description: kubectl explain "
                          "shows it", "count: int32")

    def test_constraint_must_match_the_type(self):
        self.assert_error("thing.yaml: types.ThingSpec.fields.count: maxLength does not go with the type integer",
                          "count: {type: int32, maxLength: 3, description: How many.}")

    def test_default_must_match_type_and_constraints(self):
        where = "thing.yaml: types.ThingSpec.fields.count"
        for field, text in (
            ("count: 'int32 = \"3\" -- How many.'", 'the default "3" is no integer'),
            ("count: int32 = true -- How many.", "the default true is no integer"),
            ("count: int32 = three -- How many.", "the default three must be JSON"),
            ("count: {type: int32, minimum: 2, default: 1, description: D.}",
             "the default 1 is below the minimum"),
            ("count: {type: string, enum: [a, b], default: c, description: D.}",
             "the default c is not in the enum"),
        ):
            with self.subTest(field):
                self.assert_error(f"{where}: {text}", field)

    def test_lower_bound_must_not_exceed_upper_bound(self):
        self.assert_error("thing.yaml: types.ThingSpec.fields.count: the lower bound 3 is above the upper bound 2",
                          "count: {type: int32, minimum: 3, maximum: 2, description: How many.}")

    def test_list_keys_must_be_required_or_defaulted(self):
        self.assert_error("thing.yaml: types.ThingSpec.fields.owners: the key name must be a field that is "
                          "required or has a default", "owners: list of meta/v1.ObjectMeta by name -- Owners.")

    def test_a_type_must_not_contain_itself(self):
        self.assert_error("thing.yaml: types.ThingSpec.fields.inner: ThingSpec contains itself: ThingSpec",
                          "inner: ThingSpec -- Another.")

    def test_unused_type_is_refused(self):
        self.assert_error("thing.yaml: types.Lost: nothing refers to this type; remove it",
                          "a: string -- A.\n  Lost: {fields: {a: string -- A.}}")

    def test_duplicate_key_is_refused_with_its_line(self):
        self.assert_error("thing.yaml: line 11: a is a duplicate key",
                          "a: string -- A.\n      a: string -- B.")

    def test_invalid_yaml_is_reported_with_its_line(self):
        with self.assertRaises(SourceError) as caught:
            read_field("a: [string")
        self.assertRegex(str(caught.exception), r"^thing.yaml: while parsing[\s\S]*line \d+")

    def test_optional_override_must_name_an_inlined_field(self):
        with self.assertRaises(SourceError) as caught:
            read({"meta.yaml": META + "  Named: {fields: {name!: string -- Its name.}}\n",
                  "thing.yaml": KIND.replace("    fields:\n      FIELD\n",
                                             "    inline: meta/v1.Named\n    optional: [title]\n")})
        self.assertEqual(str(caught.exception), "thing.yaml: types.ThingSpec.optional: title is not "
                         "required in meta/v1.Named")

    def test_rule_must_refer_to_an_existing_field(self):
        self.assert_error("thing.yaml: types.ThingSpec.rules: some-rule: there is no field .count",
                          "number: int32 -- How many.\n    rules: [{name: some-rule, rule: self.number > 0, "
                          "message: must be, field: .count}]")

    def test_command_fails_with_one_line(self):
        with tempfile.TemporaryDirectory() as directory:
            (Path(directory) / "thing.yaml").write_text(KIND.replace("FIELD", "a: b"), encoding="utf-8")
            done = subprocess.run([sys.executable, CRDS / "generate.py", "--sources", directory, "tables",
                                   Path(directory) / "tables.cpp"],
                                  capture_output=True, text=True, timeout=30)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr, f"{directory}/thing.yaml: types.ThingSpec.fields.a: there is no "
                         "type b\n")


class Notation(unittest.TestCase):
    def test_short_and_long_notation_mean_the_same(self):
        self.assertEqual(read_field("count!: int32 = 3 -- How many."),
                         read_field("count!: {type: int32, default: 3, description: How many.}"))

    def test_lists_sets_and_maps_are_written_in_words(self):
        for words, schema in (
            ("list of string", {"type": "array", "items": {"type": "string"}}),
            ("atomic list of string", {"type": "array", "items": {"type": "string"},
                                       "x-kubernetes-list-type": "atomic"}),
            ("set of int32", {"type": "array", "items": {"type": "integer", "format": "int32"},
                              "x-kubernetes-list-type": "set"}),
            ("map of boolean", {"type": "object", "additionalProperties": {"type": "boolean"}}),
            ("string or null", {"type": "string", "nullable": True}),
            ("any object", {"type": "object", "x-kubernetes-preserve-unknown-fields": True}),
        ):
            with self.subTest(words):
                found = crds.schema(read_field(f"a: {words} -- A.").properties["a"])
                self.assertEqual(found, {"description": "A.", **schema})

    def test_same_sources_give_the_same_text(self):
        first, second = sources.read(CRDS / "sources"), sources.read(CRDS / "sources")
        self.assertEqual(tables.render(*first), tables.render(*second))
        for generation in ("first", "later"):
            self.assertEqual(*([crds.render(versions) for versions in crds.by_kind(found[0], generation).values()]
                               for found in (first, second)))


class Layers(unittest.TestCase):
    """A folder's types replace those of the folders around it."""

    LATER = {"meta.yaml": META, "thing.yaml": KIND.replace("FIELD", "count!: Count -- How many.\n  Count:\n    "
                                                           "description: A number.\n    fields:\n      "
                                                           "value!: int32 -- The number."),
             "later/v1beta1/thing.yaml": KIND.split("types:", maxsplit=1)[0]}

    def read(self, **files):
        """The specs of the first generation and of v1beta1, with these types in files of later/."""
        extra = {f"later/{name}.yaml": text for name, text in files.items()}
        first, later = read({**self.LATER, **extra})[0]
        self.assertEqual((first.api.version, later.api.version), ("v1alpha1", "v1beta1"))
        return first.schema.properties["spec"], later.schema.properties["spec"]

    def test_later_version_uses_types_of_the_folders_around(self):
        self.assertEqual(*self.read())

    def test_type_of_inner_folder_replaces_and_extends(self):
        first, later = self.read(more="types:\n  Count:\n    inline: Count\n    optional: [value]\n    fields:\n"
                                      "      unit: string -- Its unit.\n")
        self.assertEqual(set(first.properties["count"].properties), {"value"})
        self.assertEqual(set(later.properties["count"].properties), {"value", "unit"})
        self.assertEqual((first.properties["count"].required, later.properties["count"].required), (("value",), ()))

    def test_replaced_field_has_the_new_type(self):
        _, later = self.read(more="types:\n  Count:\n    inline: Count\n    replaces: [value]\n    fields:\n"
                                  "      value: string -- The number in words.\n")
        count = later.properties["count"]
        self.assertEqual((count.properties["value"].type, count.required), ("string", ()))

    def test_replaced_field_must_exist(self):
        with self.assertRaises(SourceError) as caught:
            self.read(more="types:\n  Count: {inline: Count, replaces: [size]}\n")
        self.assertEqual(str(caught.exception), "later/more.yaml: types.Count.replaces: size is no field of Count")

    def test_type_extends_itself_only_from_an_inner_folder(self):
        with self.assertRaises(SourceError) as caught:
            read_field("count: Count -- How many.\n  Count: {inline: Count}")
        self.assertEqual(str(caught.exception),
                         "thing.yaml: types.Count.inline: no folder around this one has a type Count")

    def test_plain_type_has_constraints_and_rules(self):
        spec = read_field("names: list of Name -- Names.\n  Name:\n    type: string\n    maxLength: 5\n    rules: "
                          "[{name: no-dot, rule: '!self.contains(\".\")', message: must have no dot}]")
        self.assertEqual(crds.schema(spec.properties["names"])["items"], {
            "type": "string", "maxLength": 5,
            "x-kubernetes-validations": [{"rule": '!self.contains(".")', "message": "must have no dot"}]})

    def test_first_generation_alone_requires_a_spec(self):
        first, later = read(self.LATER)[0]
        self.assertEqual((first.schema.required, later.schema.required), (("spec",), ()))


class Check(unittest.TestCase):
    def check(self, directory):
        done = subprocess.run([sys.executable, CRDS / "generate.py", "chart", "--check", directory],
                              capture_output=True, text=True, timeout=60)
        return done.returncode, done.stderr

    def test_check_finds_changed_missing_and_foreign_files(self):
        with tempfile.TemporaryDirectory() as name:
            directory = Path(name)
            subprocess.run([sys.executable, CRDS / "generate.py", "chart", directory], check=True,
                           timeout=60)
            self.assertEqual(self.check(directory), (0, ""))
            model = directory / "first/nvidia.com_dynamomodels.yaml"
            model.write_text(model.read_text(encoding="utf-8").replace('"default":"base"', '"default":"lora"'),
                             encoding="utf-8")
            (directory / "later/nvidia.com_dynamocheckpoints.yaml").unlink()
            (directory / "first/nvidia.com_others.yaml").write_text("", encoding="utf-8")
            status, text = self.check(directory)
            self.assertEqual(status, 1)
            self.assertIn("later/nvidia.com_dynamocheckpoints.yaml: is missing\n", text)
            self.assertRegex(text, r"""dynamomodels.yaml:2: from character \d+, must be '.{,30}"default":"base".*', """
                                   r"""is '.{,30}"default":"lora".*'\n""")
            self.assertIn("nvidia.com_others.yaml: no source makes it; remove it\n", text)


if __name__ == "__main__":
    unittest.main()
