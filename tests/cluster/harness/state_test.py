"""The processes of a cluster's state directory: second starts and restarts; needs no API server."""

import os
import signal
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from harness import processes
from harness.state import State

COMMAND = Path(__file__).resolve().parent.parent / "cluster.py"


class Processes(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.state = State(Path(folder.name) / "cluster")
        self.state.clear()
        self.addCleanup(lambda: State(self.state.directory).stop_all())  # includes those of started commands
        for name in ("one", "two"):
            self.state.start(name, ["sleep", "600"])

    def kill(self, name):
        record = self.state.process(name)
        os.kill(record["pid"], signal.SIGKILL)
        processes.wait_until(f"{name} ending", lambda: not processes.running(record), 10)

    def run_cluster(self, *arguments):
        return subprocess.run([sys.executable, COMMAND, "--state", self.state.directory, *arguments],
                              capture_output=True, text=True, timeout=60, check=False)

    def test_second_up_refuses_a_cluster_that_partly_runs(self):
        self.kill("one")
        done = self.run_cluster("up", "--no-webhook")
        self.assertEqual(done.returncode, 1, done.stderr)
        for part in ("two run", "one ended", "cluster.py restart NAME", "cluster.py down"):
            self.assertIn(part, done.stderr)
        self.assertTrue(processes.running(self.state.process("two")))
        self.assertTrue((self.state.directory / "state.json").exists())

    def test_second_up_leaves_a_running_cluster_alone(self):
        done = self.run_cluster("up", "--no-webhook")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("already up", done.stderr)
        self.assertEqual(self.state.names(), (["one", "two"], []))

    def test_killed_process_restarts_with_its_command(self):
        self.kill("one")
        done = self.run_cluster("restart", "one")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.state = State(self.state.directory)
        self.assertEqual(self.state.names(), (["one", "two"], []))
        command = Path(f"/proc/{self.state.process('one')['pid']}/cmdline").read_bytes()
        self.assertEqual(command, b"sleep\x00600\x00")

    def test_process_that_does_not_get_ready_is_forgotten(self):
        record = self.state.start("three", ["sleep", "600"])
        with self.assertRaisesRegex(processes.HarnessError, "^readiness: not within 0 s"):
            self.state.wait_ready(record, "readiness", lambda: False, 0)
        self.assertFalse(processes.running(record))
        self.assertEqual(State(self.state.directory).names(), (["one", "two"], []))

    def test_restart_of_an_unknown_process_is_refused(self):
        done = self.run_cluster("restart", "three")
        self.assertEqual(done.returncode, 1)
        self.assertIn("no process three", done.stderr)


if __name__ == "__main__":
    unittest.main()
