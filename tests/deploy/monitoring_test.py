"""The alerts and dashboards of the chart are well formed, use only exported metrics, fire when they
must, and link to explanations."""

import html
import importlib
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

import charts
import exported_metrics
import promql
import yaml

SOURCE = pathlib.Path(__file__).resolve().parents[2]
CHART = SOURCE / "deploy/charts/dynamo-platform/charts/dynamo-operator"
ALERTS = CHART / "files/alerts.yaml"
TABLE = pathlib.Path(__file__).with_name("alerts.yaml")
# Those of our programs, and those of what Dynamo serves.
WORKLOADS = [CHART / "dashboards" / f"{name}.json" for name in ("planner", "serving")]
DASHBOARDS = [path for path in sorted((CHART / "dashboards").glob("*.json")) if path not in WORKLOADS]
SEVERITIES = {"critical", "warning", "info"}


def promtool(*arguments):
    """Runs the promtool of tests/deploy/build_tools; returns its output and status."""
    program = subprocess.run([SOURCE / "tests/deploy/build_tools", "promtool"], capture_output=True, text=True,
                             timeout=1800, check=True).stdout.strip()
    done = subprocess.run([program, *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)
    return done.stdout + done.stderr, done.returncode


def rules():
    groups = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return [rule for group in groups for rule in group["rules"]]


def panels(dashboard):
    for panel in dashboard["panels"]:
        yield panel
        yield from panel.get("panels", [])


def dashboard_expressions(paths=None):
    """(where, expression) of each query, including those of variables, with variables replaced."""
    for path in DASHBOARDS if paths is None else paths:
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        for panel in panels(dashboard):
            for target in panel.get("targets", []):
                yield f"{path.name}: {panel['title']}", without_variables(target["expr"])
        for variable in dashboard["templating"]["list"]:
            query = variable.get("query")
            match = re.fullmatch(r"label_values\((.*), (\w+)\)", query) if variable["type"] == "query" else None
            if match:
                yield f"{path.name}: ${variable['name']}", without_variables(f"sum by ({match[2]}) ({match[1]})")
            elif variable["type"] == "query":
                raise AssertionError(f"{path.name}: ${variable['name']}: must be label_values(METRIC, LABEL)")


def without_variables(expression):
    expression = expression.replace("$__rate_interval", "5m").replace("$__range", "1h")
    return re.sub(r'"\$\w+"', '".*"', expression)


class MonitoringTest(unittest.TestCase):
    def test_rules_are_valid(self):
        output, status = promtool("check", "rules", "--lint=all", "--lint-fatal", ALERTS)
        self.assertEqual(status, 0, output)

    def test_alerts_fire_only_when_they_must(self):
        # As text: 0x20 means twenty times 0 here, not 32.
        table = yaml.load(TABLE.read_text(encoding="utf-8"), Loader=yaml.BaseLoader)
        self.assertEqual([row["alert"] for row in table], [rule["alert"] for rule in rules()],
                         "alerts.yaml must have one row per alert, in their order")
        by_name = {rule["alert"]: rule for rule in rules()}
        with tempfile.TemporaryDirectory() as folder:
            files = []
            for row in table:
                self.assertTrue(row["fires"] and row["silent"], row["alert"])
                rule = by_name[row["alert"]]
                tests = [promtool_test(rule, case, fires) for fires, cases in ((True, row["fires"]), (False, row["silent"]))
                         for case in cases]
                files.append(write_promtool_file(folder, rule, tests))
            output, status = promtool("test", "rules", *files)
        self.assertEqual(status, 0, output)

    def of_release(self, namespace, **values):
        """The rule groups of a release with this name in this namespace, which Prometheus scrapes by
        its ServiceMonitors."""
        on = {"monitoring": {"serviceMonitor": {"enabled": True}, "prometheusRule": {"enabled": True}},
              "reconciler": {"enabled": True}, **values}
        rule, = [each for each in charts.render(charts.OPERATOR, [on], release="a", namespace=namespace)
                 if each["kind"] == "PrometheusRule"]
        return rule["spec"]["groups"]

    def test_alerts_match_only_their_release(self):
        groups = self.of_release("one", webhook={"timeoutSeconds": 2})
        objects = ("dynamo_operator_reconcile_errors_total", "dynamo_operator_resources_total")
        seen = 0
        for group in groups:
            job = f"a-dynamo-operator-{'reconciler' if 'reconciler' in group['name'] else 'webhook'}-metrics"
            for rule in group["rules"]:
                selectors = re.findall(r"((?:dynamo|process)_\w+)(\{[^}]*\})?", rule["expr"])
                self.assertTrue(selectors, rule["alert"])
                for name, matchers in selectors:
                    seen += 1
                    self.assertIn(f'job="{job}"', matchers, rule["expr"])
                    # An object's namespace differs from the program's.
                    self.assertEqual('{namespace="one",' in matchers, name not in objects, rule["expr"])
                    if name in objects:
                        self.assertRegex(rule["expr"], rf'on \(job, instance\) .*dynamo_reconciler_leads{{namespace="one",job="{job}"}}')
        self.assertGreater(seen, 50)

        def labels(namespace):
            return f'{{namespace="{namespace}", job="a-dynamo-operator-webhook-metrics", pod="p"}}'

        def case(alert, series, at, expected):
            return {"interval": "1m", "input_series": [{"series": name, "values": text} for name, text in series.items()],
                    "alert_rule_test": [{"eval_time": at, "alertname": alert, "exp_alerts": expected}]}

        rule = {rule["alert"]: rule for group in groups for rule in group["rules"]}
        down = rule["DynamoWebhookDown"]
        whose = {"namespace": "one", "job": "a-dynamo-operator-webhook-metrics"}
        summary = "No replica of the webhook one/a-dynamo-operator-webhook-metrics is ready."
        slow = f"dynamo_operator_webhook_duration_seconds_bucket{{le=%s, {labels('%s')[1:]}"
        one_second = {slow % (f'"{bound}"', space): rate for space in ("two",) for bound, rate in (("0.5", "0x40"), ("1", "0+60x40"), ("+Inf", "0+60x40"))}
        own_second = {name.replace('"two"', '"one"'): rate for name, rate in one_second.items()}
        tests = [
            # Another release is scraped, and this one is not.
            case("DynamoWebhookDown", {f"dynamo_webhook_ready{labels('two')}": "1x10"}, "5m",
                 [{"exp_labels": down["labels"] | whose, "exp_annotations": down["annotations"] | {"summary": summary}}]),
            case("DynamoWebhookDown", {f"dynamo_webhook_ready{labels('one')}": "1x10", f"dynamo_webhook_ready{labels('two')}": "0x10"}, "5m", []),
            # A quarter of this release's timeout is small for another.
            case("DynamoWebhookSlow", one_second, "30m", []),
        ]
        # Counted by namespaces of objects, for this release and for one of the same name elsewhere.
        for alert, counted, values, more, noted in (
                ("DynamoReconcilerErrors", 'dynamo_operator_reconcile_errors_total{namespace="team", %s, resource_type="DynamoModel", error_type="forbidden"}',
                 "0+1x40", {"namespace": "one", "resource_type": "DynamoModel", "error_type": "forbidden"},
                 "15 reconciles of DynamoModel by one/a-dynamo-operator-reconciler-metrics failed within a quarter of an hour (forbidden)."),
                ("DynamoReconcilerObjectsFail", 'dynamo_operator_resources_total{namespace="team", %s, resource_type="DynamoGraphDeployment", status="failed"}',
                 "2x40", {"namespace": "team", "resource_type": "DynamoGraphDeployment"}, "2 DynamoGraphDeployment in team have failed.")):
            job = "a-dynamo-operator-reconciler-metrics"
            pod = f'job="{job}", instance="10.0.0.2:8080"'
            fired = [{"exp_labels": rule[alert]["labels"] | {"job": job} | more, "exp_annotations": rule[alert]["annotations"] | {"summary": noted}}]
            for namespace, expected in (("one", fired), ("two", [])):
                series = {counted % pod: values, f'dynamo_reconciler_leads{{namespace="{namespace}", {pod}}}': "1x40"}
                tests.append(case(alert, series, "35m", expected))
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "rules.yaml")
            file.write_text(yaml.safe_dump({"groups": groups}), encoding="utf-8")
            output, status = promtool("check", "rules", "--lint=all", "--lint-fatal", file)
            self.assertEqual(status, 0, output)

            def validated(tests):
                path = pathlib.Path(folder, "tests.yaml")
                path.write_text(yaml.safe_dump({"rule_files": [str(file)], "evaluation_interval": "1m", "tests": tests}), encoding="utf-8")
                return promtool("test", "rules", path)

            output, status = validated(tests)
            self.assertEqual(status, 0, output)
            # Its own series must fire, or the last case would prove nothing.
            output, status = validated([case("DynamoWebhookSlow", own_second, "30m", [])])
            self.assertNotEqual(status, 0, output)

    def test_dashboards_show_only_selected_releases(self):
        """Also if two releases share a name: then their namespaces differ, and so do those of objects."""
        objects, seen = re.compile(r"dynamo_operator_(reconcile|resources)_"), 0
        for path in DASHBOARDS:
            dashboard = json.loads(path.read_text(encoding="utf-8"))
            for panel in panels(dashboard):
                for expression in (target["expr"] for target in panel.get("targets", [])):
                    for name, matchers in re.findall(r"\b((?:dynamo|process)_\w+)(\{[^}]*\})?", expression):
                        seen += 1
                        where = f"{path.name}: {panel['title']}: {expression}"
                        self.assertIn('job=~"$job"', matchers, where)
                        self.assertIn('namespace=~"$objects"' if objects.match(name) else 'namespace=~"$namespace"', matchers, where)
                        if objects.match(name):
                            self.assertIn("and on (job, instance)", expression, where)
                            self.assertIn('dynamo_reconciler_leads{namespace=~"$namespace", job=~"$job"}', expression, where)
            chosen = {variable["name"] for variable in dashboard["templating"]["list"]}
            self.assertEqual(chosen, {"datasource", "namespace", "job"} | ({"objects"} if path.stem == "reconciler" else set()))
        self.assertGreater(seen, 50)

    def test_alerts_have_condition_and_runbook_link(self):
        headings = re.findall(r"^### (\w+)$", (SOURCE / "docs/runbook.md").read_text(encoding="utf-8"), re.MULTILINE)
        self.assertEqual(headings, [rule["alert"] for rule in rules()], "docs/runbook.md must have a section per "
                         "alert, in their order")
        for rule in rules():
            notes = rule["annotations"]
            self.assertEqual(set(notes), {"summary", "description", "runbook_url"}, rule["alert"])
            self.assertIn(rule["labels"]["severity"], SEVERITIES)
            self.assertRegex(notes["description"], r"\b(must|cannot)\b", rule["alert"])
            self.assertNotRegex(notes["description"] + notes["summary"], r"\bshould\b", rule["alert"])
            # The anchors of the headings.
            self.assertEqual(notes["runbook_url"], f"docs/runbook.md#{rule['alert'].lower()}")

    def test_runbook_sections_have_three_parts(self):
        text = (SOURCE / "docs/runbook.md").read_text(encoding="utf-8")
        for section in re.split(r"^### ", text, flags=re.MULTILINE)[1:]:
            section = re.split(r"^## ", section, flags=re.MULTILINE)[0]
            for word in ("**Means**", "**Look**", "**Do**"):
                self.assertEqual(section.count(word), 1, f"{section.splitlines()[0]}: {word}")

    def test_expressions_use_only_exported_metrics(self):
        series = exported_metrics.series()
        expressions = [(rule["alert"], rule["expr"]) for rule in rules()] + list(dashboard_expressions())
        self.assertGreater(len(expressions), 50)
        for where, text in expressions:
            found = promql.read(text)
            self.assertTrue(found.metrics, f"{where}: no metric in {text}")
            known = set(exported_metrics.TARGET_LABELS)
            for name in found.metrics:
                self.assertIn(name, series, f"{where}: no program exports {name}")
                known |= set(series[name].labels)
            self.assertLessEqual(found.labels, known, f"{where}: labels that nothing in it has")
            for name, label, operator, value in found.matchers:
                self.assertIn(label, set(series[name].labels) | exported_metrics.TARGET_LABELS, f"{where}: of {name}")
                self.check_value(where, series[name].labels.get(label), operator, value)

    def test_every_own_metric_is_on_a_dashboard(self):
        shown = {name for _, text in dashboard_expressions() for name in promql.read(text).metrics}
        # The dashboards show it under its older name, which has the same values.
        shown.add("dynamo_operator_resources")
        self.assertEqual({name for name, metric in exported_metrics.series().items() if metric.name.startswith("dynamo_")
                          and metric.type != "histogram"} - shown, set())

    def check_value(self, where, values, operator, value):
        if values is None or value == ".*":
            return
        wanted = value.split("|") if "~" in operator else [re.escape(value)]
        for pattern in wanted:
            self.assertTrue(any(re.fullmatch(pattern, one) for one in values),
                            f"{where}: {value!r} matches none of {values[:20]}")

    def test_expression_parser_detects_mistakes(self):
        for text in ('sum(rate(x{a="b"}[5m])) by (c) / on (d) y unless z offset 5m',
                     'sum by (c) (rate(x{a="b", }[5m])) / on (d) group_left y unless z'):
            found = promql.read(text)
            self.assertEqual(found.metrics, {"x", "y", "z"})
            self.assertEqual(found.matchers, [("x", "a", "=", "b")])
            self.assertEqual(found.labels, {"c", "d"})
        self.assertEqual(promql.read("histogram_quantile(0.99, sum by (le) (rate(a_bucket[5m]))) > 2.5").metrics, {"a_bucket"})
        for bad in ('{a="b"}', "x ? y", "x{a}"):
            with self.assertRaises(ValueError):
                promql.read(bad)

    def listed(self):
        """The metrics of other programs: {name: (type, labels)}."""
        sys.path.insert(0, str(SOURCE / "deploy/dashboards"))
        self.addCleanup(sys.path.remove, str(SOURCE / "deploy/dashboards"))
        return importlib.import_module("workloads").METRICS

    def test_workload_dashboards_use_only_listed_metrics(self):
        listed = self.listed()
        series = {name + suffix: {*labels, *({"le"} if suffix == "_bucket" else ())} for name, (kind, labels) in listed.items()
                  for suffix in (("_bucket", "_sum", "_count") if kind == "histogram" else ("",))}
        shown = set()
        for where, text in dashboard_expressions(WORKLOADS):
            found = promql.read(text)
            self.assertTrue(found.metrics, f"{where}: no metric in {text}")
            self.assertLessEqual(found.metrics, set(series), where)
            shown |= found.metrics
            known = exported_metrics.TARGET_LABELS | {"dynamo_namespace"}
            self.assertLessEqual(found.labels, known.union(*(series[name] for name in found.metrics)), where)
            for name, label, _, _ in found.matchers:
                self.assertIn(label, series[name] | known, f"{where}: of {name}")
            # Every series is limited by the variables, but those of a GPU, which has no pod.
            for name in found.metrics:
                chosen = {label for metric, label, _, _ in found.matchers if metric == name}
                if "label_values" not in where and "$" not in where:
                    self.assertLessEqual({"Hostname"} if name.startswith("DCGM_") else {"namespace", "dynamo_namespace"}, chosen, where)
        self.assertEqual({name for name in listed if not {name, f"{name}_bucket", f"{name}_sum"} & shown}, set(), "listed and not shown")

    def test_workload_queries_show_listed_metrics(self):
        """Each query has a result where the listed metrics exist, with their labels."""
        series = {}
        for name, (kind, labels) in self.listed().items():
            of_target = {"namespace": "team-a", "dynamo_namespace": "team-a-g", "pod": "p"}
            chosen = ", ".join(f'{label}="{value}"' for label, value in (
                of_target | {label: {"dynamo_endpoint": "generate", "status": "error"}.get(label, "a") for label in labels}).items())
            if kind == "histogram":
                series |= {f'{name}_bucket{{{chosen}, le="{bound}"}}': f"0+{step}x60" for bound, step in (("1", 1), ("+Inf", 2))}
                series |= {f"{name}_sum{{{chosen}}}": "0+3x60", f"{name}_count{{{chosen}}}": "0+2x60"}
            else:
                series[f"{name}{{{chosen}}}"] = "0+1x60" if kind == "counter" else "5x60"
        found = list(dashboard_expressions(WORKLOADS))
        rules = [{"alert": f"Query{number}", "expr": f"count({text}) > 0", "annotations": {"where": where}} for number, (where, text) in enumerate(found)]
        shown = [{"eval_time": "30m", "alertname": rule["alert"], "exp_alerts": [{"exp_annotations": rule["annotations"]}]} for rule in rules]
        with tempfile.TemporaryDirectory() as folder:
            file, test = pathlib.Path(folder, "rules.yaml"), pathlib.Path(folder, "tests.yaml")
            file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}), encoding="utf-8")
            test.write_text(yaml.safe_dump({"rule_files": [str(file)], "evaluation_interval": "1m", "tests": [
                {"interval": "1m", "input_series": [{"series": name, "values": values} for name, values in series.items()],
                 "alert_rule_test": shown}]}), encoding="utf-8")
            output, status = promtool("test", "rules", test)
        self.assertEqual(status, 0, output)

    def test_workload_dashboards_cover_what_operators_watch(self):
        """Requests, tokens, time to the first token, inter-token latency, queue, KV cache, GPUs, and the planner."""
        shown = {name for _, text in dashboard_expressions(WORKLOADS) for name in promql.read(text).metrics}
        for name in ("dynamo_frontend_requests_total", "dynamo_frontend_output_sequence_tokens_sum", "dynamo_frontend_input_sequence_tokens_sum",
                     "dynamo_frontend_time_to_first_token_seconds_bucket", "dynamo_frontend_inter_token_latency_seconds_bucket",
                     "dynamo_frontend_queued_requests", "dynamo_component_gpu_cache_usage_percent", "DCGM_FI_DEV_GPU_UTIL",
                     "dynamo_planner_num_prefill_replicas", "planner:num_p_workers"):
            self.assertIn(name, shown)

    def test_promtool_accepts_dashboard_queries(self):
        rules = [{"record": f"query:{number}", "expr": text} for number, (_, text) in enumerate(dashboard_expressions([*DASHBOARDS, *WORKLOADS]))]
        self.assertGreater(len(rules), 150)
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder, "rules.yaml")
            file.write_text(yaml.safe_dump({"groups": [{"name": "queries", "rules": rules}]}), encoding="utf-8")
            output, status = promtool("check", "rules", file)
        self.assertEqual(status, 0, output)

    def test_dashboards_are_complete(self):
        self.assertEqual([path.stem for path in DASHBOARDS],
                         ["admission-overview", "certificates-and-leases", "reconciler", "rules-and-denials"])
        uids = set()
        for path in [*DASHBOARDS, *WORKLOADS]:
            text = path.read_text(encoding="utf-8")
            dashboard = json.loads(text)
            uids.add(dashboard["uid"])
            self.assertRegex(dashboard["uid"], r"^[a-z0-9-]{1,40}$")
            self.assertIsNone(dashboard["id"], "an id is the database's business")
            ids = [panel["id"] for panel in panels(dashboard)]
            self.assertEqual(len(ids), len(set(ids)))
            for panel in panels(dashboard):
                where = f"{path.name}: {panel['title']}"
                place = panel["gridPos"]
                self.assertLessEqual(place["x"] + place["w"], 24, where)
                if panel["type"] == "row":
                    continue
                self.assertGreater(len(panel["description"]), 20, where)
                self.assertEqual(panel["datasource"]["uid"], "${datasource}", where)
                self.assertTrue(panel["targets"], where)
                self.assertIn("unit", panel["fieldConfig"]["defaults"], where)
            self.assertEqual(overlaps(dashboard), [], path.name)
        self.assertEqual(len(uids), len(DASHBOARDS) + len(WORKLOADS))

    def test_docs_have_an_image_of_every_panel(self):
        for path in DASHBOARDS:
            wanted = [panel["title"] for panel in panels(json.loads(path.read_text(encoding="utf-8"))) if panel["type"] != "row"]
            picture = (SOURCE / "docs/pictures" / f"{path.stem}.svg").read_text(encoding="utf-8")
            shown = re.findall(r'<text x="8\.0" y="18\.0" font-size="12"[^>]*>([^<]+)</text>', picture)
            self.assertEqual([html.unescape(title) for title in shown], wanted,
                             f"docs/pictures/{path.stem}.svg: deploy/dashboards/draw --kubeconfig FILE docs/pictures")

    def test_prometheus_answers_dashboard_queries(self):
        # Every query, with data of a short run; the images are discarded.
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run([sys.executable, SOURCE / "deploy/dashboards/draw", "--seconds", "12", "--program",
                                   os.environ["DYNAMO_WEBHOOK_BINARY"], folder], capture_output=True, text=True, timeout=1800, check=False)
            self.assertEqual(done.returncode, 0, done.stderr)
            drawn = {path.stem: path.read_text(encoding="utf-8") for path in pathlib.Path(folder).glob("*.svg")}
        self.assertEqual(set(drawn), {path.stem for path in DASHBOARDS})
        self.assertIn("<polyline", drawn["admission-overview"])
        self.assertIn("type.mismatch", drawn["rules-and-denials"])

    def test_dashboards_match_their_tables(self):
        done = subprocess.run([sys.executable, SOURCE / "deploy/dashboards/generate", "--check", CHART / "dashboards"],
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)


