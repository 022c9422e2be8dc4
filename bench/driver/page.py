"""docs/performance.md and its pictures, from the results of a run. Pure: text in, text out."""

from . import chart
from .chart import Bar, Group
from .measure import FULL
from .results import COMPARED, LATER, SERVERS, Key, Results, Spread
from .servers import ECHO, PEER, WEBHOOK

TITLES = {
    "create_2k": "Small create, 2.4 KB",
    "create_13k": "Create with managedFields, 13 KB",
    "update_28k": "Update with old and new object, 28 KB",
    "v1beta1/create_2k": "v1beta1: small create",
    "v1beta1/create_13k": "v1beta1: create, 13 KB",
    "v1beta1/update_28k": "v1beta1: update, 28 KB",
}
ABSENT = "–"
PICTURES = "docs/pictures"
PAGE = "docs/performance.md"
DATA = "bench/performance.json"
REMAINING_COST = "adr/0038-updates-pay-for-what-they-change.md#remaining-cost"

HEAD = """# Performance

<!-- Written by `./dev bench report {data}`. Change bench/driver/page.py, not this page. -->

CPU, instructions, latency and memory of one admission review, over a connection that is already open, as an API server
sends it. [{data}](../{data}) has all rounds of each quantity. Compare ratios: absolute values depend on the machine.

| server | description |
|---|---|
| `echo` | A bare TLS server of Boost.Beast that reads the request and returns a fixed verdict: the lower limit. |
| `webhook` | `dynamo-webhook` with one thread, default limits and all rules. |
| `go-peer` | A webhook server of controller-runtime with typed structs and the same rules for graphs, `GOMAXPROCS=1`. |

The [method](../bench/README.md#method) describes the reviews, the load and the limits of the comparison.
"""

REPRODUCE = """## Reproduce

On an idle machine with two CPUs; the measurement took {minutes} minutes:

```sh
git checkout {commit}
./dev bench --json results.json      # measures, prints tables, and writes all rounds
./dev bench report results.json      # writes this page, its pictures and {data}
```

`./dev bench report` refuses results of fewer than five rounds, of a changed tree, or of a busy machine.
"""


def pictures(results: Results) -> dict[str, str]:
    """The SVG text by file name."""
    found = {
        "performance-cpu.svg": _cpu_chart(results),
        "performance-instructions.svg": _instructions_chart(results),
        "performance-latency.svg": _latency_chart(results),
    }
    return {name: text for name, text in found.items() if text}


