#!/usr/bin/env python3
"""same_answers.py compares correctly, on the dynamo-webhook that DYNAMO_WEBHOOK_BINARY names."""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import same_answers

PROGRAM = Path(same_answers.__file__)
WEBHOOK = os.environ["DYNAMO_WEBHOOK_BINARY"]
MORE_THAN_SEEDS = len(same_answers.seeds()) + 50


class SameAnswersTest(unittest.TestCase):
    def compare(self, after, reviews):
        return subprocess.run([sys.executable, "-B", str(PROGRAM), WEBHOOK, str(after), "--reviews", str(reviews)],
                              capture_output=True, text=True, timeout=100, check=False)

    def test_build_equals_itself(self):
        done = self.compare(WEBHOOK, 50)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^50 reviews, [1-9]\d* of them denied, 0 answered otherwise")

    def test_build_that_denies_nothing_differs(self):
        with tempfile.TemporaryDirectory() as folder:
            lenient = Path(folder, "lenient")
            lenient.write_text(f'#!/bin/sh\nexec "{WEBHOOK}" --enforcement audit "$@"\n', encoding="utf-8")
            lenient.chmod(0o755)
            done = self.compare(lenient, 50)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^50 reviews, .*, [1-9]\d* answered otherwise")

    def test_missing_build_is_reported(self):
        done = self.compare("/nonexistent", 1)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/nonexistent is not there", done.stderr)

    def test_seed_determines_the_reviews(self):
        first, again, other = (list(same_answers.reviews(MORE_THAN_SEEDS, seed)) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


if __name__ == "__main__":
    unittest.main()
