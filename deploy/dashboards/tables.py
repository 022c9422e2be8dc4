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
        stat("Defects", "Requests answered 500 within the shown time because of a bug of the webhook.",
             f"sum(increase(dynamo_webhook_handler_defects_total{{{HERE}}}[$__range]))", steps=(1,)),
        stat("Certificate expires in", "Until the first served certificate expires.",
             f"min(dynamo_webhook_certificate_not_after_seconds{{{HERE}}}) - time()", "s", (-DAY, -7 * DAY)),
    ]),
    ("Requests", [
        graph("Requests by kind", "Admission requests that got a verdict, and objects that were converted.",
              (rate(REQUESTS, "resource_type"), "{{resource_type}}"),
              (rate("dynamo_webhook_converted_objects_total", "resource_type"), "converted {{resource_type}}"), unit="reqps"),
        graph("Verdicts", "Allowed and denied requests, by operation, and conversions by status.",
              (rate(REQUESTS, "operation, result"), "{{operation}} {{result}}"),
              (rate("dynamo_webhook_conversion_requests_total", "status"), "conversion {{status}}"), unit="reqps"),
        graph("Latency", "From the whole request to its verdict.", (quantile(0.5), "50 %"), (quantile(0.9), "90 %"), (quantile(0.99), "99 %"), unit="s"),
        graph("Latency by kind, 99 %", "99th percentile of the duration, by kind.", (quantile(0.99, "resource_type"), "{{resource_type}}"), unit="s"),
        graph("In flight and connections", "Per replica. Bounded by --max-in-flight and --max-connections.",
              (f"dynamo_webhook_requests_in_flight{{{HERE}}}", "in flight {{pod}}"),
              (f"dynamo_webhook_connections_open{{{HERE}}}", "connections {{pod}}")),
        graph("Requests by replica", "Load of each replica.", (rate(REQUESTS, "pod, instance"), "{{pod}} {{instance}}"), unit="reqps"),
    ]),
    ("Errors and limits", [
        graph("Rejected by a limit", "Requests and connections rejected because of a limit.", (rate("dynamo_webhook_rejected_requests_total", "limit"), "{{limit}}"), unit="reqps"),
        graph("Bad requests", "Requests answered with a 4xx, and bodies that could not be read.",
              (rate("dynamo_webhook_bad_requests_total", "code"), "{{code}}"), (rate("dynamo_webhook_parse_failures_total", "reason"), "{{reason}}"), unit="reqps"),
        graph("Failed connections", "Handshakes that failed, and phases that took too long.",
              (rate("dynamo_webhook_handshake_failures_total", "class"), "handshake {{class}}"), (rate("dynamo_webhook_timeouts_total", "phase"), "timeout {{phase}}"), unit="cps"),
        graph("Connections opened", "New connections, and those closed because their client is no longer trusted.",
              (rate("dynamo_webhook_connections_total", "pod"), "opened {{pod}}"), (rate("dynamo_webhook_distrusted_clients_total", "pod"), "distrusted {{pod}}"), unit="cps"),
        graph("Lost log lines", "Lines dropped because standard error was not read fast enough.", (grown("dynamo_webhook_log_lines_dropped_total", "pod"), "{{pod}}")),
    ]),
    ("Evictions and event loops", [
        graph("Evicted connections", "Connections closed to free a slot for a new one, by their activity.", (rate("dynamo_webhook_evictions_total", "reason"), "{{reason}}"), unit="cps"),
        graph("Stuck event loops", "Event loops without progress, and how often one got stuck; more than 0 is a bug.",
              (f"dynamo_webhook_event_loops_stuck{{{HERE}}}", "stuck {{pod}}"), (grown("dynamo_webhook_event_loop_stalls_total", "pod"), "stalls {{pod}}")),
        graph("Connections without their loop", "New connections moved to another event loop, or closed because all were stuck.",
              (rate("dynamo_webhook_stalled_connections_total", "outcome"), "{{outcome}}"), unit="cps"),
    ]),
    ("Processes", [
        graph("CPU", "Processor time per replica.", (rate("process_cpu_seconds_total", "pod, instance"), "{{pod}} {{instance}}"), unit="percentunit"),
        graph("Memory", "Resident memory per replica.", (f"process_resident_memory_bytes{{{HERE}}}", "{{pod}} {{instance}}"), unit="bytes"),
        graph("File descriptors and threads", "Open file descriptors and threads, per replica.",
              (f"process_open_fds{{{HERE}}}", "files {{pod}}"), (f"process_threads{{{HERE}}}", "threads {{pod}}")),
        Panel("table", "Versions", "Version of each replica.", ((f"dynamo_webhook_build_info{{{HERE}}}", ""),), width=16),
        graph("Starts", "Time since each replica started.", (f"time() - process_start_time_seconds{{{HERE}}}", "{{pod}} {{instance}}"), unit="s"),
    ]),
]

