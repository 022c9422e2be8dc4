"""The dashboards of what Dynamo serves and of its planner. Their metrics belong to Dynamo and to NVIDIA's dcgm-exporter, not to
our programs: METRICS lists them as Dynamo's documentation names them, and tests/deploy/monitoring_test.py compares."""

from tables import graph, stat

# Name -> type and labels besides those of the target and `dynamo_namespace`, which the chart's PodMonitors add.
# A planner or worker has one of two names, by its version.
_FRONTEND = ("model",)
_REQUESTS = ("model", "endpoint", "request_type", "status")
_WORKER = ("dynamo_component", "dynamo_endpoint")
_GPU = ("Hostname", "gpu")
METRICS = {
    "dynamo_frontend_requests_total": ("counter", _REQUESTS),
    "dynamo_frontend_inflight_requests": ("gauge", _FRONTEND),
    "dynamo_frontend_queued_requests": ("gauge", _FRONTEND),
    "dynamo_frontend_model_workers": ("gauge", _FRONTEND),
    "dynamo_frontend_request_duration_seconds": ("histogram", _FRONTEND),
    "dynamo_frontend_time_to_first_token_seconds": ("histogram", _FRONTEND),
    "dynamo_frontend_inter_token_latency_seconds": ("histogram", _FRONTEND),
    "dynamo_frontend_input_sequence_tokens": ("histogram", _FRONTEND),
    "dynamo_frontend_output_sequence_tokens": ("histogram", _FRONTEND),
    "dynamo_component_requests_total": ("counter", _WORKER),
    "dynamo_component_errors_total": ("counter", (*_WORKER, "error_type")),
    "dynamo_component_inflight_requests": ("gauge", _WORKER),
    "dynamo_component_request_duration_seconds": ("histogram", _WORKER),
    "dynamo_component_gpu_cache_usage_percent": ("gauge", ("dynamo_component",)),
    "dynamo_component_kvstats_gpu_cache_usage_percent": ("gauge", ("dynamo_component",)),
    "dynamo_component_kv_cache_hit_rate": ("gauge", ("dynamo_component",)),
    "dynamo_component_kvstats_gpu_prefix_cache_hit_rate": ("gauge", ("dynamo_component",)),
    "DCGM_FI_DEV_GPU_UTIL": ("gauge", _GPU),
    "DCGM_FI_DEV_FB_USED": ("gauge", _GPU),
    "DCGM_FI_DEV_FB_FREE": ("gauge", _GPU),
    "DCGM_FI_DEV_POWER_USAGE": ("gauge", _GPU),
    "DCGM_FI_DEV_GPU_TEMP": ("gauge", _GPU),
    **{name: ("gauge", ()) for name in (
        "dynamo_planner_num_prefill_replicas", "planner:num_p_workers", "dynamo_planner_num_decode_replicas", "planner:num_d_workers",
        "dynamo_planner_predicted_num_prefill_replicas", "planner:predicted_num_p",
        "dynamo_planner_predicted_num_decode_replicas", "planner:predicted_num_d",
        "dynamo_planner_observed_ttft_ms", "planner:observed_ttft", "dynamo_planner_observed_itl_ms", "planner:observed_itl",
        "dynamo_planner_observed_requests_per_second", "planner:observed_request_rate",
        "dynamo_planner_observed_request_duration_seconds", "planner:observed_request_duration",
        "dynamo_planner_observed_input_sequence_tokens", "planner:observed_isl",
        "dynamo_planner_observed_output_sequence_tokens", "planner:observed_osl",
        "dynamo_planner_predicted_requests_per_second", "dynamo_planner_predicted_input_sequence_tokens",
        "dynamo_planner_predicted_output_sequence_tokens", "dynamo_planner_estimated_ttft_ms", "dynamo_planner_estimated_itl_ms",
        "dynamo_planner_gpu_hours", "planner:gpu_hours", "planner:p_correction_factor", "planner:d_correction_factor")},
}

