"""Tests of the load benchmark's arithmetic, and of its checks for a broken measurement."""

import contextlib
import http.client
import json
import struct
import sys
import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE)]

import capacity  # noqa: E402
import flatness  # noqa: E402
import generator  # noqa: E402
import half_load  # noqa: E402
import mix  # noqa: E402
import page  # noqa: E402
import plot  # noqa: E402
import records  # noqa: E402
import soak  # noqa: E402
from driver.machine import BenchError  # noqa: E402
from lease_server import LEASES, LeaseServer  # noqa: E402
from records import Record  # noqa: E402

PATIENCE = 10


def steady(count=1000, latency=2000, outcome=0):
    """Records of a request per millisecond."""
    return [Record(index * 1000, 100, latency, index % 2, outcome) for index in range(count)]


def result(found, failed_opens=0, cpu=0.1):
    summary = {"opened": 16, "failed_opens": failed_opens, "idle_ends": 0, "leaves": 1, "first_failure": "",
               "cpu_seconds": 0.2}
    return generator.result_of(generator.Load(len(found), 1, 16), found, summary, cpu)


def cell(threads=1, connections=16, rate=2000, cpu=200.0, resident=18.0):
    return capacity.Cell(threads, connections, rate, 0.5, 4.0, cpu * 0.6, cpu, 0.3, resident)


class LoadMix(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "body.json").write_text(json.dumps({"request": {"uid": "u-1"}}))
            file = Path(folder, "mix.txt")
            file.write_text(text)
            return mix.read(file)

    def test_default_mix_has_every_path(self):
        requests = mix.read(mix.DEFAULT)
        kinds = {json.loads(request.body.read_bytes())["kind"] for request in requests}
        self.assertEqual(kinds, {"AdmissionReview", "ConversionReview"})
        self.assertEqual({request.expected for request in requests}, set(mix.VERDICTS))
        self.assertEqual(sum(request.weight for request in requests), 100)
        self.assertEqual(len({request.name for request in requests}), len(requests))

    def test_order_has_each_request_by_weight(self):
        requests = self.read("1 allowed /a body.json\n3 denied /b body.json\n")
        order = mix.order(requests)
        self.assertEqual(sorted(order), [0, 1, 1, 1])
        self.assertEqual(order, mix.order(requests))

    def test_mistake_is_reported_with_its_line(self):
        for text, fault in (
            ("# c\n\n1 allowed /a", ":3: must have weight"), ("0 allowed /a body.json", "weight must be"),
            ("1 refused /a body.json", "must be one of allowed"), ("1 allowed a body.json", "begin with"),
            ("1 allowed /a other.json", "must be a file"), ("# none", "must have a request"),
        ):
            with self.subTest(text=text), self.assertRaisesRegex(BenchError, fault):
                self.read(text)

    def test_generator_gets_uid_and_expected_text(self):
        with tempfile.TemporaryDirectory() as folder:
            body = Path(folder, "body.json")
            body.write_text(json.dumps({"request": {"uid": "u-1"}}))
            mix.write_for_generator([mix.Request(2, "denied", "/a", body)], Path(folder, "requests.tsv"))
            lines = Path(folder, "requests.tsv").read_text().splitlines()
        self.assertEqual(lines[0].split("\t"), ["request", "/a", str(body), "u-1", '"allowed":false'])
        self.assertEqual(lines[1:], ["order\t0\t0"])