RULES = [
    ("At a glance", [
        stat("Denied", "Requests denied within the shown time.", f"sum(increase({DENIALS}{{{HERE}}}[$__range]))", width=6),
        stat("Warnings", "Causes that only warned, within the shown time.", f'sum(increase({CAUSES}{{{HERE}, severity="warn"}}[$__range]))', width=6),
        stat("Would be denied", "Requests allowed only because of --enforcement audit, within the shown time.",
             f"sum(increase(dynamo_webhook_audit_would_deny_total{{{HERE}}}[$__range]))", width=6),
        stat("Exempt", "Requests for which an exemption of the policy ignored a cause, within the shown time.",
             f"sum(increase(dynamo_webhook_policy_exempted_requests_total{{{HERE}}}[$__range]))", width=6),
    ]),
    ("Rules", [
        bars("Rules that deny", "The fifteen that denied most within the shown time. docs/rules.md explains each.",
             f'topk(15, {grown(CAUSES, "rule", f", severity={chr(34)}deny{chr(34)}", "$__range")} > 0)', "{{rule}}"),
        bars("Rules that warn", "The fifteen that warned most within the shown time.",
             f'topk(15, {grown(CAUSES, "rule", f", severity={chr(34)}warn{chr(34)}", "$__range")} > 0)', "{{rule}}"),
        graph("Causes over time", "Denying causes by rule; a jump follows a change of manifests, rules or policy.",
              (f'{rate(CAUSES, "rule", f", severity={chr(34)}deny{chr(34)}")} > 0', "{{rule}}"), width=24),
    ]),
    ("Denials", [
        graph("Denials by kind", "Denied requests, whatever the rule.", (rate(DENIALS, "resource_type"), "{{resource_type}}"), unit="reqps"),
        graph("Denied share", "Denied share of the requests for each kind.",
              (f'{rate(DENIALS, "resource_type")} / {rate(REQUESTS, "resource_type")}', "{{resource_type}}"), unit="percentunit"),
        graph("Would be denied", "With --enforcement audit: allowed for now.", (rate("dynamo_webhook_audit_would_deny_total", "resource_type"), "{{resource_type}}"), unit="reqps"),
    ]),
    ("Not validated, and changed", [
        graph("Not validated", "Requests allowed without validation, by reason.", (rate("dynamo_webhook_exempted_requests_total", "reason"), "{{reason}}"), unit="reqps"),
        graph("Exempt by policy", "Requests for which an exemption ignored at least one cause.",
              (rate("dynamo_webhook_policy_exempted_requests_total", "resource_type, result"), "{{resource_type}} {{result}}"), unit="reqps"),
        graph("Ignored by authors", "Findings ignored because of an annotation that the policy honours.",
              (rate("dynamo_webhook_ignored_findings_total", "resource_type, severity"), "{{resource_type}} {{severity}}"), unit="cps"),
        graph("Replicas in audit mode", "With --enforcement audit nothing is denied; 0 is usual.",
              (f'sum(dynamo_webhook_enforcement{{{HERE}, mode="audit"}})', "audit")),
        graph("Defaulting", "Requests to the mutating webhook, patched or not.", (rate("dynamo_webhook_defaulting_requests_total", "operation, result"), "{{operation}} {{result}}"), unit="reqps"),
    ]),
]

