"""Tests of the benchmark's arithmetic, and of its checks for a broken measurement."""

import contextlib
import io
import json
import os
import re
import tempfile
import unittest
from pathlib import Path

import by_rule
import instructions
import rules
import threads
from driver import callgrind, client, facts, load, machine, measure, promises, report, revision, servers
from driver import instructions as server_instructions
from driver.measure import SMOKE, Measurements
from driver.review import CONVERSION_PATH, LATER_GRAPH_PATH, Review
from driver.rounds import Rounds

H2LOAD_REPORT = """starting benchmark...
TLS Protocol: TLSv1.3
finished in 1.73s, 11582.60 req/s, 2.99MB/s
requests: 100 total, 100 started, 100 done, 100 succeeded, 0 failed, 0 errored, 0 timeout
status codes: 100 2xx, 0 3xx, 0 4xx, 0 5xx
"""


def costs(**values):
    """costs(webhook=10.0), the same for every review."""
    return {
        (review, server.replace("_", "-")): Rounds([value])
        for server, value in values.items()
        for review in ("create_2k", "update_28k")
    }


def measured(cost, resident_kib=None, idle_bytes=None, linear=None):
    return Measurements(cost, {}, resident_kib or {}, idle_bytes or {}, linear or {}, 0.0)


class SizedReview(Review):
    """A review of a given size without a file."""

    sizes = {"v": 1024, "large_250k": 250 * 1024, "large_3m": 3000 * 1024}

    @property
    def size(self):
        return self.sizes[self.name]


class Spread(unittest.TestCase):
    def test_quartiles_lie_between_rounds(self):
        self.assertEqual(Rounds([4.0, 1.0, 2.0, 3.0, 5.0]).quartiles, (2.0, 4.0))
        self.assertEqual(Rounds([7.0]).quartiles, (7.0, 7.0))

    def test_json_has_median_spread_and_rounds(self):
        self.assertEqual(
            Rounds([2.0, 1.0, 4.004]).as_json(),
            {"median": 2.0, "min": 1.0, "q1": 1.5, "q3": 3.0, "max": 4.0, "rounds": [2.0, 1.0, 4.0]},
        )


class Facts(unittest.TestCase):
    def test_machine_is_read_from_linux_files(self):
        self.assertEqual(facts.cpu_model("processor : 0\nmodel name\t: Fast 3\nmodel name\t: other\n"), "Fast 3")
        self.assertEqual(facts.system('NAME="Debian"\nPRETTY_NAME="Debian 12"\n'), "Debian 12")

    def test_compiler_is_read_from_the_build(self):
        described = 'set(CMAKE_CXX_COMPILER_ID "GNU")\nset(CMAKE_CXX_COMPILER_VERSION "12.2.0")\n'
        self.assertEqual(facts.compiler(described), "GNU 12.2.0")
        cache = "CMAKE_BUILD_TYPE:STRING=Release\nCMAKE_CXX_FLAGS_RELEASE:STRING=-O2 -g1\n"
        self.assertEqual(facts.flags(cache), "-O2 -g1")

    def test_missing_fact_is_unknown(self):
        with tempfile.TemporaryDirectory() as folder:
            versions = facts.versions(Path(folder))
            self.assertEqual((versions["compiler"], versions["flags"]), ("unknown", "unknown"))
            self.assertEqual(facts.commit(Path(folder)), {"commit": "unknown", "changed": None})
        self.assertEqual(facts.first_line(["/nonexistent/program"]), "unknown")


class Revisions(unittest.TestCase):
    def test_unknown_revision_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            with self.assertRaisesRegex(machine.BenchError, "--against v1"):
                revision.build(Path(folder), "v1")

    def test_cache_keeps_the_builds_used_last(self):
        with tempfile.TemporaryDirectory() as folder:
            for age in range(revision.KEPT_BUILDS + 2):
                build = Path(folder) / f"{age}-key"
                build.mkdir()
                os.utime(build, (1000 - age, 1000 - age))
            revision.remove_old(Path(folder))
            self.assertEqual(sorted(path.name for path in Path(folder).iterdir()),
                             [f"{age}-key" for age in range(revision.KEPT_BUILDS)])


class LoadReport(unittest.TestCase):
    def test_accepts_run_without_failed_requests(self):
        load._check_report(H2LOAD_REPORT, 100)

    def test_refuses_failed_missing_and_non_2xx_requests(self):
        for text, requests in (
            (H2LOAD_REPORT.replace("100 succeeded, 0 failed", "99 succeeded, 1 failed"), 100),
            (H2LOAD_REPORT.replace("100 2xx, 0 3xx, 0 4xx", "99 2xx, 0 3xx, 1 4xx"), 100),
            (H2LOAD_REPORT, 101),
            ("", 100),
        ):
            with self.subTest(text=text, requests=requests), self.assertRaises(machine.BenchError):
                load._check_report(text, requests)

    def test_refuses_another_tls_version(self):
        with self.assertRaisesRegex(machine.BenchError, "TLS 1.3"):
            load._check_report(H2LOAD_REPORT.replace("TLSv1.3", "TLSv1.2"), 100)