def promtool_test(rule, case, fires):
    expected = []
    if fires:
        notes = rule["annotations"] | {"summary": case["summary"]}
        expected = [{"exp_labels": rule["labels"] | case["labels"], "exp_annotations": notes}]
    return {"interval": "1m", "input_series": [{"series": name, "values": str(values)}
                                               for name, values in case["series"].items()],
            "alert_rule_test": [{"eval_time": case["at"], "alertname": rule["alert"], "exp_alerts": expected}]}


def write_promtool_file(folder, rule, tests):
    """A file of tests that evaluate this rule alone: promtool evaluates every rule of a file at each minute of each
    test, and no rule reads another one's result."""
    rules = pathlib.Path(folder, f"{rule['alert']}.rules.yaml")
    rules.write_text(yaml.safe_dump({"groups": [{"name": "one", "rules": [rule]}]}), encoding="utf-8")
    file = pathlib.Path(folder, f"{rule['alert']}.yaml")
    file.write_text(yaml.safe_dump({"rule_files": [str(rules)], "evaluation_interval": "1m", "tests": tests}), encoding="utf-8")
    return file


def overlaps(dashboard):
    """Pairs of overlapping panels."""
    taken, found = {}, []
    for panel in panels(dashboard):
        place = panel["gridPos"]
        for x in range(place["x"], place["x"] + place["w"]):
            for y in range(place["y"], place["y"] + place["h"]):
                if (x, y) in taken:
                    found.append((taken[x, y], panel["title"]))
                taken[x, y] = panel["title"]
    return found


if __name__ == "__main__":
    unittest.main()
