#!/usr/bin/env python3
"""What ./dev promises to whoever ends it: nothing that it started goes on, and its build folder is free.

The compiler is a stand-in on PATH: a `cmake` that starts a child of its own, tells both process
numbers, and waits. Everything happens in a copy of the script in a temporary folder.
"""

import fcntl
import os
import pathlib
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 30

STAND_IN = """#!/usr/bin/env bash
case $* in
  *--preset*) mkdir -p build/dev; touch build/dev/build.ninja build/dev/CMakeCache.txt ;;
  *)
    sleep 300 &
    echo "$$ $!" >"$DYNAMO_TOLD"
    wait
    ;;
esac
"""


def lives(pid):
    """Whether the process runs; one that has ended and waits for its parent does not."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class EndedByASignal(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copy(ROOT / "dev", self.folder / "dev")
        shutil.copytree(ROOT / "cmake/dev", self.folder / "cmake/dev")
        (self.folder / "CMakePresets.json").write_text("{}", encoding="ascii")
        programs = self.folder / "programs"
        programs.mkdir()
        (programs / "cmake").write_text(STAND_IN, encoding="ascii")
        (programs / "cmake").chmod(0o755)
        self.told = self.folder / "told"
        os.mkfifo(self.told)
        self.environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "DYNAMO_SKIP_SETUP": "1",
            "DYNAMO_CACHE_DIR": str(self.folder / "cache"),
            "DYNAMO_TOLD": str(self.told),
        }

    def enterContext(self, context):  # unittest has it from Python 3.11 on
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def start(self, *arguments):
        """Starts ./dev and returns it, and the processes of the stand-in once they run."""
        script = subprocess.Popen(
            ["./dev", *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.addCleanup(script.stdout.close)
        told = os.open(self.told, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, told)
        poll = select.poll()
        poll.register(told, select.POLLIN)
        self.assertTrue(poll.poll(PATIENCE_SECONDS * 1000), "the build did not start")
        numbers = [int(word) for word in os.read(told, 100).split()]
        self.assertEqual(len(numbers), 2)
        return script, numbers

    def end(self, script, number):
        script.send_signal(number)
        try:
            script.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(script.pid, signal.SIGKILL)
            self.fail("./dev did not end")
        return script.returncode

    def expect_nothing_left(self, numbers):
        # They have their signal when ./dev is gone; the kernel may still be ending them.
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(map(lives, numbers)) and time.monotonic() < deadline:
            time.sleep(0.01)
        left = [pid for pid in numbers if lives(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "what ./dev started goes on")
        with open(self.folder / "build/.dev.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while somebody holds it

    def test_a_build_ends_with_it_and_lets_go_of_its_folder(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number.name):
                script, numbers = self.start("build")
                self.assertEqual(self.end(script, number), 128 + number)
                self.expect_nothing_left(numbers)

    def test_the_step_of_a_test_ends_with_it(self):
        script, numbers = self.start("test", "unit")
        self.assertEqual(self.end(script, signal.SIGTERM), 143)
        self.expect_nothing_left(numbers)


if __name__ == "__main__":
    unittest.main()