class LoadRecords(unittest.TestCase):
    def test_file_is_read_by_scheduled_moment(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder, "records")
            file.write_bytes(struct.pack("<IIIHHIIIHH", 9, 1, 2, 3, 4, 5, 6, 7, 0, 503))
            found = records.read(file)
        self.assertEqual(found, [Record(5, 6, 7, 0, 503), Record(9, 1, 2, 3, 4)])
        self.assertEqual(records.errors(found), {"HTTP 503": 1, "timeout": 1})

    def test_percentiles_use_nearest_rank(self):
        self.assertEqual(records.percentiles(list(range(1000, 1_001_000, 1000))),
                         {"p50": 500, "p90": 900, "p99": 990, "p99.9": 999, "max": 1000})
        self.assertEqual(records.percentile([7], 50), 7)

    def test_stall_counts_for_every_delayed_request(self):
        # A server that stalls for half a second: a client that waits for responses would see one slow request.
        stalls = [(at, max(0, 500_000 - at)) for at in range(0, 1_000_000, 1000)]
        found = [Record(at, delay, delay + 1000, 0, 0) for at, delay in stalls]
        from_schedule = records.percentiles([record.latency for record in found])
        from_sending = records.percentiles([record.latency - record.delay for record in found])
        self.assertGreater(from_schedule["p90"], 300)
        self.assertEqual(from_sending["p90"], 1)

    def test_buckets_cover_the_whole_time(self):
        buckets = records.over_time([*steady(outcome=3)[:10], *steady()[10:]], buckets=2)
        self.assertEqual(len(records.over_time(steady())), 5)
        self.assertEqual([(bucket.errors, bucket.p50) for bucket in buckets], [(10, 2.0), (0, 2.0)])
        self.assertEqual(records.over_time([]), [])

    def test_percentile_curve_ends_at_the_last_request(self):
        curve = records.by_percentile([record.latency for record in steady()])
        self.assertEqual(curve[0], (0.0, 2.0))
        self.assertLessEqual(curve[-1][0], 99.9)

    def test_first_seconds_can_be_excluded(self):
        self.assertEqual([record.due for record in records.after(steady(), 0.998)], [998_000, 999_000])


class LoadResults(unittest.TestCase):
    def test_missing_record_breaks_the_measurement(self):
        with self.assertRaisesRegex(BenchError, "must record 1000 requests, recorded 999"):
            generator.result_of(generator.Load(1000, 1, 16), steady(999), {}, 0.1)

    def test_connections_that_never_opened_are_errors(self):
        self.assertEqual(result(steady()).errors, {})
        self.assertEqual(result(steady(), failed_opens=2).errors, {"connection not opened": 2})

    def test_cpu_is_divided_by_requests(self):
        self.assertAlmostEqual(result(steady(), cpu=0.3).cpu_us_per_request, 300)


