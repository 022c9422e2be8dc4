#!/usr/bin/env python3
"""Each program links what it needs: no symbol of another program's folder is in it.

DYNAMO_PROGRAMS names the folder of the programs.
"""

import os
import pathlib
import re
import subprocess
import unittest

PROGRAMS = pathlib.Path(os.environ["DYNAMO_PROGRAMS"])
FOREIGN = {
    "dynamo-webhook": ("cli", "doctor", "reconciler"),
    "dynamo-reconciler": ("cli", "doctor", "webhook", "server"),
    "kubectl-dynamo": ("webhook", "server"),
}


def namespaces(program):
    """The namespaces below dynamo:: of the functions that the program defines."""
    listed = subprocess.run(["nm", "--demangle", "--defined-only", PROGRAMS / program], capture_output=True, text=True,
                            timeout=60, check=True).stdout
    return set(re.findall(r"^[0-9a-f]+ [TtWw] dynamo::(\w+)::", listed, re.MULTILINE))


class ProgramsTest(unittest.TestCase):
    def test_programs_contain_no_foreign_folder(self):
        for program, foreign in FOREIGN.items():
            with self.subTest(program):
                found = namespaces(program)
                self.assertIn("runtime", found, "nm lists no function of ours")
                self.assertEqual(found & set(foreign), set())


if __name__ == "__main__":
    unittest.main()