PODS = 'namespace=~"$namespace", dynamo_namespace=~"$dynamo_namespace"'
MODELS = f'{PODS}, model=~"$model"'
GPUS = 'Hostname=~"$node"'
ENDPOINT = ', dynamo_endpoint="generate"'


def rate(metric, selected, more=""):
    return f"rate({metric}{{{selected}{more}}}[$__rate_interval])"


def quantile(share, metric, selected, by="", more=""):
    labels = f"le, {by}" if by else "le"
    return f"histogram_quantile({share}, sum by ({labels}) ({rate(f'{metric}_bucket', selected, more)}))"


def mean(metric, by):
    return f"sum by ({by}) ({rate(f'{metric}_sum', MODELS)}) / sum by ({by}) ({rate(f'{metric}_count', MODELS)})"


def quantiles(metric):
    return tuple((quantile(share, metric, MODELS), f"{share:.0%}".replace("%", " %")) for share in (0.5, 0.9, 0.99))


def either(*names):
    """The series of the name that the pod's version exports."""
    return " or ".join(f"{name}{{{PODS}}}" for name in names)


REQUESTS = "dynamo_frontend_requests_total"
FIRST_TOKEN, NEXT_TOKEN = "dynamo_frontend_time_to_first_token_seconds", "dynamo_frontend_inter_token_latency_seconds"
INPUT, OUTPUT = "dynamo_frontend_input_sequence_tokens", "dynamo_frontend_output_sequence_tokens"

