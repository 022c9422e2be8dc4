"""Tests of docs/performance.md's generator, and of the committed page."""

import dataclasses
import json
import re
import unittest
import xml.etree.ElementTree
from pathlib import Path

import performance
from driver import chart, page, results
from driver.chart import Bar, Group
from driver.machine import BenchError
from driver.measure import FULL, Latency, Measurements
from driver.promises import Promise
from driver.report import Report
from driver.review import Review
from driver.rounds import Rounds

FACTS = {
    "date": "2026-01-02",
    "duration_seconds": 601,
    "revision": {"commit": "0123456789abcdef", "changed": False},
    "machine": {"cpu": "Fast | CPU", "cpus": 2, "memory_mib": 8000, "architecture": "x86_64", "system": "Debian",
                "kernel": "6.1"},
    "versions": {"compiler": "GNU 12.2.0", "flags": "-O2", "libc": "glibc 2.36", "openssl": "OpenSSL 3",
                 "h2load": "h2load 1"},
}
# µs of CPU per request.
MEDIANS = {"echo": 40.0, "webhook": 80.0, "go-peer": 1000.0}
SVG = "{http://www.w3.org/2000/svg}"


class SizedReview(Review):
    """A review of 2,048 bytes without a file."""

    @property
    def size(self):
        return 2048


def run(foreign_load=0.01):
    """The JSON text of a run, as bench/run.py writes it."""

    def rounds(median):
        return Rounds([median, median + 2, median - 1, median + 1, median - 2])

    keys = [(review, server) for review in results.COMPARED for server in MEDIANS]
    measured = Measurements(
        cost={key: rounds(MEDIANS[key[1]]) for key in keys},
        latency={key: Latency(rounds(MEDIANS[key[1]] * 2), rounds(MEDIANS[key[1]] * 4)) for key in keys},
        resident_kib={server: 2048 for server in MEDIANS},
        idle_bytes={server: 1024.0 for server in MEDIANS},
        large_cost={("large_3m", server): rounds(MEDIANS[server]) for server in MEDIANS},
        foreign_load=foreign_load,
        instructions={key: MEDIANS[key[1]] * 1000 for key in keys if key[1] != "go-peer"},
    )
    reviews = [SizedReview(name, Path()) for name in results.COMPARED]
    report = Report(measured, list(MEDIANS), reviews, [SizedReview("large_3m", Path())], FULL, (0, 1))
    promised = [Promise("create_2k: our CPU to the echo's", 2.0, "at most", 1.6, "×")]
    return json.dumps(report.as_json(promised, FACTS))


def changed(change):
    """The same run with a change of its JSON."""
    found = json.loads(run())
    change(found)
    return json.dumps(found)


class Results(unittest.TestCase):
    def test_full_run_is_fit_for_publication(self):
        self.assertEqual(results.faults(results.read(run())), [])

    def test_every_fault_is_named(self):
        for change, fault in (
            (lambda found: found["run"].update(is_measurement=False), "smoke run"),
            (lambda found: found["run"].update(rounds=4), "4 rounds, at least 5"),
            (lambda found: found["run"].update(foreign_load=0.11), "used 11 % of the two CPUs, at most 10 %"),
            (lambda found: found["revision"].update(commit="unknown"), "commit is unknown"),
            (lambda found: found["revision"].update(changed=True), "differed from its commit"),
            (lambda found: found["memory"].pop(), "no results of go-peer"),
            (lambda found: found["latency"].pop(), "no results of go-peer"),
            (lambda found: found["cpu_per_request"].pop(0), "no results of echo"),
            (lambda found: found["instructions_per_request"].pop(), "no instructions"),
        ):
            with self.subTest(fault=fault):
                text = changed(change)
                [line] = results.faults(results.read(text))
                self.assertIn(fault, line)
                with self.assertRaisesRegex(BenchError, "not fit for publication"):
                    performance.files(text, is_draft=False)

    def test_other_json_is_refused(self):
        for text in ("", "[]", "{}", changed(lambda found: found.update(format=2)),
                     changed(lambda found: found.pop("latency")), changed(lambda found: found.update(machine=None))):
            with self.subTest(text=text[:60]), self.assertRaisesRegex(BenchError, "--json"):
                results.read(text)


