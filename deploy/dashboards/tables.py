"""The dashboards: rows of panels with their queries. A metric or label that no program exports fails
tests/deploy/monitoring_test.py."""

import dataclasses

# The variables at the top of a dashboard.
HERE = 'namespace=~"$namespace", job=~"$job"'


@dataclasses.dataclass(frozen=True)
class Panel:
    """`queries`: (PromQL, legend). `steps`: the thresholds of orange and red; with a minus, of the
    change from red to green."""

    kind: str
    title: str
    description: str
    queries: tuple
    unit: str = "short"
    width: int = 8
    steps: tuple = ()
    minimum: float | None = 0


def stat(title, description, expression, unit="short", steps=(), legend="", width=4):
    return Panel("stat", title, description, ((expression, legend),), unit, width, steps, None)


def graph(title, description, *queries, unit="short", width=8, minimum=0):
    return Panel("timeseries", title, description, queries, unit, width, (), minimum)


def bars(title, description, expression, legend, unit="short", width=12):
    return Panel("bargauge", title, description, ((expression, legend),), unit, width)


def rate(metric, by, more=""):
    """Per second, summed by labels."""
    return f"sum by ({by}) (rate({metric}{{{HERE}{more}}}[$__rate_interval]))"


def grown(metric, by, more="", span="$__rate_interval"):
    return f"sum by ({by}) (increase({metric}{{{HERE}{more}}}[{span}]))"


def quantile(share, by=""):
    labels = f"le, {by}" if by else "le"
    return (f"histogram_quantile({share}, sum by ({labels}) "
            f"(rate(dynamo_operator_webhook_duration_seconds_bucket{{{HERE}}}[$__rate_interval])))")


REQUESTS = "dynamo_operator_webhook_requests_total"
DENIALS = "dynamo_operator_webhook_denials_total"
CAUSES = "dynamo_webhook_rule_causes_total"
DAY = 86400
# A quarter of timeoutSeconds: the chart replaces it by the quarter of its value (templates/monitoring.yaml).
SLOW = 2.5

