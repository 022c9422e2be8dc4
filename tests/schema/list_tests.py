"""Prints the tests of the Python files here, one per line: the ctest name and the unittest name."""

import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True


def cases(suite):
    for each in suite:
        yield from cases(each) if isinstance(each, unittest.TestSuite) else [each]


loader = unittest.TestLoader()
found = loader.discover(str(Path(__file__).resolve().parent), "*_test.py")
if loader.errors:
    sys.exit("\n".join(loader.errors))
for case in cases(found):
    module, _, method = case.id().split(".")
    print(f"unit.{module.removesuffix('_test')}.{method.removeprefix('test_')}", case.id())