class Verdicts(unittest.TestCase):
    def test_corrupt_copies_differ_in_replicas_only(self):
        bench = Path(__file__).resolve().parent
        for name, wrong in (
            ("create_2k", -1), ("v1beta1/update_28k", 1 << 32), ("conversions/to_v1alpha1_13k", 1 << 32)
        ):
            with self.subTest(review=name):
                body = (bench / "reviews" / f"{name}.json").read_bytes()
                review = json.loads(client._corrupt(body))["request"]
                graph = (review.get("objects") or [review["object"]])[0]
                components = graph["spec"].get("components") or graph["spec"]["services"].values()
                self.assertEqual({component["replicas"] for component in components}, {wrong})

    def test_conversions_are_accepted_with_their_object(self):
        review = Review("c", Path(), CONVERSION_PATH)
        for status, objects, accepted in (
            ("Success", [{}], True), ("Success", [], False), ("Failure", [{}], False)
        ):
            response = {"result": {"status": status}, "convertedObjects": objects}
            self.assertEqual(client._is_accepted(review, response), accepted)


class Figures(unittest.TestCase):
    def test_percentiles_use_nearest_rank(self):
        self.assertEqual(measure._percentile(list(range(1, 101)), 50), 50)
        self.assertEqual(measure._percentile(list(range(1, 101)), 99), 99)
        self.assertEqual(measure._percentile([7], 99), 7)
        self.assertEqual(measure._percentile([1, 2, 3], 99), 3)

    def test_cost_excludes_opening_of_connections(self):
        class Server:
            name = "webhook"
            clock = iter(
                (1.0, 1.5, 2.2)
            )  # 0.5 s to open, then 0.7 s: 0.2 s after opening

            def url(self, path):
                return path

            def cpu_seconds(self):
                return next(self.clock)

        original, load.flood = load.flood, lambda *_: None
        try:
            cost = measure._cost(
                Server(),
                Review("r", Path("r")),
                load.CONNECTIONS + 100,
                None,
                measure._MemoryWatch({}),
            )
        finally:
            load.flood = original
        self.assertAlmostEqual(cost, 2000.0)

    def test_servers_without_a_path_have_no_rows(self):
        class Server:
            def __init__(self, name):
                self.name = name

        everywhere, later = Review("r", Path("r")), Review("v", Path("r"), LATER_GRAPH_PATH)
        webhook, peer = Server("webhook"), Server("go-peer")
        pairs = [(everywhere, "webhook"), (everywhere, "go-peer"), (later, "webhook")]
        self.assertEqual(
            measure._running(pairs, [peer, webhook]),
            [(everywhere, peer), (everywhere, webhook), (later, webhook)],
        )
        cost = {("v", "webhook"): Rounds([12.5])}
        shown = report.Report(measured(cost), ["webhook", "go-peer"], [], [], SMOKE, (0, 1))
        table = shown._cost_table("costs", cost, [SizedReview("v", Path(), LATER_GRAPH_PATH)])
        self.assertEqual(table.splitlines()[-1].split(), ["v", "1024", "12.5", "–", "–"])

    def test_deadline_limits_waits_and_ends_run(self):
        self.assertLessEqual(machine.Deadline(2).cut(60), 2)
        with self.assertRaisesRegex(machine.BenchError, "--max-seconds"):
            machine.Deadline(0).cut(60)


class ServerInstructions(unittest.TestCase):
    def test_larger_reviews_are_sent_fewer_times(self):
        self.assertEqual(server_instructions.requests_for(2_401), (320, 2000))
        self.assertEqual(server_instructions.requests_for(16 * 1024), (160, 1000))
        self.assertEqual(server_instructions.requests_for(3_000_000), (8, 8))