OVERVIEW = [
    ("At a glance", [
        stat("Ready replicas", "Replicas whose /readyz answers 200.", f"sum(dynamo_webhook_ready{{{HERE}}})", steps=(-1, -2)),
        stat("Requests", "Admission requests that got a verdict, per second.", f"sum(rate({REQUESTS}{{{HERE}}}[$__rate_interval]))", "reqps"),
        stat("Denied", "Share of the requests that were denied.",
             f"sum(rate({DENIALS}{{{HERE}}}[$__rate_interval])) / sum(rate({REQUESTS}{{{HERE}}}[$__rate_interval]))",
             "percentunit", (0.2, 0.5)),
        stat("Latency, 99 %", "99 of 100 reviews take at most this long.", quantile(0.99), "s", (0.1, SLOW)),
        stat("Defects", "Requests answered 500 within the shown time because of a defect of ours.",
             f"sum(increase(dynamo_webhook_handler_defects_total{{{HERE}}}[$__range]))", steps=(1,)),
        stat("Certificate ends in", "Until the first served certificate ends.",
             f"min(dynamo_webhook_certificate_not_after_seconds{{{HERE}}}) - time()", "s", (-DAY, -7 * DAY)),
    ]),
    ("Requests", [
        graph("Requests by kind", "Admission requests that got a verdict.", (rate(REQUESTS, "resource_type"), "{{resource_type}}"), unit="reqps"),
        graph("Verdicts", "Allowed and denied requests, by operation.", (rate(REQUESTS, "operation, result"), "{{operation}} {{result}}"), unit="reqps"),
        graph("Latency", "From the whole request to its verdict.", (quantile(0.5), "50 %"), (quantile(0.9), "90 %"), (quantile(0.99), "99 %"), unit="s"),
        graph("Latency by kind, 99 %", "Which kind takes long.", (quantile(0.99, "resource_type"), "{{resource_type}}"), unit="s"),
        graph("In flight and connections", "Per replica. Bounded by --max-in-flight and --max-connections.",
              (f"dynamo_webhook_requests_in_flight{{{HERE}}}", "in flight {{pod}}"),
              (f"dynamo_webhook_connections_open{{{HERE}}}", "connections {{pod}}")),
        graph("Requests by replica", "Whether the load is spread.", (rate(REQUESTS, "pod, instance"), "{{pod}} {{instance}}"), unit="reqps"),
    ]),
    ("What goes wrong", [
        graph("Turned away by a limit", "Requests and connections refused because of a limit.", (rate("dynamo_webhook_rejected_requests_total", "limit"), "{{limit}}"), unit="reqps"),
        graph("Bad requests", "Requests answered with a 4xx, and bodies that could not be read.",
              (rate("dynamo_webhook_bad_requests_total", "code"), "{{code}}"), (rate("dynamo_webhook_parse_failures_total", "reason"), "{{reason}}"), unit="reqps"),
        graph("Connections that failed", "Handshakes that failed, and phases that took too long.",
              (rate("dynamo_webhook_handshake_failures_total", "class"), "handshake {{class}}"), (rate("dynamo_webhook_timeouts_total", "phase"), "timeout {{phase}}"), unit="cps"),
        graph("Connections opened", "New connections, and those that ended because their client is trusted no more.",
              (rate("dynamo_webhook_connections_total", "pod"), "opened {{pod}}"), (rate("dynamo_webhook_distrusted_clients_total", "pod"), "distrusted {{pod}}"), unit="cps"),
        graph("Lost lines of the log", "Nobody read standard error fast enough.", (grown("dynamo_webhook_log_lines_dropped_total", "pod"), "{{pod}}")),
    ]),
    ("Who gives way", [
        graph("Evicted", "Connections closed because another one needed their place, by what they were doing.", (rate("dynamo_webhook_evictions_total", "reason"), "{{reason}}"), unit="cps"),
        graph("Stuck event loops", "Event loops that do not turn, and how often one got stuck: never, unless there is a bug.",
              (f"dynamo_webhook_event_loops_stuck{{{HERE}}}", "stuck {{pod}}"), (grown("dynamo_webhook_event_loop_stalls_total", "pod"), "stalls {{pod}}")),
        graph("New connections that found no loop", "Moved to another event loop, or closed because all were stuck.",
              (rate("dynamo_webhook_stalled_connections_total", "outcome"), "{{outcome}}"), unit="cps"),
    ]),
    ("The processes", [
        graph("CPU", "Processor time per replica.", (rate("process_cpu_seconds_total", "pod, instance"), "{{pod}} {{instance}}"), unit="percentunit"),
        graph("Memory", "What is in RAM, per replica.", (f"process_resident_memory_bytes{{{HERE}}}", "{{pod}} {{instance}}"), unit="bytes"),
        graph("File descriptors and threads", "Open file descriptors and threads, per replica.",
              (f"process_open_fds{{{HERE}}}", "files {{pod}}"), (f"process_threads{{{HERE}}}", "threads {{pod}}")),
        Panel("table", "Versions", "Which version runs in which replica.", ((f"dynamo_webhook_build_info{{{HERE}}}", ""),), width=16),
        graph("Starts", "When each replica started, as its age.", (f"time() - process_start_time_seconds{{{HERE}}}", "{{pod}} {{instance}}"), unit="s"),
    ]),
]