class SoakFlatness(unittest.TestCase):
    def trend(self, of):
        return flatness.trend(flatness.RESIDENT, [(float(second), of(second)) for second in range(1800)])

    def test_constant_with_outliers_is_flat(self):
        trend = self.trend(lambda second: 90.0 if second % 10 == 0 else 20.0)
        self.assertTrue(trend.is_flat)
        self.assertEqual((trend.growth, trend.least, trend.most), (0.0, 20.0, 90.0))

    def test_growth_during_warm_up_is_flat(self):
        self.assertTrue(self.trend(lambda second: 20.0 + min(second, 400) / 10).is_flat)

    def test_slow_leak_is_found_under_noise(self):
        trend = self.trend(lambda second: 20.0 + second * 0.002 + (second * 7919 % 100) / 100)
        self.assertFalse(trend.is_flat)
        self.assertAlmostEqual(trend.growth, 0.002 * 1350, delta=0.3)

    def test_one_descriptor_per_change_is_found(self):
        samples = [(float(second), 30.0 + second // 300) for second in range(1800)]
        self.assertFalse(flatness.trend(flatness.DESCRIPTORS, samples).is_flat)

    def test_shrinking_memory_is_flat(self):
        self.assertTrue(self.trend(lambda second: 90.0 - second / 30).is_flat)

    def test_too_few_samples_are_refused(self):
        with self.assertRaisesRegex(ValueError, "needs 8 samples"):
            flatness.trend(flatness.THREADS, [(0.0, 1.0), (1.0, 1.0)])


class SoakChanges(unittest.TestCase):
    def test_successive_policies_differ(self):
        found = soak.policies(soak.POLICY.read_text())
        for before, now in zip(found, [*found[1:], found[0]], strict=True):
            self.assertNotEqual(before, now)
        self.assertIn("exemptions:", found[0])
        self.assertNotIn("exemptions:", found[1])
        self.assertEqual(found.count(soak.REFUSED), 1)

    def test_unfollowed_changes_are_faults(self):
        followed = soak.Changes(10, 8, 2, 70, 10, 10, 8, 2, 50, 50)
        self.assertEqual(followed.faults(), [])
        unseen = soak.Changes(10, 8, 2, 70, 1, 10, 8, 0, 50, 49)
        self.assertEqual(len(unseen.faults()), 3)


class SoakLeases(unittest.TestCase):
    def get(self, address, path):
        connection = http.client.HTTPConnection(address.partition("//")[2], timeout=PATIENCE)
        with contextlib.closing(connection):
            connection.request("GET", path)
            response = connection.getresponse()
            return response.status, response.read().decode()

    def test_watch_continues_after_the_list(self):
        with tempfile.TemporaryDirectory() as folder, LeaseServer() as server:
            server.put("a")
            file = Path(folder, "kubeconfig")
            server.write_kubeconfig(file)
            address = json.loads(file.read_text())["clusters"][0]["cluster"]["server"]
            listed = json.loads(self.get(address, f"{LEASES}?resourceVersion=0")[1])
            server.put("a")
            server.put("b")
            server.delete("a")
            version = listed["metadata"]["resourceVersion"]
            watched = self.get(address, f"{LEASES}?watch=true&resourceVersion={version}&timeoutSeconds=0")[1]
            self.assertEqual(self.get(address, "/api/v1/pods")[0], 404)
        self.assertEqual([lease["metadata"]["namespace"] for lease in listed["items"]], ["a"])
        events = [json.loads(line) for line in watched.splitlines()]
        self.assertEqual([(event["type"], event["object"]["metadata"]["namespace"]) for event in events],
                         [("MODIFIED", "a"), ("ADDED", "b"), ("DELETED", "a")])
        self.assertEqual(server.namespaces, ["b"])


class LoadCapacity(unittest.TestCase):
    def test_search_finds_the_limit_within_precision(self):
        for limit in (37, 150, 200, 201, 5000, 12_345, 19_999):
            with self.subTest(limit=limit):
                tried = []
                found = capacity.search(lambda rate, limit=limit, tried=tried: tried.append(rate) or rate <= limit)
                self.assertLessEqual(found, limit)
                self.assertGreaterEqual(found * 1.06 + 1, limit)
                self.assertLess(len(tried), 16)

    def test_search_ends_without_a_limit(self):
        self.assertEqual(capacity.search(lambda _: False), 0)
        self.assertEqual(capacity.search(lambda _: True), capacity.HIGHEST_RATE)

    def test_errors_and_slow_requests_do_not_hold(self):
        slow_at_first = [record._replace(latency=60_000) for record in steady(1000)] + steady(2000)[1000:]
        slow_later = steady(2000) + [record._replace(due=2_000_000, latency=60_000) for record in steady(100)]
        failed = [*steady(1999), Record(0, 0, 1, 0, 3)]
        for found, holds in ((steady(2000), True), (slow_at_first, True), (slow_later, False), (failed, False)):
            self.assertEqual(capacity.is_within_limits(result(found), 50), holds)

    def test_sizes_follow_from_cpu_at_moderate_rate(self):
        values = capacity.chart_values(capacity.VALUES.read_text())
        self.assertEqual((values.requested_millicpu, values.target_percent), (100, 70))
        sizes = capacity.sizes([cell(), cell(connections=1000, resident=60.0)], values)
        self.assertEqual(sizes, capacity.Sizes(5000.0, 500.0, 350.0, 60.0))
        self.assertIsNone(capacity.sizes([cell(connections=1)], values))
        self.assertIsNone(capacity.sizes([cell(rate=0)], values))


class HalfLoad(unittest.TestCase):
    def test_thread_is_busy_half_of_the_time(self):
        self.assertEqual(half_load.half_load(100), 5_000)
        self.assertEqual(half_load.half_load(1), half_load.HIGHEST_RATE)

    def test_first_second_is_excluded(self):
        found = [*steady(1000, latency=9000), *[each._replace(due=each.due + 1_000_000) for each in steady(1000)]]
        last = half_load.round_of(result(found, cpu=1.0))
        self.assertEqual((last.rate, last.busy, last.p50, last.p99), (2000, 1.0, 2.0, 2.0))

    def test_only_the_echo_may_respond_otherwise(self):
        other = result([*steady(9), Record(0, 0, 1, 0, 2)])
        half_load.check(other, validates=False)
        with self.assertRaisesRegex(BenchError, "found 1 other response"):
            half_load.check(other, validates=True)
        with self.assertRaisesRegex(BenchError, "found 1 timeout"):
            half_load.check(result([Record(0, 0, 1, 0, 4)]), validates=False)

    def test_promise_takes_the_median_round(self):
        rounds = [half_load.Round(5000, 0.5, 0.1, p99) for p99 in (0.25, 9.0, 0.2)]
        promise = half_load.promise(rounds)
        self.assertAlmostEqual(promise.value, 2.5)
        self.assertTrue(promise.kept)


class PublishedCapacity(unittest.TestCase):
    """docs/operations/running.md and the chart's values follow from the recorded curve."""

    def setUp(self):
        self.recorded = json.loads((HERE / "capacity.json").read_text())
        self.cells = [capacity.Cell(**each) for each in self.recorded["cells"]]
        self.root = HERE.parents[1]
        self.page = (self.root / "docs/operations/running.md").read_text()

    def test_page_has_the_recorded_curve(self):
        def short(milliseconds):
            return f"{milliseconds:.2f}" if milliseconds < 1 else f"{milliseconds:.1f}"
        for each in self.cells:
            self.assertIn(f"| {each.threads} | {each.connections:,} | {each.rate:,} | {short(each.p50)} | "
                          f"{each.p99:.1f} | {each.cpu_us_per_request:.0f} | {each.resident_mib:.1f} |\n", self.page)
        self.assertIn(self.recorded["facts"]["date"], self.page)

    def test_chart_requests_what_the_page_says(self):
        text = capacity.VALUES.read_text()
        values = capacity.chart_values(text)
        sizes = capacity.sizes(self.cells, values)
        served, added = int(sizes.reviews_per_request), int(sizes.reviews_per_replica)
        rounded, rounded_added = served // 100 * 100, added // 10 * 10
        self.assertIn(f"for {rounded} reviews a second and 1,000 connections", text)
        self.assertIn(f"{values.requested_millicpu}m of CPU\nserve {rounded} reviews a second", self.page)
        self.assertIn(f"above {rounded_added} per replica", self.page)
        self.assertIn(f"{values.requested_mib} MiB hold the server with 1,000 connections", self.page)
        self.assertLess(sizes.resident_mib, values.requested_mib)


class LoadPage(unittest.TestCase):
    requests = [mix.Request(1, "allowed", "/a", Path("f/one.json")),
                mix.Request(1, "denied", "/b<", Path("f/two.json"))]
    facts = {"cpu": "Fast <3"}

    def check(self, text):
        self.assertTrue(text.startswith("<!doctype html>") and text.endswith("</html>\n"))
        self.assertNotIn("<script", text)
        self.assertNotIn("http://", text)
        self.assertNotIn("nan", text)
        self.assertIn("Fast &lt;3", text)

    def test_load_page_has_percentiles_plots_and_errors(self):
        text = page.load_page(result([*steady(), Record(5, 0, 9, 0, 503)]), self.requests, self.facts)
        self.check(text)
        self.assertEqual(text.count("<svg"), 2)
        for expected in ("p99.9", "HTTP 503", "from the scheduled moment", "b&lt; f/two"):
            self.assertIn(expected, text)

    def test_soak_page_shows_growth(self):
        samples = [soak.Sample(float(second), 20.0 + second, 30, 5) for second in range(100)]
        found = soak.Soak(result(steady()), samples, soak.Changes(), soak.trends(samples))
        self.assertEqual(len(found.faults), 1)
        text = page.soak_page(found, self.requests, self.facts)
        self.check(text)
        self.assertEqual(text.count("<svg"), 5)
        self.assertIn("✗ resident memory: grew by 7", text)

    def test_capacity_page_has_a_line_per_thread_count(self):
        cells = [cell(), cell(connections=256), cell(threads=2)]
        text = page.capacity_page(cells, ["1 CPU serves 5,000 reviews a second."], 50, self.facts)
        self.check(text)
        self.assertEqual(text.count('class="line line'), 2)
        self.assertIn("1 CPU serves", text)

    def test_half_load_page_has_a_row_per_round(self):
        found = {"webhook": [half_load.Round(5000, 0.5, 0.1, 0.25)], "echo": [half_load.Round(9000, 0.5, 0.1, 0.2)]}
        text = page.half_load_page(found, "✓ p99 <3", self.facts)
        self.check(text)
        for expected in ("webhook, 1", "echo, 1", "5,000", "✓ p99 &lt;3"):
            self.assertIn(expected, text)

    def test_ticks_enclose_all_values(self):
        axis = plot.Axis("ms", is_log=True)
        self.assertEqual([value for value, _ in plot._ticks(axis, [0.2, 30.0])], [0.1, 1, 10, 100])
        texts = [text for _, text in plot._ticks(plot.Axis("s"), [0.0, 42.0])]
        self.assertEqual(texts, ["0", "10", "20", "30", "40", "50"])
        self.assertEqual(plot._ticks(plot.Axis("s"), [0.0]), ((0.0, "0"), (1.0, "1")))


if __name__ == "__main__":
    unittest.main()
