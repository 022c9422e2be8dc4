"""The harness's ports and waiting; needs no cluster."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import unittest

from harness import processes


class Ports(unittest.TestCase):
    def test_ports_are_unique(self):
        given = [port for _ in range(100) for port in processes.free_ports(3)]
        self.assertEqual(len(set(given)), len(given))

    def test_processes_get_different_ports(self):
        """Although none of them listens yet."""
        code = ("import json, sys; from harness import processes; "
                "print(json.dumps(processes.free_ports(500)), flush=True); sys.stdin.read()")
        others = [subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
                  for _ in range(4)]
        given = []
        for other in others:
            self.addCleanup(other.wait, 60)
            self.addCleanup(other.stdout.close)
            self.addCleanup(other.stdin.close)
            given += json.loads(other.stdout.readline())
        self.assertEqual(len(given), 2000)
        self.assertEqual(len(set(given)), len(given))

    def test_outgoing_connections_use_other_ports(self):
        taken = processes.ports_of_outgoing_connections()
        if len(taken) > 65536 - processes.LOWEST_PORT - processes.ENOUGH_PORTS:
            self.skipTest(f"this machine gives {taken} to outgoing connections")
        for port in processes.free_ports(100):
            self.assertNotIn(port, taken)

    def test_port_in_use_is_not_free(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            port = listener.getsockname()[1]
            self.assertFalse(processes.is_free(port))
        self.assertTrue(processes.is_free(port))


class Waiting(unittest.TestCase):
    def test_timeout_reports_last_reason(self):
        def refused():
            raise OSError("refused")

        with self.assertRaisesRegex(processes.HarnessError, "^it: not within 0 s: refused$"):
            processes.wait_until("it", refused, 0)

    def test_broken_response_is_retried(self):
        answers = [http.client.IncompleteRead(b""), True]

        def asked():
            answer = answers.pop(0)
            if isinstance(answer, Exception):
                raise answer
            return answer

        self.assertTrue(processes.wait_until("it", asked, 10))


class Freezing(unittest.TestCase):
    def setUp(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.record = processes.start("a nap", ["sleep", "60"], folder)
        self.addCleanup(processes.stop, self.record, 0)

    def test_resumed_process_runs(self):
        processes.freeze(self.record)
        self.assertTrue(processes.is_frozen(self.record))
        processes.resume(self.record)
        processes.wait_until("its run", lambda: not processes.is_frozen(self.record), 10)
        self.assertTrue(processes.running(self.record))

    def test_process_that_did_not_stay_frozen_is_reported(self):
        processes.freeze(self.record)
        os.kill(self.record["pid"], signal.SIGCONT)
        processes.wait_until("its run", lambda: not processes.is_frozen(self.record), 10)
        with self.assertRaisesRegex(processes.HarnessError, "^a nap must be frozen until now; "):
            processes.resume(self.record)


class Commands(unittest.TestCase):
    def test_slow_command_is_reported_in_one_line(self):
        with self.assertRaisesRegex(processes.HarnessError, "^the nap must end within 0.05 s and was killed; [a-z ]+$"):
            processes.run("the nap", ["sleep", "60"], 0.05)

    def test_result_of_a_command_is_text(self):
        done = processes.run("an echo", ["sh", "-c", "cat; exit 3"], 30, input="a", capture_output=True)
        self.assertEqual((done.returncode, done.stdout), (3, "a"))


if __name__ == "__main__":
    unittest.main()