RULES = [
    ("At a glance", [
        stat("Denied", "Requests denied within the shown time.", f"sum(increase({DENIALS}{{{HERE}}}[$__range]))", width=6),
        stat("Warnings", "Causes that only warned, within the shown time.", f'sum(increase({CAUSES}{{{HERE}, severity="warn"}}[$__range]))', width=6),
        stat("Would be denied", "Requests allowed only because of --enforcement audit, within the shown time.",
             f"sum(increase(dynamo_webhook_audit_would_deny_total{{{HERE}}}[$__range]))", width=6),
        stat("Exempt", "Requests that an exemption of the policy set a cause aside for, within the shown time.",
             f"sum(increase(dynamo_webhook_policy_exempted_requests_total{{{HERE}}}[$__range]))", width=6),
    ]),
    ("Rules", [
        bars("Rules that deny", "The fifteen that denied most within the shown time. docs/rules.md explains each.",
             f'topk(15, {grown(CAUSES, "rule", f", severity={chr(34)}deny{chr(34)}", "$__range")} > 0)', "{{rule}}"),
        bars("Rules that warn", "The fifteen that warned most within the shown time.",
             f'topk(15, {grown(CAUSES, "rule", f", severity={chr(34)}warn{chr(34)}", "$__range")} > 0)', "{{rule}}"),
        graph("Causes over time", "By rule, denying ones; what jumps is new in manifests, rules or policy.",
              (f'{rate(CAUSES, "rule", f", severity={chr(34)}deny{chr(34)}")} > 0', "{{rule}}"), width=24),
    ]),
    ("Denials", [
        graph("Denials by kind", "Denied requests, whatever the rule.", (rate(DENIALS, "resource_type"), "{{resource_type}}"), unit="reqps"),
        graph("Share that is denied", "Of the requests for a kind.",
              (f'{rate(DENIALS, "resource_type")} / {rate(REQUESTS, "resource_type")}', "{{resource_type}}"), unit="percentunit"),
        graph("Would be denied", "With --enforcement audit: allowed for now.", (rate("dynamo_webhook_audit_would_deny_total", "resource_type"), "{{resource_type}}"), unit="reqps"),
    ]),
    ("Not validated, and changed", [
        graph("Not validated", "Requests allowed without validation, by reason.", (rate("dynamo_webhook_exempted_requests_total", "reason"), "{{reason}}"), unit="reqps"),
        graph("Exempt by policy", "Requests for which an exemption set aside at least one cause.",
              (rate("dynamo_webhook_policy_exempted_requests_total", "resource_type, result"), "{{resource_type}} {{result}}"), unit="reqps"),
        graph("Ignored by authors", "Findings set aside by an annotation, which the policy honours.",
              (rate("dynamo_webhook_ignored_findings_total", "resource_type, severity"), "{{resource_type}} {{severity}}"), unit="cps"),
        graph("Replicas in audit mode", "With --enforcement audit nothing is refused; 0 is usual.",
              (f'sum(dynamo_webhook_enforcement{{{HERE}, mode="audit"}})', "audit")),
        graph("Defaulting", "Requests to the mutating webhook, patched or not.", (rate("dynamo_webhook_defaulting_requests_total", "operation, result"), "{{operation}} {{result}}"), unit="reqps"),
    ]),
]

CERTIFICATES = [
    ("Certificates", [
        stat("Certificate ends in", "Until the first served certificate ends.", f"min(dynamo_webhook_certificate_not_after_seconds{{{HERE}}}) - time()", "s", (-DAY, -7 * DAY)),
        stat("CA ends in", "Until the CA in use ends; nothing unless --cert-mode managed.", f'min(dynamo_webhook_ca_not_after_seconds{{{HERE}, ca="in_use"}}) - time()', "s", (-30 * DAY, -365 * DAY)),
        stat("Wrong caBundles", "Labelled webhooks whose caBundle does not verify the served certificate.", f"max(dynamo_webhook_unverified_ca_bundles{{{HERE}}})", steps=(1,)),
        stat("Rotation", "0: none; 1: the next CA is being published; 2: the previous one is being retired.", f"max(dynamo_webhook_ca_rotation_phase{{{HERE}}})"),
        stat("Leaders", "Replicas that write caBundles: one.", f"sum(dynamo_webhook_leads{{{HERE}}})", steps=(-1,)),
        stat("Refused files", "New certificates, client CAs and policies that were refused within the shown time.",
             f"sum(increase(dynamo_webhook_certificate_reload_errors_total{{{HERE}}}[$__range])) + sum(increase(dynamo_webhook_policy_reload_errors_total{{{HERE}}}[$__range]))", steps=(1,)),
        graph("Lives", "Until the end of what is served, and of the CAs.",
              (f"dynamo_webhook_certificate_not_after_seconds{{{HERE}}} - time()", "certificate {{pod}}"),
              (f"dynamo_webhook_ca_not_after_seconds{{{HERE}}} - time()", "CA {{ca}} {{pod}}"), unit="s"),
        graph("Writes of the Secret", "By what the replica found there; corrupt, mismatched, foreign and expired are caused by another writer.",
              (grown("dynamo_webhook_certificate_secret_writes_total", "cause"), "{{cause}}")),
        graph("Writes of caBundles", "By the leader: written, or refused by the API server.", (grown("dynamo_webhook_ca_injections_total", "result"), "{{result}}")),
    ]),
    ("Leases", [
        stat("Namespaces of others", "Held by another operator by a live lease: not validated by us.", f"max(dynamo_webhook_namespace_leases{{{HERE}}})", width=6),
        stat("Watching", "Replicas that watch leases.", f"sum(dynamo_webhook_namespace_lease_watch_open{{{HERE}}})", steps=(-1,), width=6),
        stat("Marker held", "Restricted replicas that hold their namespace; nothing without --restricted-namespace.", f"min(dynamo_webhook_marker_lease_held{{{HERE}}})", steps=(-1,), width=6),
        stat("Clock", "How far the API server's clock is ahead of ours; 0 while they agree.", f"max(abs(dynamo_webhook_clock_correction_seconds{{{HERE}}}))", "s", (5,), width=6),
        graph("Namespaces of others", "As each replica sees them.", (f"dynamo_webhook_namespace_leases{{{HERE}}}", "{{pod}} {{instance}}")),
        graph("Watches that began again", "Of leases and of looked-up objects; now and then is the course of things.",
              (grown("dynamo_webhook_namespace_lease_watch_restarts_total", "pod"), "leases {{pod}}"), (grown("dynamo_webhook_lookup_watch_restarts_total", "kind"), "{{kind}}")),
        graph("Not validated because of a lease", "Writes in namespaces of other operators.",
              (rate("dynamo_webhook_exempted_requests_total", "resource_type", ', reason="namespace_lease"'), "{{resource_type}}"), unit="reqps"),
        graph("Namespaces of others, not trusted", "Namespaces that are validated although a lease there claims them, by what is wrong with it.",
              (f"max by (reason) (dynamo_webhook_doubted_namespace_leases{{{HERE}}})", "{{reason}}")),
        graph("Marker lease not renewed", "Failed tries to take or renew it, and tries that found it held by another, not to be believed, or written in between.",
              (grown("dynamo_webhook_marker_lease_failures_total", "pod"), "failed {{pod}}"), (grown("dynamo_webhook_marker_lease_contested_total", "pod"), "contested {{pod}}")),
        graph("What the cluster serves", "1 yes, 0 no; rules that depend on it warn while it is unknown.", (f"max by (fact) (dynamo_webhook_cluster_fact{{{HERE}}})", "{{fact}}")),
        graph("Looked-up objects", "Names that are known for --cluster-lookups.", (f"max by (kind) (dynamo_webhook_lookup_objects{{{HERE}}})", "{{kind}}")),
    ]),
]

