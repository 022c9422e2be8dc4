#!/usr/bin/env python3
"""What same_answers.py promises, on the dynamo-webhook that DYNAMO_WEBHOOK_BINARY names."""

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

    def test_a_build_answers_as_itself(self):
        done = self.compare(WEBHOOK, 50)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"^50 reviews, [1-9]\d* of them denied, 0 answered otherwise")

    def test_one_that_denies_nothing_is_told_apart(self):
        with tempfile.TemporaryDirectory() as folder:
            lenient = Path(folder, "lenient")
            lenient.write_text(f'#!/bin/sh\nexec "{WEBHOOK}" --enforcement audit "$@"\n', encoding="utf-8")
            lenient.chmod(0o755)
            done = self.compare(lenient, 50)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"(?m)^50 reviews, .*, [1-9]\d* answered otherwise")

    def test_one_that_is_not_there_is_said(self):
        done = self.compare("/nonexistent", 1)
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("/nonexistent is not there", done.stderr)

    def test_a_seed_makes_the_same_reviews_and_another_one_others(self):
        first, again, other = (list(same_answers.reviews(MORE_THAN_SEEDS, seed)) for seed in (1, 1, 2))
        self.assertEqual(first, again)
        self.assertNotEqual(first, other)


if __name__ == "__main__":
    unittest.main()