CERTIFICATES = [
    ("Certificates", [
        stat("Certificate expires in", "Until the first served certificate expires.", f"min(dynamo_webhook_certificate_not_after_seconds{{{HERE}}}) - time()", "s", (-DAY, -7 * DAY)),
        stat("CA expires in", "Until the CA in use expires; no data unless --cert-mode managed.", f'min(dynamo_webhook_ca_not_after_seconds{{{HERE}, ca="in_use"}}) - time()', "s", (-30 * DAY, -365 * DAY)),
        stat("Wrong caBundles", "Labelled webhooks whose caBundle does not verify the served certificate.", f"max(dynamo_webhook_unverified_ca_bundles{{{HERE}}})", steps=(1,)),
        stat("Rotation", "0: none; 1: the next CA is being published; 2: the previous one is being retired.", f"max(dynamo_webhook_ca_rotation_phase{{{HERE}}})"),
        stat("Leaders", "Replicas that write caBundles: one.", f"sum(dynamo_webhook_leads{{{HERE}}})", steps=(-1,)),
        stat("Rejected files", "New certificates, client CAs and policies that were rejected within the shown time.",
             f"sum(increase(dynamo_webhook_certificate_reload_errors_total{{{HERE}}}[$__range])) + sum(increase(dynamo_webhook_policy_reload_errors_total{{{HERE}}}[$__range]))", steps=(1,)),
        graph("Lifetimes", "Time until the served certificate and the CAs expire.",
              (f"dynamo_webhook_certificate_not_after_seconds{{{HERE}}} - time()", "certificate {{pod}}"),
              (f"dynamo_webhook_ca_not_after_seconds{{{HERE}}} - time()", "CA {{ca}} {{pod}}"), unit="s"),
        graph("Writes of the Secret", "By the state the replica found; corrupt, mismatched, foreign and expired are caused by another writer.",
              (grown("dynamo_webhook_certificate_secret_writes_total", "cause"), "{{cause}}")),
        graph("Writes of caBundles", "By the leader: written, or refused by the API server.", (grown("dynamo_webhook_ca_injections_total", "result"), "{{result}}")),
    ]),
    ("Leases", [
        stat("Namespaces of other operators", "Namespaces that another operator holds by a live Lease: not validated here.", f"max(dynamo_webhook_namespace_leases{{{HERE}}})", width=6),
        stat("Watching", "Replicas that watch leases.", f"sum(dynamo_webhook_namespace_lease_watch_open{{{HERE}}})", steps=(-1,), width=6),
        stat("Marker held", "Restricted replicas that hold their namespace; no data without --restricted-namespace.", f"min(dynamo_webhook_marker_lease_held{{{HERE}}})", steps=(-1,), width=6),
        stat("Clock", "How far the API server's clock is ahead of the replica's; 0 while they agree.", f"max(abs(dynamo_webhook_clock_correction_seconds{{{HERE}}}))", "s", (5,), width=6),
        graph("Namespaces of other operators", "Count of each replica.", (f"dynamo_webhook_namespace_leases{{{HERE}}}", "{{pod}} {{instance}}")),
        graph("Watch restarts", "Watches of Leases and of looked-up objects; occasional restarts are normal.",
              (grown("dynamo_webhook_namespace_lease_watch_restarts_total", "pod"), "leases {{pod}}"), (grown("dynamo_webhook_lookup_watch_restarts_total", "kind"), "{{kind}}")),
        graph("Not validated because of a lease", "Writes in namespaces of other operators.",
              (rate("dynamo_webhook_exempted_requests_total", "resource_type", ', reason="namespace_lease"'), "{{resource_type}}"), unit="reqps"),
        graph("Namespaces of untrusted Leases", "Namespaces that are validated although a Lease claims them, by the reason for distrust.",
              (f"max by (reason) (dynamo_webhook_doubted_namespace_leases{{{HERE}}})", "{{reason}}")),
        graph("Marker lease not renewed", "Failed attempts to take or renew it, and conflicts: it is held by another client, is not trusted, or was written in between.",
              (grown("dynamo_webhook_marker_lease_failures_total", "pod"), "failed {{pod}}"), (grown("dynamo_webhook_marker_lease_contested_total", "pod"), "contested {{pod}}")),
        graph("Cluster facts", "1 yes, 0 no; rules that depend on it warn while it is unknown.", (f"max by (fact) (dynamo_webhook_cluster_fact{{{HERE}}})", "{{fact}}"),
              (f"max by (generation) (dynamo_webhook_operator_generation{{{HERE}}})", "operator {{generation}}")),
        graph("Looked-up objects", "Known names for --cluster-lookups.", (f"max by (kind) (dynamo_webhook_lookup_objects{{{HERE}}})", "{{kind}}")),
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
        stat("Leaders", "Replicas that lead: one.", f"sum(dynamo_reconciler_leads{{{HERE}}})", steps=(-1,)),
        stat("Refused", "Controllers that do not run because the operator that they replace leads.", f"sum(max by (controller) (dynamo_reconciler_refused{{{HERE}}}))", steps=(1,)),
        stat("Oldest", "Time that the oldest due object has waited for a worker.", f"max(dynamo_reconciler_queue_oldest_seconds{{{HERE}}})", "s", (10, 60)),
        stat("Errors", "Reconciles that failed within the shown time.", f"sum({of_objects('increase', 'dynamo_operator_reconcile_errors_total', '$__range')})", steps=(1, 100)),
        stat("Defects", "Exceptions that ended a reconcile within the shown time: each is a bug.", f"sum(increase(dynamo_reconciler_defects_total{{{HERE}}}[$__range]))", steps=(1,)),
        stat("Version", "Running version; two during a rollout.", f"count by (version) (dynamo_reconciler_build_info{{{HERE}}})", legend="{{version}}"),
    ]),
    ("Objects", [
        graph("Objects by state", "State of graphs and requests; readiness of other objects.",
              (f"sum by (resource_type, status) (max by (namespace, resource_type, status) ({RESOURCES}))", "{{resource_type}} {{status}}"), width=12),
        bars("Objects by namespace", "Objects by kind in each namespace.", f"sum by (namespace, resource_type) (max by (namespace, resource_type, status) ({RESOURCES}))",
             "{{namespace}} {{resource_type}}"),
        graph("Cached objects", "Objects in memory, by watched kind.", (f"max by (resource) (dynamo_reconciler_objects{{{HERE}}})", "{{resource}}"), width=12),
        graph("Writes", "Calls to the API server that change an object.", (grown("dynamo_reconciler_actions_total", "controller, action, result"), "{{controller}} {{action}} {{result}}"), width=12),
    ]),
    ("Reconciles", [
        graph("Reconciles", "By result; requeue means that the object is reconciled again later.",
              (f"sum by (resource_type, result) ({of_objects('rate', 'dynamo_operator_reconcile_total')})", "{{resource_type}} {{result}}"), unit="ops"),
        graph("Duration", "Duration of one reconcile: median and 99th percentile.",
              (f"histogram_quantile(0.5, sum by (le, resource_type) ({of_objects('rate', RECONCILES)}))", "50 % {{resource_type}}"),
              (f"histogram_quantile(0.99, sum by (le, resource_type) ({of_objects('rate', RECONCILES)}))", "99 % {{resource_type}}"), unit="s"),
        graph("Errors", "By cause; conflicts are retried at once and need no action.", (f"sum by (resource_type, error_type) ({of_objects('increase', 'dynamo_operator_reconcile_errors_total')})", "{{resource_type}} {{error_type}}")),
        graph("Longest reconcile", "Running now; --pass-timeout ends it.", (f"max by (controller) (dynamo_reconciler_longest_pass_seconds{{{HERE}}})", "{{controller}}"), unit="s"),
        graph("Cancelled reconciles", "Reconciles that reached --pass-timeout, by controller.", (grown("dynamo_reconciler_timeouts_total", "controller"), "{{controller}}")),
        graph("Leader", "1 on the replica that leads.", (f"dynamo_reconciler_leads{{{HERE}}}", "{{pod}} {{instance}}")),
    ]),
    ("Queues", [
        graph("Depth", "Objects that are due and wait for a worker.", (f"max by (controller) (dynamo_reconciler_queue_depth{{{HERE}}})", "{{controller}}"), width=6),
        graph("Age", "How long the oldest of them has been due.", (f"max by (controller) (dynamo_reconciler_queue_oldest_seconds{{{HERE}}})", "{{controller}}"), unit="s", width=6),
        graph("Added", "Requests to reconcile an object, including those merged into one.", (grown("dynamo_reconciler_queue_adds_total", "controller"), "{{controller}}"), width=6),
        graph("Retries", "Reconciles that were delayed after a failure.", (grown("dynamo_reconciler_queue_retries_total", "controller"), "{{controller}}"), width=6),
    ]),
    ("Watches and reports", [
        graph("Watches", "1 while changes are received; 0 also for kinds that are not installed.", (f"min by (resource) (dynamo_reconciler_watch_open{{{HERE}}})", "{{resource}}"), width=6),
        graph("Silence of watches", "Time since the last message; up to a minute is normal.", (f"max by (resource) (dynamo_reconciler_watch_silent_seconds{{{HERE}}})", "{{resource}}"), unit="s", width=6),
        graph("Watch restarts", "Occasional restarts are normal.", (grown("dynamo_reconciler_watch_restarts_total", "resource"), "{{resource}}"), width=6),
        graph("Losses", "Events that were not written, log lines that were not read in time, policies that were rejected.",
              (grown("dynamo_reconciler_events_dropped_total", "pod"), "events {{pod}}"), (grown("dynamo_reconciler_log_lines_dropped_total", "pod"), "lines {{pod}}"),
              (grown("dynamo_reconciler_policy_reload_errors_total", "pod"), "policies {{pod}}"), width=6),
        graph("Memory", "Resident memory of each replica.", (of_pods(f"process_resident_memory_bytes{{{HERE}}}"), "{{pod}} {{instance}}"), unit="bytes", width=12),
        graph("CPU", "Cores used by each replica.", (of_pods(f"rate(process_cpu_seconds_total{{{HERE}}}[$__rate_interval])"), "{{pod}} {{instance}}"), width=12),
    ]),
]

# The metrics whose labels the variables of a dashboard list, if not the webhook's: `namespace` and `job`, then `objects`.
VARIABLES = {"reconciler": ("dynamo_reconciler_leads", "dynamo_operator_resources_total")}

DASHBOARDS = {
    "admission-overview": ("Dynamo admission: overview", "Availability, latency and errors of the webhook.", OVERVIEW),
    "rules-and-denials": ("Dynamo admission: rules and denials", "Denied requests by rule, and requests allowed without validation.", RULES),
    "certificates-and-leases": ("Dynamo admission: certificates and leases", "Expiry and writers of certificates, and namespaces of other operators.", CERTIFICATES),
    "reconciler": ("Dynamo admission: reconciler", "Leaders, objects, reconciles and queues.", RECONCILER),
}
