"""The cache of results: equal inputs are computed once, others again."""

import os
import tempfile
import unittest
import unittest.mock
from pathlib import Path

import result_cache

_folder = result_cache._folder  # setUp() replaces it


class ResultCache(unittest.TestCase):
    def setUp(self):
        work = tempfile.TemporaryDirectory()
        self.addCleanup(work.cleanup)
        self.folder = Path(work.name)
        self.enterContext(unittest.mock.patch.object(result_cache, "_folder", lambda: self.folder))
        self.calls = 0

    def compute(self):
        self.calls += 1
        return {"call": self.calls}

    def test_equal_inputs_are_computed_once(self):
        for inputs, wanted in ((("a", ["b"]), 1), (("a", ["b"]), 1), (("a", ["c"]), 2), (("a", "b"), 3), (("a", ["b"]), 1)):
            self.assertEqual(result_cache.cached(inputs, self.compute), {"call": wanted})

    def test_damaged_results_are_computed_again(self):
        result_cache.cached("a", self.compute)
        path, = self.folder.iterdir()
        for damage in (b"", b"no result", path.read_bytes()[:-4]):
            path.write_bytes(damage)
            before = self.calls
            self.assertEqual(result_cache.cached("a", self.compute), {"call": before + 1})
            self.assertEqual(result_cache.cached("a", self.compute), {"call": before + 1})

    def test_digest_changes_with_names_and_contents(self):
        seen = {result_cache.digest(self.folder)}
        for name, text in (("a", "1"), ("a", "2"), ("b", "1"), ("c/d", "1")):
            path = self.folder / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(text, encoding="utf-8")
            seen.add(result_cache.digest(self.folder))
        os.rename(self.folder / "b", self.folder / "e")
        seen.add(result_cache.digest(self.folder))
        self.assertEqual(len(seen), 6)

    def test_unused_results_are_removed(self):
        used, unused = self.folder / "deploy-results/used", self.folder / "deploy-results/unused"
        used.parent.mkdir()
        for path in (used, unused):
            path.write_bytes(b"")
        os.utime(unused, (0, 0))
        with unittest.mock.patch.object(result_cache, "home", lambda: self.folder):
            _folder.__wrapped__()
        self.assertTrue(used.exists())
        self.assertFalse(unused.exists())


if __name__ == "__main__":
    unittest.main()