# Some metrics of the reconciler have the namespaces of objects as labels, with a separate variable. The process metrics
# identify their release.
OBJECTS = 'namespace=~"$objects", job=~"$job"'
RECONCILES = "dynamo_operator_reconcile_duration_seconds_bucket"


def of_pods(expression, span=""):
    """Limits to the selected pods; with a span also those that ended within it."""
    leads = f"dynamo_reconciler_leads{{{HERE}}}"
    return f"{expression} and on (job, instance) {f'last_over_time({leads}[{span}])' if span else leads}"


def of_objects(function, metric, span="$__rate_interval"):
    return of_pods(f"{function}({metric}{{{OBJECTS}}}[{span}])", span)


RESOURCES = of_pods(f"dynamo_operator_resources_total{{{OBJECTS}}}")


RECONCILER = [
    ("At a glance", [
        stat("Leaders", "Replicas that act: one.", f"sum(dynamo_reconciler_leads{{{HERE}}})", steps=(-1,)),
        stat("Refused", "Controllers that do not run, as the operator that they would replace leads.", f"sum(max by (controller) (dynamo_reconciler_refused{{{HERE}}}))", steps=(1,)),
        stat("Oldest", "For how long the oldest object that is due has waited for a worker.", f"max(dynamo_reconciler_queue_oldest_seconds{{{HERE}}})", "s", (10, 60)),
        stat("Errors", "Passes that failed within the shown time.", f"sum({of_objects('increase', 'dynamo_operator_reconcile_errors_total', '$__range')})", steps=(1, 100)),
        stat("Defects", "Exceptions that left a pass within the shown time: each a defect of ours.", f"sum(increase(dynamo_reconciler_defects_total{{{HERE}}}[$__range]))", steps=(1,)),
        stat("Version", "What runs; two while a roll-out goes on.", f"count by (version) (dynamo_reconciler_build_info{{{HERE}}})", legend="{{version}}"),
    ]),
    ("Objects", [
        graph("Objects by state", "The state of graphs and requests; of others whether they are ready.",
              (f"sum by (resource_type, status) (max by (namespace, resource_type, status) ({RESOURCES}))", "{{resource_type}} {{status}}"), width=12),
        bars("Objects by namespace", "In which namespaces they are, by kind.", f"sum by (namespace, resource_type) (max by (namespace, resource_type, status) ({RESOURCES}))",
             "{{namespace}} {{resource_type}}"),
        graph("Kept in memory", "Objects of each kind that is watched.", (f"max by (resource) (dynamo_reconciler_objects{{{HERE}}})", "{{resource}}"), width=12),
        graph("Written", "Calls to the API server that change something.", (grown("dynamo_reconciler_actions_total", "controller, action, result"), "{{controller}} {{action}} {{result}}"), width=12),
    ]),
    ("Passes", [
        graph("Passes", "By their end; requeue is a wait for something.",
              (f"sum by (resource_type, result) ({of_objects('rate', 'dynamo_operator_reconcile_total')})", "{{resource_type}} {{result}}"), unit="ops"),
        graph("Duration", "Of one pass: the median, and one in a hundred.",
              (f"histogram_quantile(0.5, sum by (le, resource_type) ({of_objects('rate', RECONCILES)}))", "50 % {{resource_type}}"),
              (f"histogram_quantile(0.99, sum by (le, resource_type) ({of_objects('rate', RECONCILES)}))", "99 % {{resource_type}}"), unit="s"),
        graph("Errors", "By cause; conflicts are tried again at once and are no news.", (f"sum by (resource_type, error_type) ({of_objects('increase', 'dynamo_operator_reconcile_errors_total')})", "{{resource_type}} {{error_type}}")),
        graph("Longest pass", "Under way now; --pass-timeout ends it.", (f"max by (controller) (dynamo_reconciler_longest_pass_seconds{{{HERE}}})", "{{controller}}"), unit="s"),
        graph("Cancelled passes", "Passes whose time was over, by controller.", (grown("dynamo_reconciler_timeouts_total", "controller"), "{{controller}}")),
        graph("Leader", "1 on the replica that acts.", (f"dynamo_reconciler_leads{{{HERE}}}", "{{pod}} {{instance}}")),
    ]),
    ("Queues", [
        graph("Depth", "Objects that are due and wait for a worker.", (f"max by (controller) (dynamo_reconciler_queue_depth{{{HERE}}})", "{{controller}}"), width=6),
        graph("Age", "For how long the oldest of them has been due.", (f"max by (controller) (dynamo_reconciler_queue_oldest_seconds{{{HERE}}})", "{{controller}}"), unit="s", width=6),
        graph("Added", "Reasons to reconcile an object, merged ones included.", (grown("dynamo_reconciler_queue_adds_total", "controller"), "{{controller}}"), width=6),
        graph("Tried again", "Reconciles that were delayed after a failure.", (grown("dynamo_reconciler_queue_retries_total", "controller"), "{{controller}}"), width=6),
    ]),
    ("Watches and reports", [
        graph("Watches", "1 while changes are received; 0 also for kinds that are not installed.", (f"min by (resource) (dynamo_reconciler_watch_open{{{HERE}}})", "{{resource}}"), width=6),
        graph("Silence of watches", "Time since the last message; up to a minute is normal.", (f"max by (resource) (dynamo_reconciler_watch_silent_seconds{{{HERE}}})", "{{resource}}"), unit="s", width=6),
        graph("Watches that began again", "Now and then is the course of things.", (grown("dynamo_reconciler_watch_restarts_total", "resource"), "{{resource}}"), width=6),
        graph("Lost", "Events that were not written, lines of the log that were not read in time, policies that were refused.",
              (grown("dynamo_reconciler_events_dropped_total", "pod"), "events {{pod}}"), (grown("dynamo_reconciler_log_lines_dropped_total", "pod"), "lines {{pod}}"),
              (grown("dynamo_reconciler_policy_reload_errors_total", "pod"), "policies {{pod}}"), width=6),
        graph("Memory", "In RAM, of each replica.", (of_pods(f"process_resident_memory_bytes{{{HERE}}}"), "{{pod}} {{instance}}"), unit="bytes", width=12),
        graph("CPU", "Cores, of each replica.", (of_pods(f"rate(process_cpu_seconds_total{{{HERE}}}[$__rate_interval])"), "{{pod}} {{instance}}"), width=12),
    ]),
]

# The metrics whose labels the variables of a dashboard list, if not the webhook's: `namespace` and `job`, then `objects`.
VARIABLES = {"reconciler": ("dynamo_reconciler_leads", "dynamo_operator_resources_total")}

DASHBOARDS = {
    "admission-overview": ("Dynamo admission: overview", "Whether the webhook answers, how fast, and what goes wrong.", OVERVIEW),
    "rules-and-denials": ("Dynamo admission: rules and denials", "Denied requests by rule, and requests allowed without validation.", RULES),
    "certificates-and-leases": ("Dynamo admission: certificates and leases", "How long certificates live, who writes them, and which namespaces are left to others.", CERTIFICATES),
    "reconciler": ("Dynamo admission: reconciler", "Who leads, what there is, what is done, and what waits.", RECONCILER),
}