SERVING = [
    ("At a glance", [
        stat("Requests", "Requests of models that ended, per second.", f"sum({rate(REQUESTS, MODELS)})", "reqps"),
        stat("Failed", "Share of the requests that failed.",
             f'''(sum({rate(REQUESTS, MODELS, ', status="error"')}) or vector(0)) / sum({rate(REQUESTS, MODELS)})''', "percentunit", (0.01, 0.05)),
        stat("First token, 90 %", "Nine of ten requests wait at most this long for their first token.", quantile(0.9, FIRST_TOKEN, MODELS), "s"),
        stat("Next token, 90 %", "Nine of ten tokens follow the one before within this time.", quantile(0.9, NEXT_TOKEN, MODELS), "s"),
        stat("Output tokens", "Generated tokens of ended requests, per second.", f"sum({rate(f'{OUTPUT}_sum', MODELS)})"),
        stat("Queued", "Requests that wait for their first token.", f"sum(dynamo_frontend_queued_requests{{{MODELS}}})"),
    ]),
    ("Requests and tokens", [
        graph("Requests by model", "Ended requests, by their result.", (f"sum by (model, status) ({rate(REQUESTS, MODELS)})", "{{model}} {{status}}"), unit="reqps"),
        graph("In flight and queued", "Requests from arrival to their last token, and to their first token.",
              (f"sum by (model) (dynamo_frontend_inflight_requests{{{MODELS}}})", "in flight {{model}}"),
              (f"sum by (model) (dynamo_frontend_queued_requests{{{MODELS}}})", "queued {{model}}")),
        graph("Tokens", "Tokens of prompts and of answers, per second.",
              (f"sum by (model) ({rate(f'{INPUT}_sum', MODELS)})", "input {{model}}"), (f"sum by (model) ({rate(f'{OUTPUT}_sum', MODELS)})", "output {{model}}")),
        graph("Time to first token", "From the arrival of a request to its first token, with its time in queues and prefill.", *quantiles(FIRST_TOKEN), unit="s"),
        graph("Inter-token latency", "Time between two tokens of an answer.", *quantiles(NEXT_TOKEN), unit="s"),
        graph("Request duration", "From the arrival of a request to its last token.", *quantiles("dynamo_frontend_request_duration_seconds"), unit="s"),
        graph("First token by model, 90 %", "Compares models, which share a frontend.", (quantile(0.9, FIRST_TOKEN, MODELS, "model"), "{{model}}"), unit="s"),
        graph("Sequence lengths", "Mean number of tokens of a prompt and of an answer.", (mean(INPUT, "model"), "input {{model}}"), (mean(OUTPUT, "model"), "output {{model}}")),
        graph("Workers of models", "Worker instances that serve each model, as the frontend counts them.", (f"max by (model) (dynamo_frontend_model_workers{{{MODELS}}})", "{{model}}")),
    ]),
    ("Workers", [
        graph("Requests by component", "Requests that workers processed; prefill and decode count separately.",
              (f"sum by (dynamo_component) ({rate('dynamo_component_requests_total', PODS, ENDPOINT)})", "{{dynamo_component}}"), unit="reqps"),
        graph("Duration by component, 90 %", "Time in which a worker processes a request.",
              (quantile(0.9, "dynamo_component_request_duration_seconds", PODS, "dynamo_component", ENDPOINT), "{{dynamo_component}}"), unit="s"),
        graph("Errors of workers", "Requests that a worker failed to process, by the stage.",
              (f"sum by (dynamo_component, error_type) ({rate('dynamo_component_errors_total', PODS)})", "{{dynamo_component}} {{error_type}}"), unit="cps"),
        graph("In flight by worker", "Requests that each worker processes at the same time; a large spread shows uneven routing.",
              (f"sum by (pod) (dynamo_component_inflight_requests{{{PODS}{ENDPOINT}}})", "{{pod}}")),
        graph("KV cache usage", "Used share of the KV cache of each worker; near 1 requests wait for blocks.",
              (f"max by (pod) ({either('dynamo_component_gpu_cache_usage_percent', 'dynamo_component_kvstats_gpu_cache_usage_percent')})", "{{pod}}"), unit="percentunit"),
        graph("Prefix cache hit rate", "Share of the prompt blocks that a worker found in its cache.",
              (f"max by (pod) ({either('dynamo_component_kv_cache_hit_rate', 'dynamo_component_kvstats_gpu_prefix_cache_hit_rate')})", "{{pod}}"), unit="percentunit"),
    ]),
    ("GPUs", [
        graph("GPU utilization", "Share of the time in which a kernel ran, from dcgm-exporter.", (f"DCGM_FI_DEV_GPU_UTIL{{{GPUS}}}", "{{Hostname}} {{gpu}}"), unit="percent", width=6),
        graph("GPU memory", "Used share of the framebuffer. Engines reserve most of it for the KV cache.",
              (f"DCGM_FI_DEV_FB_USED{{{GPUS}}} / (DCGM_FI_DEV_FB_USED{{{GPUS}}} + DCGM_FI_DEV_FB_FREE{{{GPUS}}})", "{{Hostname}} {{gpu}}"), unit="percentunit", width=6),
        graph("GPU power", "Power that each GPU draws.", (f"DCGM_FI_DEV_POWER_USAGE{{{GPUS}}}", "{{Hostname}} {{gpu}}"), unit="watt", width=6),
        graph("GPU temperature", "Temperature of each GPU; above its limit a GPU slows down.", (f"DCGM_FI_DEV_GPU_TEMP{{{GPUS}}}", "{{Hostname}} {{gpu}}"), unit="celsius", width=6),
    ]),
]

PREFILL = either("dynamo_planner_num_prefill_replicas", "planner:num_p_workers")
DECODE = either("dynamo_planner_num_decode_replicas", "planner:num_d_workers")
SEEN_FIRST, SEEN_NEXT = either("dynamo_planner_observed_ttft_ms", "planner:observed_ttft"), either("dynamo_planner_observed_itl_ms", "planner:observed_itl")
SEEN_RATE = either("dynamo_planner_observed_requests_per_second", "planner:observed_request_rate")
SEEN_INPUT = either("dynamo_planner_observed_input_sequence_tokens", "planner:observed_isl")
SEEN_OUTPUT = either("dynamo_planner_observed_output_sequence_tokens", "planner:observed_osl")
WHERE = "{{dynamo_namespace}}"

