"""Tests of bench_load with a real dynamo-webhook: schedule, errors, connections.

DYNAMO_BUILD_DIR is the folder with bin/bench_load and bin/dynamo-webhook.
"""

import contextlib
import os
import signal
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import mix  # noqa: E402
from driver import certificates, machine, servers  # noqa: E402
from driver.machine import BenchError, Deadline  # noqa: E402
from driver.review import GRAPH_PATH  # noqa: E402
from generator import Load  # noqa: E402
from setup import Setup  # noqa: E402

BIN = Path(os.environ["DYNAMO_BUILD_DIR"]).resolve() / "bin"
SMALL = HERE.parent / "reviews/create_2k.json"
DENIED = HERE / "reviews/graph_denied.json"
PATIENCE = 120


def request(expected="allowed", url_path=GRAPH_PATH, body=SMALL):
    return mix.Request(1, expected, url_path, body)


class BenchLoad(unittest.TestCase):
    def setUp(self):
        try:
            cpus = machine.server_and_load_cpu()
        except BenchError as error:
            self.skipTest(str(error))
        stack = contextlib.ExitStack()
        self.addCleanup(stack.close)
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        certificates.make(folder)
        self.setup = Setup(BIN / "dynamo-webhook", BIN / "bench_load", [], folder, cpus, Deadline(PATIENCE))
        self.server = stack.enter_context(self.setup.fleet().running([servers.webhook(self.setup.webhook)]))[0]

    def load(self, requests, load, sample=lambda: None):
        setup = Setup(self.setup.webhook, self.setup.bench_load, requests, self.setup.folder, self.setup.cpus,
                      self.setup.deadline)
        return setup.generator().run(self.server, load, sample)

    def test_requests_follow_the_schedule_in_order(self):
        found = self.load([request(), request("denied", body=DENIED)], Load(100, 2, 4)).found
        self.assertEqual([record.due for record in found], [index * 10_000 for index in range(200)])
        self.assertEqual({record.outcome for record in found}, {0})
        self.assertEqual(sum(record.request for record in found), 100)

    def test_stall_delays_every_request_of_its_time(self):
        """The server stops for at least half a second: requests are scheduled in that time, and wait for its end."""
        calls = iter(range(10_000))

        def stall():
            call = next(calls)
            if call == 5:
                os.kill(self.server.pid, signal.SIGSTOP)
            elif call == 10:
                os.kill(self.server.pid, signal.SIGCONT)

        result = self.load([request()], Load(200, 3, 4), stall)
        self.assertEqual(result.errors, {})
        late = [record for record in result.found if record.latency > 250_000]
        self.assertGreaterEqual(len(late), 45)
        # Only a request per connection was sent before the stall.
        self.assertLessEqual(sum(record.latency - record.delay > 250_000 for record in late), 4)

    def test_errors_are_counted_by_kind(self):
        requests = [request("denied"), request(url_path="/other")]
        self.assertEqual(self.load(requests, Load(20, 1, 2)).errors, {"other verdict": 10, "HTTP 404": 10})

    def test_end_of_the_server_is_an_error(self):
        kind = servers.webhook(self.setup.webhook)
        with self.assertRaisesRegex(BenchError, "ended with -9"), self.setup.fleet().running([kind]) as (self.server,):
            # Until the test ends, its process is a zombie.
            errors = self.load([request()], Load(50, 1, 2, timeout_ms=500),
                               lambda: os.kill(self.server.pid, signal.SIGKILL)).errors
            self.assertGreater(errors["not sent"], 0)
            self.assertGreater(errors["connection not opened"], 0)
            self.assertLess(errors["not sent"], 50)

    def test_connections_are_replaced_after_their_requests(self):
        result = self.load([request()], Load(200, 2, 4, requests_per_connection=20))
        self.assertEqual(result.errors, {})
        self.assertGreaterEqual(result.opened, 4 + 400 // 20 - 4)
        self.assertEqual(result.leaves, 1)


if __name__ == "__main__":
    unittest.main()