class Page(unittest.TestCase):
    def test_every_section_with_values_names_its_source(self):
        sections = page.page(results.read(run()), []).split("\n## ")[1:]
        self.assertEqual([section.partition("\n")[0] for section in sections],
                         ["CPU per request", "Instructions per request", "Latency", "Memory", "Large reviews",
                          "Promises", "Machine and versions", "Reproduce"])
        for section in sections[:-1]:
            self.assertRegex(section, r"\nSource: `\w+` of \[bench/performance.json\]\(../bench/performance.json\); ")

    def test_values_are_medians_with_spread(self):
        text = page.page(results.read(run()), [])
        costs = "40.0 (38.0–42.0) | 80.0 (78.0–82.0) | 1,000 (998–1,002)"
        self.assertIn(f"| create_2k | 2,048 | {costs} | 2.00 | 12.50 |", text)
        self.assertIn("| create_2k | webhook | 160.0 (158.0–162.0) | 320.0 (318.0–322.0) |", text)
        self.assertIn("| update_28k | 40,000 | 80,000 |", text)
        self.assertIn(f"| large_3m | 2,048 | {costs} | 40.00 |", text)
        self.assertIn("| create_2k: our CPU to the echo's | at most 1.6 × | 2.00 × | ✗ |", text)
        self.assertIn("git checkout 0123456789abcdef", text)
        self.assertIn("took 11 minutes", text)
        self.assertIn("Fast \\| CPU", text)

    def test_every_link_names_a_written_or_committed_file(self):
        files = performance.files(run(), is_draft=False)
        for link in re.findall(r"\]\(([^)#]+)", files[page.PAGE]):
            target = (performance.ROOT / "docs" / link).resolve().relative_to(performance.ROOT).as_posix()
            self.assertTrue(target in files or (performance.ROOT / target).exists(), link)

    def test_draft_is_marked_with_its_faults(self):
        files = performance.files(run(foreign_load=0.5), is_draft=True)
        self.assertIn("> **Draft.** These results are not fit for publication: other processes used 50 %",
                      files[page.PAGE])
        self.assertNotIn("Draft", performance.files(run(), is_draft=True)[page.PAGE])

    def test_missing_quantities_leave_a_page(self):
        def remove(found):
            found["cpu_per_request"] = found["cpu_per_request"][:1]
            found["instructions_per_request"] = found["large_cpu_per_request"] = found["promises"] = []

        files = performance.files(changed(remove), is_draft=True)
        self.assertIn("| create_2k | 2,048 | 40.0 (38.0–42.0) | – | – | – | – |", files[page.PAGE])
        self.assertNotIn("performance-instructions.svg", "".join(files) + files[page.PAGE])

    def test_committed_page_matches_its_results(self):
        data = performance.ROOT / page.DATA
        if not data.exists():
            self.skipTest(f"{page.DATA} is not committed")
        for name, text in performance.files(data.read_text(), is_draft=False).items():
            self.assertEqual((performance.ROOT / name).read_text(), text,
                             f"{name} must be written again: ./dev bench report {page.DATA}")


class Chart(unittest.TestCase):
    GROUPS = [Group("First <&>", [Bar("echo", 10.0, 9.0, 12.0, "10 µs"), Bar("webhook", 20.0, 20.0, 20.0, "20 µs")]),
              Group("Second", [Bar("go-peer", 100.0, 90.0, 110.0, "100 µs")])]

    def drawn(self):
        return xml.etree.ElementTree.fromstring(chart.draw("Title", "Subtitle", "µs", self.GROUPS))

    def test_lengths_are_proportional_to_values(self):
        widths = {bar.get("class"): float(bar.get("width")) for bar in self.drawn().iter(f"{SVG}rect")}
        self.assertAlmostEqual(widths["webhook"], 2 * widths["echo"], delta=0.2)
        self.assertAlmostEqual(widths["go-peer"], 10 * widths["echo"], delta=1)

    def test_only_spread_values_have_a_whisker(self):
        self.assertEqual(len(list(self.drawn().iter(f"{SVG}path"))), 2)

    def test_every_shape_has_colours_of_both_themes(self):
        svg = self.drawn()
        dark = svg.find(f"{SVG}style").text
        self.assertTrue(dark.startswith("@media (prefers-color-scheme: dark)"))
        for shape in svg:
            if name := shape.get("class"):
                self.assertIn(chart.COLOURS[name][0], (shape.get("fill"), shape.get("stroke")))
                self.assertIn(chart.COLOURS[name][1], dark)

    def test_colours_have_enough_contrast(self):
        def luminance(colour):
            parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
            linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))

        for theme in (0, 1):
            ground = luminance(chart.COLOURS["background"][theme])
            for name in set(chart.COLOURS) - {"background", "grid"}:
                needed = 3 if name in MEDIANS else 4.5
                colour = luminance(chart.COLOURS[name][theme])
                ratio = (max(ground, colour) + 0.05) / (min(ground, colour) + 0.05)
                self.assertGreaterEqual(ratio, needed, f"{name} {theme}")

    def test_axis_has_round_numbers(self):
        for largest, step in ((1, 0.2), (5, 1), (7, 2), (49, 10), (110, 50), (2943, 1000)):
            self.assertAlmostEqual(chart.tick_step(largest), step)

    def test_description_has_all_values(self):
        text = self.drawn().find(f"{SVG}desc").text
        self.assertEqual(text, "Subtitle First <&>: echo 10 µs, webhook 20 µs. Second: go-peer 100 µs.")

    def test_negative_value_has_no_length(self):
        bars = [dataclasses.replace(self.GROUPS[0].bars[0], value=-1.0), self.GROUPS[0].bars[1]]
        svg = xml.etree.ElementTree.fromstring(chart.draw("", "", "", [Group("", bars)]))
        self.assertTrue(all(float(bar.get("width")) >= 0 for bar in svg.iter(f"{SVG}rect")))


if __name__ == "__main__":
    unittest.main()