class Promises(unittest.TestCase):
    def test_limits_are_inclusive(self):
        for ours, echo, peer, met in (
            (14.0, 10.0, 252.0, True),
            (14.1, 10.0, 300.0, False),
            (14.0, 10.0, 251.0, False),
        ):
            with self.subTest(ours=ours, echo=echo, peer=peer):
                lines = promises.evaluate(measured(costs(webhook=ours, echo=echo, go_peer=peer)), [])
                self.assertEqual(
                    [line.what for line in lines],
                    [
                        "create_2k: our CPU to the echo's",
                        "create_2k: the Go peer's CPU to ours",
                        "update_28k: our CPU to the echo's",
                        "update_28k: the Go peer's CPU to ours",
                    ],
                )
                self.assertEqual(all(line.kept for line in lines), met)

    def test_need_webhook_and_reference_server(self):
        self.assertEqual(promises.evaluate(measured(costs(echo=10.0, go_peer=100.0)), []), [])
        self.assertEqual(len(promises.evaluate(measured(costs(webhook=10.0, echo=10.0)), [])), 2)

    def test_no_review_costs_more_than_before(self):
        # A noisy round that affects both does not count.
        for ours, kept in (([10.3, 20.6, 10.3], True), ([10.4, 20.8, 10.3], False)):
            cost = {
                ("small", "webhook"): Rounds(ours),
                ("small", "before"): Rounds([10.0, 20.0, 10.0]),
            }
            [line] = promises.evaluate(measured(cost), [])
            self.assertEqual(line.what, "small: our CPU to that of the build before")
            self.assertEqual(line.kept, kept)

    def test_instructions_are_compared_in_addition_to_time(self):
        for ours, kept in ((103.0, True), (103.1, False)):
            figures = measured({})
            figures.instructions = {("small", "webhook"): ours, ("small", "before"): 100.0}
            [line] = promises.evaluate(figures, [])
            self.assertEqual(line.what, "small: our instructions to those of the build before")
            self.assertEqual(line.kept, kept)

    def test_instructions_and_latency_have_limits(self):
        figures = measured({})
        for count, p99, kept in ((65_000, 300.0, True), (65_001, 301.0, False)):
            figures.instructions = {("create_2k", "webhook"): count}
            figures.latency = {("create_2k", "webhook"): measure.Latency(Rounds([100.0]), Rounds([p99]))}
            lines = promises.evaluate(figures, [])
            self.assertEqual([(line.what, line.kept) for line in lines], [
                ("create_2k: our instructions", kept),
                ("create_2k: 99th percentile of latency to the 50th, at 400 a second", kept)])

    def test_memory_limits_are_in_mib_and_kib(self):
        lines = promises.evaluate(
            measured({}, {"webhook": 20 * 1024 + 1}, {"webhook": 19.5 * 1024.0}), []
        )
        self.assertEqual([line.kept for line in lines], [False, True])

    def test_linearity_compares_cost_per_byte(self):
        large = [SizedReview(name, Path()) for name in ("large_250k", "large_3m")]
        for at_3m, met in ((3000 * 1.5, True), (3000 * 1.51, False)):
            linear = {
                ("large_250k", "webhook"): Rounds([250.0]),
                ("large_3m", "webhook"): Rounds([at_3m]),
            }
            [line] = promises.evaluate(measured({}, linear=linear), large)
            self.assertEqual(line.kept, met)


class Threads(unittest.TestCase):
    def test_speed_up_is_relative_to_two_processes(self):
        results = {(review, name): cost for review in threads.REVIEWS
                   for name, cost in ((threads.ONE, [5.0, 5.0]), (threads.TWO, [10.0, 20.0]),
                                      (threads.PROCESSES, [10.0, 10.0]))}
        for promise in threads.promises(results):
            self.assertEqual((promise.value, promise.kept), (1.5, False))

    def test_unshared_load_breaks_the_measurement(self):
        server = servers.Server(None, os.getpid(), 0, (), None, Path())
        with self.assertRaisesRegex(machine.BenchError, "must have used 25% of the CPU each"):
            threads.check_shares(server)

    def test_requests_are_divided_among_the_servers(self):
        class Server:
            def __init__(self, name):
                self.name = name

            def url(self, path):
                return self.name + path

        sent = []
        original, load.flood = load.flood, lambda url, _, requests, __: sent.append((url, requests))
        try:
            threads.flood([Server("a"), Server("b")], Review("r", Path("r"), "/v"), 200, None)
            threads.flood([Server("c")], Review("r", Path("r"), "/v"), 200, None)
        finally:
            load.flood = original
        self.assertEqual(sorted(sent), [("a/v", 100), ("b/v", 100), ("c/v", 100), ("c/v", 100)])


class Rules(unittest.TestCase):
    @staticmethod
    def figures(*runs):
        return {"benchmarks": [{"run_name": name, "run_type": kind, "cpu_time": time,
                                "time_unit": unit} for name, kind, time, unit in runs]}

    def test_fastest_repetition_counts_in_microseconds(self):
        best = rules.best_times(self.figures(
            ("a", "iteration", 3000.0, "ns"), ("a", "iteration", 2000.0, "ns"),
            ("a", "aggregate", 1.0, "ns"), ("b", "iteration", 4.0, "us")))
        self.assertEqual(best, {"a": 2.0, "b": 4.0})

    def test_limits_are_inclusive(self):
        for plain, policy, kept in ((25.0, 28.75, [True, True]), (25.1, 28.0, [False, True]),
                                    (20.0, 23.1, [True, False])):
            with self.subTest(plain=plain, policy=policy):
                promised = rules.evaluate({rules.PLAIN: plain, rules.POLICY: policy})
                self.assertEqual([line.kept for line in promised], kept)


