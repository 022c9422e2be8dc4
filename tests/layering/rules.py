"""The tables of tests/layering: change a row here when the design changes, and explain it in an ADR."""

import dataclasses
import re

MAX_LINES = 800

# The folders that a folder may include. Dependencies have one direction; validators and defaulters
# do not know each other.
TEXT = {"src/text"}
JSON = TEXT | {"src/json"}
API = JSON | {"src/api"}
CORE = API | {"src/conversion", "src/schema", "src/render", "validators", "defaulters", "src/admission"}
# No I/O, no clock, no global state.
PURE = CORE | {"src/manifests"}
LOOP = {"src/runtime", "src/aio"}
SIDES = LOOP | {"src/tls", "src/process", "src/kube", "src/cluster", "certs"}
MAY_INCLUDE = {
    "src/text": TEXT,
    "src/json": JSON,
    "src/api": API,
    # v1alpha1 <-> v1beta1.
    "src/conversion": API | {"src/conversion"},
    "src/schema": API | {"src/schema"},
    # The schema has the formats of quantities: rendered objects are validated first.
    "src/render": API | {"src/schema", "src/render"},
    # Writes the rendered views as complete manifests, for controllers.
    "src/manifests": API | {"src/schema", "src/render", "src/manifests"},
    "validators": API | {"src/schema", "src/render", "validators"},
    "defaulters": API | {"defaulters"},
    "src/admission": CORE,
    "src/library": CORE | {"src/library"},
    "src/runtime": JSON | {"src/runtime"},
    "src/aio": LOOP,
    "src/tls": {"src/runtime", "src/tls"},
    # The cluster: the API client, our own objects there, and the diagnosis from outside.
    "src/kube": JSON | LOOP | {"src/tls", "src/kube"},
    "certs": JSON | LOOP | {"src/tls", "src/kube", "certs"},
    "src/cluster": CORE | LOOP | {"src/tls", "src/kube", "src/cluster"},
    # Shared by every process: cluster connection, probes, metrics, shutdown.
    "src/process": CORE | LOOP | {"src/tls", "src/kube", "src/cluster", "src/process"},
    # Desired objects, their difference to the live ones, and planned actions, as values. Shared by the reconciler
    # and by `kubectl dynamo diff`.
    "src/desired": API | {"src/schema", "src/render", "src/manifests", "src/runtime", "src/kube", "src/desired"},
    "src/doctor": CORE | LOOP | {"src/kube", "src/cluster", "certs", "src/doctor"},
    "src/server": JSON | LOOP | {"src/tls", "src/kube", "certs", "src/server"},
    "src/webhook": CORE | SIDES | {"src/server", "src/webhook"},
    "src/reconciler": CORE | LOOP | {"src/tls", "src/process", "src/kube", "src/cluster", "src/manifests", "src/desired",
                                     "src/reconciler"},
    "src/cli": CORE | LOOP | {"src/kube", "src/cluster", "src/manifests", "src/desired", "src/doctor", "src/cli"},
    "src/main": CORE | SIDES | {"src/server", "src/webhook", "src/cli", "src/doctor", "src/reconciler", "src/main"},
}
LIBRARIES = set(MAY_INCLUDE) - {"src/main"}

# The rooms (subfolders) of a folder, from the bottom. A room may include itself and the rooms of earlier lists; rooms
# of one list do not know each other. Every C++ file of these folders is in a room.
ROOMS = {
    "src/render": [["document"], ["component"], ["pod"], ["object"]],
    "src/kube": [["object"], ["config"], ["http"], ["client"], ["cache", "controller"]],
    "src/reconciler": [["engine"], ["verdict"],
                       ["checkpoint", "component", "copy_profile", "graph", "model", "request", "scaling_adapter",
                        "validation"], ["app"]],
    "src/cli": [["report"], ["git"], ["input"], ["options"], ["check"], ["formats"], ["history"], ["fix"], ["editor"],
                ["cluster"], ["commands"]],
}

# The rooms of a folder that alone may include a folder of ours, or a library's headers. So the checks of kubectl-dynamo
# have no I/O with a cluster.
ONLY_IN_ROOMS = {
    "src/cli": {"src/aio": {"cluster"}, "src/kube": {"cluster"}, "src/cluster": {"cluster"},
                "src/doctor": {"cluster", "commands"}, "boost": {"cluster"}},
}