PLANNER = [
    ("At a glance", [
        stat("Prefill workers", "Prefill workers, as planners count them.", f"sum({PREFILL})"),
        stat("Decode workers", "Decode workers, as planners count them.", f"sum({DECODE})"),
        stat("GPU hours", "GPU hours since each planner started.", f"sum({either('dynamo_planner_gpu_hours', 'planner:gpu_hours')})", "h"),
        stat("First token", "Worst mean time to the first token in the last interval of a planner.", f"max({SEEN_FIRST})", "ms"),
        stat("Next token", "Worst mean inter-token latency in the last interval of a planner.", f"max({SEEN_NEXT})", "ms"),
        stat("Requests", "Requests that planners observed, per second.", f"sum({SEEN_RATE})", "reqps"),
    ]),
    ("Decisions", [
        graph("Prefill workers", "Running ones, and those that the planner decided on; a lasting gap means that pods do not start.",
              (PREFILL, f"running {WHERE}"), (either("dynamo_planner_predicted_num_prefill_replicas", "planner:predicted_num_p"), f"decided {WHERE}"), width=12),
        graph("Decode workers", "Running ones, and those that the planner decided on; a lasting gap means that pods do not start.",
              (DECODE, f"running {WHERE}"), (either("dynamo_planner_predicted_num_decode_replicas", "planner:predicted_num_d"), f"decided {WHERE}"), width=12),
    ]),
    ("Observed and predicted", [
        graph("Time to first token", "Observed mean of each interval, and the planner's estimate.",
              (SEEN_FIRST, f"observed {WHERE}"), (either("dynamo_planner_estimated_ttft_ms"), f"estimated {WHERE}"), unit="ms"),
        graph("Inter-token latency", "Observed mean of each interval, and the planner's estimate.",
              (SEEN_NEXT, f"observed {WHERE}"), (either("dynamo_planner_estimated_itl_ms"), f"estimated {WHERE}"), unit="ms"),
        graph("Request rate", "Observed requests, and the prediction for the next interval.",
              (SEEN_RATE, f"observed {WHERE}"), (either("dynamo_planner_predicted_requests_per_second"), f"predicted {WHERE}"), unit="reqps"),
        graph("Input length", "Mean number of tokens of a prompt, observed and predicted.",
              (SEEN_INPUT, f"observed {WHERE}"), (either("dynamo_planner_predicted_input_sequence_tokens"), f"predicted {WHERE}")),
        graph("Output length", "Mean number of tokens of an answer, observed and predicted.",
              (SEEN_OUTPUT, f"observed {WHERE}"), (either("dynamo_planner_predicted_output_sequence_tokens"), f"predicted {WHERE}")),
        graph("Request duration", "Observed mean of each interval.",
              (either("dynamo_planner_observed_request_duration_seconds", "planner:observed_request_duration"), WHERE), unit="s"),
        graph("Correction factors", "Measured latency divided by the profiled one, for planners that still report it; far from 1 the profile is outdated.",
              (either("planner:p_correction_factor"), f"prefill {WHERE}"), (either("planner:d_correction_factor"), f"decode {WHERE}"), width=24),
    ]),
]

# (name, label, query) of each variable.
_OF_PODS = (("namespace", "Namespace", f"label_values({REQUESTS}, namespace)"),
            ("dynamo_namespace", "Graph", f'label_values({REQUESTS}{{namespace=~"$namespace"}}, dynamo_namespace)'))
VARIABLES = {
    "serving": (*_OF_PODS, ("model", "Model", f"label_values({REQUESTS}{{{PODS}}}, model)"), ("node", "Node", "label_values(DCGM_FI_DEV_GPU_UTIL, Hostname)")),
    "planner": _OF_PODS,
}

DASHBOARDS = {
    "serving": ("Dynamo: serving", "Requests, tokens, latency, workers and GPUs of the graphs that Dynamo serves.", SERVING),
    "planner": ("Dynamo: planner", "Decisions of planners, and what they observe and predict.", PLANNER),
}