class RulesOneByOne(unittest.TestCase):
    FUNCTION = "dynamo::validators::pod::(anonymous namespace)::probes(Context const&)"

    def test_every_rule_has_a_function(self):
        sources = sorted((Path(__file__).resolve().parents[1] / "validators").rglob("*.cpp"))
        count = sum(source.read_text().count("extern constexpr Rule ") for source in sources)
        found = by_rule.rule_functions(sources).values()
        self.assertEqual(sum(len(rules.split(", ")) for rules in found), count)

    def test_cost_includes_called_functions(self):
        costs = by_rule.CallCosts(iter((
            "fn=(1) caller\n", "10 5\n", f"cfn=(2) {self.FUNCTION}\n", "calls=2 20\n", "11 300\n",
            "fn=(2)\n", "20 100\n", "cfn=(2)\n", "calls=7 20\n", "21 200\n")))
        self.assertEqual(costs.of("dynamo::validators::pod::probes("), (300, 9))

    def test_most_expensive_rule_comes_first(self):
        text = by_rule.table({"one": {"a": 1.0, "b": 2.0}, "two": {"b": 3000.4}})
        self.assertEqual(text.splitlines()[2:], ["| b | 2 | 3,000 |", "| a | 1 | – |"])


class Instructions(unittest.TestCase):
    @staticmethod
    def counts(**values):
        return instructions.Counts("x86_64", "12.2.0", "glibc 2.36", values)

    def test_five_percent_more_is_the_limit(self):
        recorded = self.counts(small=1000, large=2000)
        self.assertEqual(instructions.excesses(recorded, self.counts(small=1050, large=2100)), [])
        [line] = instructions.excesses(recorded, self.counts(small=1050, large=2101))
        self.assertEqual(line, "large: must take at most 5 % more than the recorded 2,000 instructions; "
                               "found 2,101 (+5.0 %)")

    def test_review_without_recorded_count_fails(self):
        [line] = instructions.excesses(self.counts(), self.counts(new=1234))
        self.assertEqual(line, "new: has no recorded count; it takes 1,234 instructions")

    def test_failure_names_the_command_that_records(self):
        output, errors = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
            status = instructions.compare(self.counts(small=1000), self.counts(small=2000))
        self.assertEqual(status, 1)
        self.assertIn("./dev bench instructions --record", errors.getvalue())

    def test_notes_name_versions_and_cheaper_reviews(self):
        recorded = self.counts(small=1000, large=2000)
        self.assertEqual(instructions.notes(recorded, self.counts(small=950, large=2000)), [])
        lines = instructions.notes(recorded, instructions.Counts("x86_64", "13.1.0", "glibc 2.36", {"small": 949}))
        self.assertEqual(len(lines), 2)
        self.assertIn("compiler 12.2.0, counted with 13.1.0", lines[0])
        self.assertIn("cheaper than recorded: small;", lines[1])

    def test_recorded_file_has_every_review(self):
        recorded = instructions.read(instructions.RECORDED.read_text())
        served = [f"https/{name}" for name in instructions.SERVED_REVIEWS]
        self.assertEqual(list(recorded.instructions), [*instructions.GRAPH_REVIEWS, instructions.ONE_SERVICE, *served])
        self.assertEqual(instructions.read(instructions.written(recorded)), recorded)

    def test_other_files_are_refused(self):
        for text in ("", "[]", "{}", '{"architecture": "", "compiler": "", "libc": "", "instructions": {"a": "1"}}'):
            with self.subTest(text=text), self.assertRaisesRegex(machine.BenchError, "--record"):
                instructions.read(text)

    def test_callgrind_file_without_total_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "callgrind.out"
            with self.assertRaises(machine.BenchError):
                callgrind.total(file, "program")
            file.write_text("events: Ir\nfn=(1) main\n0 12\ntotals: 12\n")
            self.assertEqual(callgrind.total(file, "program"), 12)


class EtcdTest(unittest.TestCase):
    def test_etcd_matches_kubernetes_of_the_tests(self):
        root = Path(__file__).resolve().parents[1]

        def version(file, module):
            text = (root / file).read_text(encoding="utf-8")
            return re.search(rf"go\.etcd\.io/etcd/{re.escape(module)} (v\S+)", text)[1]

        self.assertEqual(version("bench/reconciler/etcd/go.mod", "server/v3"), version("tests/cluster/go.mod", "client/v3"))


if __name__ == "__main__":
    unittest.main()
