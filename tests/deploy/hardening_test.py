"""Protections of the built programs and of the library, read from their ELF headers.

DYNAMO_HARDENED names the files, separated by colons. A program without a loader has no dynamic
symbols; its own table must be there."""

import os
import re
import subprocess
import unittest

FILES = os.environ["DYNAMO_HARDENED"].split(":")


def readelf(*options):
    return subprocess.run(["readelf", "--wide", *options], capture_output=True, text=True, check=True).stdout


def is_library(path):
    return ".so" in path


def symbols_of(path):
    lines = readelf("--dyn-syms" if "NEEDED" in readelf("--dynamic", path) else "--symbols", path)
    return set(re.findall(r" (\w+)(?:@\S+)?(?: \(\d+\))?$", lines, re.MULTILINE))


class HardeningTest(unittest.TestCase):
    def test_code_has_random_addresses(self):
        for path in FILES:
            self.assertRegex(readelf("--file-header", path), r"Type: +DYN ", path)
            dynamic = readelf("--dynamic", path)
            self.assertNotIn("TEXTREL", dynamic, path)
            if not is_library(path):
                self.assertRegex(dynamic, r"\(FLAGS_1\).*\bPIE\b", path)

    def test_loader_tables_are_read_only(self):
        for path in FILES:
            self.assertIn("GNU_RELRO", readelf("--program-headers", path), path)
            self.assertRegex(readelf("--dynamic", path), r"\(FLAGS_1\).*\bNOW\b", path)

    def test_no_memory_is_writable_and_executable(self):
        for path in FILES:
            segments = re.findall(r"^ +(LOAD|GNU_STACK)(?: +0x[0-9a-f]+){5} ([RWE ]{3})", readelf("--program-headers", path), re.MULTILINE)
            self.assertGreater(len(segments), 2, path)
            self.assertIn("GNU_STACK", dict(segments), path)
            self.assertEqual([each for each in segments if {"W", "E"} <= set(each[1])], [], path)

    def test_programs_name_no_folder_of_libraries(self):
        for path in FILES:
            if not is_library(path):
                self.assertNotRegex(readelf("--dynamic", path), r"\((RPATH|RUNPATH)\)", path)

    def test_stack_and_buffers_are_checked(self):
        for path in FILES:
            symbols = symbols_of(path)
            self.assertIn("__stack_chk_fail", symbols, path)
            self.assertTrue({name for name in symbols if re.fullmatch(r"__\w+_chk", name)}, f"{path}: no fortified function")


if __name__ == "__main__":
    unittest.main()