# The folders whose libraries a program must not link, directly or through others. programs_test.py checks the programs.
PROGRAM_LACKS = {
    "dynamo-webhook": {"src/cli", "src/doctor", "src/reconciler", "src/desired", "src/manifests"},
    "dynamo-reconciler": {"src/cli", "src/doctor", "src/server", "src/webhook"},
    "kubectl-dynamo": {"src/reconciler", "src/process", "src/server", "src/webhook"},
}

# Folders of C++ that no library may include; they may include every library.
SHELLS = {"tests", "bench", "fuzz"}

# C++ that includes only our installed headers.
OUTSIDERS = {"examples"}

# C headers, which end in .h.
C_HEADERS = {"src/library/include/dynamo_admission.h"}

# Folders with other content.
OTHER_FOLDERS = {".ci", ".github", "cmake", "deploy", "docs", "examples", "python"}


@dataclasses.dataclass(frozen=True)
class ThirdParty:
    """A library that only some folders may include, so that it can be replaced in one place."""

    name: str
    headers: re.Pattern
    folders: frozenset
    instead: str


def third_party(name, headers, folders, instead):
    return ThirdParty(name, re.compile(headers), frozenset(folders), instead)


THIRD_PARTIES = [
    third_party("the installed library", r"dynamo/admission\.hpp$", OUTSIDERS | {"tests"},
                "inside of this tree include what you need itself"),
    third_party("RapidJSON", r"rapidjson/", {"src/json", "tests"},
                "use json::Document and json::Value, and json::ReportWriter for people"),
    third_party("yaml-cpp", r"yaml-cpp/", {"src/json"}, "let src/json read YAML into a document"),
    third_party("Asio", r"boost/asio", {"src/aio", "src/process", "src/server", "src/webhook", "src/main", "src/kube", "src/cluster", "src/cli", "src/doctor", "src/reconciler", "certs", "tests", "bench", "fuzz"},
                "the core does no I/O: pass bytes or a callback"),
    third_party("Beast", r"boost/beast", {"src/aio", "src/process", "src/server", "src/kube", "tests", "bench"},
                "HTTP belongs to src/server, src/process and src/kube: use their handlers and transports"),
    third_party("Boost.Intrusive", r"boost/intrusive/", {"src/server"}, "use the containers of the standard library"),
    third_party("Boost.System", r"boost/system/",
                {"src/aio", "src/tls", "src/process", "src/server", "src/webhook", "src/main", "src/runtime", "src/kube", "src/cluster", "src/cli", "src/doctor", "src/reconciler", "certs", "tests", "bench"},
                "the core reports causes, not error codes"),
    third_party("OpenSSL", r"openssl/", {"src/tls", "src/server", "src/webhook", "src/kube", "certs", "tests", "bench", "fuzz"},
                "certificates belong to certs/: use its sources and contexts"),
    third_party("spdlog and fmt", r"(spdlog|fmt)/", {"src/runtime"}, "log through runtime::Logger"),
    third_party("prometheus-cpp", r"prometheus/", {"src/runtime"}, "use the cells of runtime/metrics.hpp"),
    third_party("RE2", r"re2/", {"src/schema", "tests"}, "put the pattern in src/schema, or scan by hand in validators/content"),
    third_party("GoogleTest", r"(gtest|gmock)/", {"tests"}, "test code belongs to tests/"),
    third_party("Google Benchmark", r"benchmark/", {"bench"}, "benchmarks belong to bench/"),
]

# System headers that the core must not include: it has no I/O and no clock.
SYSTEM_HEADERS = re.compile(
    r"((sys|arpa|netinet|linux)/.+|(unistd|fcntl|poll|netdb|signal|pthread|sched|dirent|csignal)(\.h)?)$"
)

# A header of the standard library, or of C.
STANDARD_HEADER = re.compile(r"[a-z0-9_]+(\.h)?$")


@dataclasses.dataclass(frozen=True)
class Ban:
    """Code that a set of folders must not contain (comments and strings do not count)."""

    what: str
    pattern: re.Pattern
    folders: frozenset
    instead: str
    except_for: re.Pattern