def page(results: Results, faults: list[str]) -> str:
    """`faults`: reasons that make the page a draft."""
    draft = f"> **Draft.** These results are not fit for publication: {'; '.join(faults)}.\n" if faults else ""
    sections = [
        HEAD.format(data=DATA), draft, _cpu_section(results), _instructions_section(results), _latency_section(results),
        _memory_section(results), _large_section(results), _promises_section(results), _environment_section(results),
        REPRODUCE.format(data=DATA, commit=results.revision.get("commit"),
                         minutes=-(-results.duration_seconds // 60)),
    ]
    return "\n".join(section for section in sections if section)


def _groups(reviews: tuple[str, ...], bars: dict[Key, Bar]) -> list[Group]:
    groups = [
        Group(TITLES[review], [bars[review, server] for server in SERVERS if (review, server) in bars])
        for review in reviews
    ]
    return [group for group in groups if group.bars]


def _cpu_chart(results: Results) -> str:
    bars = {
        key: Bar(key[1], cost.median, cost.low, cost.high, f"{cost.median:,.0f} µs")
        for key, cost in results.cpu.items()
    }
    subtitle = f"Bar: median of {_rounds(results)} rounds. Whisker: lowest and highest round. Shorter is better."
    return _draw("Server CPU per request", subtitle, "µs of CPU, user and system", _groups(COMPARED, bars))


def _instructions_chart(results: Results) -> str:
    bars = {
        key: Bar(key[1], count / 1000, count / 1000, count / 1000, f"{count / 1000:,.0f}")
        for key, count in results.instructions.items()
    }
    subtitle = "Counted by callgrind in user space; the kernel is excluded. Shorter is better."
    return _draw("Instructions per request", subtitle, "thousand instructions", _groups(COMPARED + LATER, bars))


def _latency_chart(results: Results) -> str:
    bars = {}
    for key, p50 in results.p50.items():
        p99 = results.p99[key].median
        bars[key] = Bar(key[1], p50.median, p50.median, p99, f"{p50.median:,.0f} / {p99:,.0f} µs")
    rate = results.run.get("latency_per_second")
    subtitle = f"At {rate} requests a second. Bar: 50th percentile. End of the whisker: 99th. Shorter is better."
    return _draw("Latency of a request", subtitle, f"µs, median of {_rounds(results)} rounds", _groups(COMPARED, bars))


def _draw(title: str, subtitle: str, axis: str, groups: list[Group]) -> str:
    has_length = any(bar.high > 0 for group in groups for bar in group.bars)
    return chart.draw(title, subtitle, axis, groups) if has_length else ""


def _cpu_section(results: Results) -> str:
    rows = []
    for review in _reviews(results.cpu):
        ratios = (_ratio(results.cpu, (review, WEBHOOK), (review, ECHO)),
                  _ratio(results.cpu, (review, PEER), (review, WEBHOOK)))
        cells = (_spread(results.cpu.get((review, server))) for server in SERVERS)
        rows.append([review, f"{results.review_bytes.get(review, 0):,}", *cells, *ratios])
    return "\n".join([
        "## CPU per request\n", _picture("performance-cpu.svg", "Server CPU per request of three servers"),
        f"µs of CPU of the server: median (lowest to highest) of {_rounds(results)} interleaved rounds.\n",
        _table(["review", "bytes", *SERVERS, "webhook : echo", "go-peer : webhook"], rows),
        "The Go peer has no paths of `v1beta1` and conversions.\n",
        _source("cpu_per_request", "the servers' CPU clocks during load of `h2load`"),
    ])


def _instructions_section(results: Results) -> str:
    if not results.instructions:
        return ""
    counted = (ECHO, WEBHOOK)
    rows = [[review, *(f"{results.instructions[review, server]:,}" if (review, server) in results.instructions
                       else ABSENT for server in counted)] for review in _reviews(results.instructions)]
    return "\n".join([
        "## Instructions per request\n", _picture("performance-instructions.svg", "Instructions per request"),
        _table(["review", *counted], rows),
        "The count includes TLS, HTTP and metrics, and excludes the kernel. The Go peer is not counted.\n"
        "[bench/instructions.json](../bench/instructions.json) has the counts of the core alone and of\n"
        "two requests, on a CPU without AVX2 and later extensions. A test compares them on each change.\n",
        _source("instructions_per_request", "callgrind: a long run minus a short one, divided by requests"),
    ])


def _latency_section(results: Results) -> str:
    rows = [
        [review, server, _spread(results.p50[review, server]), _spread(results.p99[review, server])]
        for review in _reviews(results.p50) for server in SERVERS if (review, server) in results.p50
    ]
    run = results.run
    return "\n".join([
        "## Latency\n", _picture("performance-latency.svg", "Latency of a request of three servers"),
        f"µs at {run.get('latency_per_second')} requests a second over 16 connections: median (lowest to highest) of "
        f"{_rounds(results)} interleaved rounds\nof {run.get('latency_requests_per_round')} requests.\n",
        _table(["review", "server", "50th percentile", "99th percentile"], rows),
        _source("latency", "the log of `h2load`, without the first tenth of each round"),
    ])


def _memory_section(results: Results) -> str:
    rows = [
        [server, f"{memory.resident_kib / 1024:.1f} MiB", f"{memory.bytes_per_idle_connection / 1024:.1f} KiB"]
        for server, memory in results.memory.items() if server in SERVERS
    ]
    idle = max((memory.idle_connections for memory in results.memory.values()), default=FULL.idle_connections)
    return "\n".join([
        "## Memory\n", _table(["server", "resident, 16 connections", f"per idle connection, of {idle}"], rows),
        _source("memory", "`VmRSS` of the server"),
    ])


def _large_section(results: Results) -> str:
    if not results.large_cpu:
        return ""
    rows = []
    for review in _reviews(results.large_cpu):
        size = results.review_bytes.get(review, 0)
        ours = results.large_cpu.get((review, WEBHOOK))
        per_kib = f"{ours.median / size * 1024:.2f}" if ours and size else ABSENT
        cells = (_spread(results.large_cpu.get((review, server))) for server in SERVERS)
        rows.append([review, f"{size:,}", *cells, per_kib])
    return "\n".join([
        "## Large reviews\n", "µs of CPU of the server; the cost per KiB must not grow with the size.\n",
        _table(["review", "bytes", *SERVERS, "webhook, per KiB"], rows),
        _source("large_cpu_per_request", "like CPU per request"),
    ])


def _promises_section(results: Results) -> str:
    if not results.promises:
        return ""
    rows = [
        [_escape(promise.what), f"{promise.bound} {promise.limit:g} {promise.unit}",
         f"{promise.value:.2f} {promise.unit}", "✓" if promise.kept else "✗"]
        for promise in results.promises
    ]
    rest = [] if all(promise.kept for promise in results.promises) else [
        f"[ADR 38]({REMAINING_COST}) shows by profile what takes the rest, and what was tried.\n"]
    others = ("Commands of their own measure [full handshakes](../bench/README.md#handshakes),\n"
              "[two threads](../bench/README.md#two-threads) and [half load](../bench/README.md#load).\n")
    return "\n".join(["## Promises\n", _table(["quantity", "limit", "measured", "kept"], rows), *rest, others,
                      _source("promises", "`bench/driver/promises.py`, from the tables above")])


def _environment_section(results: Results) -> str:
    machine, versions = results.machine, results.versions
    facts = {
        "date": results.date,
        "commit": results.revision.get("commit"),
        "CPU": f"{machine.get('cpu')}, {machine.get('cpus')} CPUs, {machine.get('architecture')}",
        "memory": f"{machine.get('memory_mib', 0):,} MiB",
        "system": f"{machine.get('system')}, Linux {machine.get('kernel')}",
        "compiler": f"{versions.get('compiler')}, {versions.get('flags')}",
        "libraries": f"{versions.get('libc')}, {versions.get('openssl')}",
        "load": f"{versions.get('h2load')}, HTTP/1.1, TLS 1.3, ECDSA P-256, 16 connections",
        "other processes": f"{results.run.get('foreign_load', 0) * 100:.1f} % of the two CPUs during the rounds",
    }
    rows = [[name, _escape(str(value))] for name, value in facts.items()]
    return "\n".join(["## Machine and versions\n", _table(["fact", "value"], rows),
                      _source("machine", "and its members `versions`, `revision` and `run`")])


def _reviews(values: dict[Key, object]) -> list[str]:
    return list(dict.fromkeys(review for review, _ in values))


def _rounds(results: Results) -> int:
    return results.run.get("rounds", 0)


def _spread(values: Spread | None) -> str:
    if values is None:
        return ABSENT
    digits = 0 if values.median >= 1000 else 1
    return f"{values.median:,.{digits}f} ({values.low:,.{digits}f}–{values.high:,.{digits}f})"


def _ratio(costs: dict[Key, Spread], over: Key, under: Key) -> str:
    if over not in costs or under not in costs or costs[under].median <= 0:
        return ABSENT
    return f"{costs[over].median / costs[under].median:.2f}"


def _picture(name: str, text: str) -> str:
    return f"![{text}](pictures/{name})\n"


def _source(member: str, origin: str) -> str:
    return f"Source: `{member}` of [{DATA}](../{DATA}); {origin}.\n"


def _table(head: list[str], rows: list[list[str]]) -> str:
    lines = [f"| {' | '.join(cells)} |" for cells in (head, *rows)]
    lines.insert(1, "|---" * len(head) + "|")
    return "\n".join(lines) + "\n"


def _escape(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;").replace("\n", " ")