def ban(what, pattern, folders, instead, except_for="$."):
    return Ban(what, re.compile(pattern), frozenset(folders), instead, re.compile(except_for))


EVERYWHERE = LIBRARIES | {"src/main"} | SHELLS
# Matches whole statements over several lines, including brace initialisers.
_REST = r"(?:[^;{]|(?<=[\w(,=])\{)*?"
STATEMENT_BANS = [
    # g++ 12 crashes on some of them, and miscompiles others.
    ban("a ?: in an expression with co_await", rf"\bco_await\b{_REST}\?|\?{_REST}\bco_await\b", EVERYWHERE,
        "put what it chooses into a variable first"),
]
BANS = [
    # g++ 12 loses the coroutine's parameters if it has no variables of its own.
    ban("a co_await in a condition",
        r"\b(if|while|switch|for)\s*\((?:[^()]|\((?:[^()]|\([^()]*\))*\))*?\bco_await\b", EVERYWHERE,
        "put its result into a variable first"),
    ban("std::regex", r"\bstd::(basic_)?regex|\bstd::regex_\w+", EVERYWHERE,
        "use RE2 in src/schema, or a hand-written scan"),
    ban("a sleep", r"\b(sleep_for|sleep_until|usleep|nanosleep|sleep)\s*\(", EVERYWHERE,
        "wait for the condition itself, with a deadline"),
    ban("rand()", r"\bs?rand\s*\(", EVERYWHERE, "take randomness from OpenSSL, or fix it in a test"),
    ban("getenv", r"\b(secure_)?getenv\s*\(", LIBRARIES, "add a flag to the table beside the program, as src/webhook/flag_table.cpp"),
    ban("a node-based or hashing container",
        r"\bstd::(unordered_)?(multi)?(map|set)\s*<|#\s*include\s*<(map|set|unordered_map|unordered_set)>",
        PURE, "use a sorted std::vector or a constexpr table: this is on a request's way",
        # Only command line tools read manifests, never a request handler.
        except_for=r"src/json/yaml\w*\.cpp"),
    ban("a lock or a thread",
        r"\bstd::(recursive_|shared_|timed_)*mutex\b|\bstd::(lock_guard|unique_lock|scoped_lock|shared_lock"
        r"|condition_variable(_any)?|j?thread|async|call_once)\b",
        PURE, "the core is pure: let the caller own what it shares"),
    # Differences between generations are in one table for rules, and in one function each for rendering and for
    # schemas.
    ban("a question for the operator's generation", r"\bOperatorGeneration::k(First|Later)\b|\busing enum [\w:]*OperatorGeneration\b",
        PURE, "add an OperatorBehaviour to validators/operator_profile.hpp, and ask for its severity",
        except_for=r"src/api/fact_choices\.hpp$|validators/operator_profile\.cpp$|src/render/document/profile\.cpp$|src/schema/table\.cpp$|src/manifests/environment\.cpp$"),
    ban("a clock", r"\b(system_clock|steady_clock|high_resolution_clock)::now\s*\(|"
        r"\btime\s*\(\s*(nullptr|NULL|0)\s*\)|\b(gettimeofday|clock_gettime|localtime|gmtime)\s*\(",
        PURE, "take the time from Context, so that a verdict can be repeated"),
    ban("a random source", r"\bstd::(random_device|mt19937)", PURE, "the core is deterministic"),
    ban("printing", r"\b(std::)?(printf|fprintf|vprintf|puts|fputs|putchar)\s*\(|\bstd::(cout|cerr|clog)\b",
        LIBRARIES - {"src/runtime"}, "return the text, or log through runtime::Logger"),
    ban("ending the process", r"\b(std::)?(exit|_Exit|quick_exit|abort|terminate)\s*\(", LIBRARIES,
        "return an error; src/main decides about exit codes"),
]

# Text that no file of ours may contain, not even in comments.
TEXT_BANS = [
    (re.compile(r"\bNOLINT"), "silences clang-tidy",
     "change the code, or the curated list in .clang-tidy"),
    # A mount point is a path in a container.
    (re.compile(r"(?<![\w.])(?<!mountPoint: )/(work|root|home/\w+)/"), "names a path of one machine",
     "make it relative, or read it from a flag"),
]
