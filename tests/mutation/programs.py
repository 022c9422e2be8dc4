"""The fast test programs: their times, the changes that they reach, and whether they notice one."""

import json
import math
import os
import re
import resource
import signal
import subprocess
from pathlib import Path

# Targets, each with its name in ctest. Those of the libraries first.
PROGRAMS = {
    "json_test": "unit.json_test",
    "json_allocation_test": "unit.json_allocation_test",
    "conversion_test": "unit.conversion_test",
    "convert-lines": "unit.conversion_matches_measured_outputs",
    "defaulters_test": "unit.defaulters_test",
    "validators_test": "unit.validators_test",
    "validators_allocations_test": "unit.validators_allocations_test",
    "admission_test": "unit.admission_test",
    "admission_allocations_test": "unit.admission_allocations_test",
    "admission_golden_test": "golden.admission_golden_test",
    "library_test": "unit.library_test",
    **{name: f"fuzz.{name}_replays_its_corpus"
       for name in ("fuzz_json", "fuzz_patch", "fuzz_scan", "fuzz_yaml", "fuzz_values", "fuzz_conversion",
                    "fuzz_conversion_edits", "fuzz_conversion_review", "fuzz_policy", "fuzz_review",
                    "fuzz_round_trips")},
}
# Seconds: slower cases of GoogleTest programs, and other slower programs, are left out.
SLOW_CASE = 2.0
SLOW_PROGRAM = 5.0
# A program with a change may take that many seconds of processor time, and that many times as long as without. Other
# processes do not affect that time; the limit in real time is only for programs that wait.
MIN_LIMIT = 10
LIMIT_FACTOR = 10
WAIT_FACTOR = 30
BASELINE_TIMEOUT = 600


# Process groups of programs that run now.
running = set()


def stop_all():
    for group in list(running):
        try:
            os.killpg(group, signal.SIGKILL)
        except ProcessLookupError:
            pass


class Program:
    """A test program with the processor time that it takes, and the ids that it reaches."""

    def __init__(self, name, command, folder, environment):
        self.name = name
        self.command = command
        self.folder = folder
        self.environment = environment
        self.is_google_test = "--gtest_brief=1" in command
        self.failing = []
        self.slow = []
        self.seconds = 0.0
        self.reached = set()

    def run(self, limit, arguments=(), **variables):
        """Runs it with a limit of processor time; returns "failure", "crash", "timeout" or None."""
        environment = dict(os.environ, **self.environment, **variables)
        command = ["prlimit", f"--cpu={limit}", *self.command, *self.filter(), *arguments]
        with subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            running.add(process.pid)
            try:
                return outcome_of(process.wait(WAIT_FACTOR * limit))
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                return "timeout"
            finally:
                running.discard(process.pid)

    def filter(self):
        left_out = self.failing + self.slow
        return [f"--gtest_filter=-{':'.join(left_out)}"] if left_out else []

    def measure(self, scratch):
        """Finds the cases to leave out, the time of the others, and what they reach. Returns whether it is usable."""
        report = scratch / f"{self.name}.json"
        reached = scratch / f"{self.name}.reached"
        reached.unlink(missing_ok=True)
        if self.is_google_test:
            self.run(BASELINE_TIMEOUT, [f"--gtest_output=json:{report}"])
            if not report.exists():
                return False
            self.failing, self.slow = unusable_cases(json.loads(report.read_text()))
        before = processor_seconds()
        failure = self.run(BASELINE_TIMEOUT)
        self.seconds = processor_seconds() - before
        if failure or (not self.is_google_test and self.seconds > SLOW_PROGRAM):
            return False
        self.run(BASELINE_TIMEOUT, DYNAMO_MUTANTS_REACHED=str(reached))
        self.reached = {int(line) for line in reached.read_text().split()} if reached.exists() else set()
        return True

    def notices(self, number):
        """How it notices the change: "failure", "crash" or "timeout"; else None."""
        limit = max(MIN_LIMIT, math.ceil(LIMIT_FACTOR * self.seconds))
        return self.run(limit, DYNAMO_MUTANT=str(number), GTEST_FAIL_FAST="1")


def outcome_of(status):
    """"failure", "crash", "timeout" or None for the status of a program."""
    if status == 0:
        return None
    if status in (-signal.SIGXCPU, -signal.SIGKILL):
        return "timeout"
    return "crash" if status < 0 else "failure"


def processor_seconds():
    """The processor time of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def unusable_cases(report):
    """The cases of a GoogleTest report that fail without a change, and those that are slow."""
    failing, slow = [], []
    for suite in report["testsuites"]:
        for case in suite["testsuite"]:
            name = f"{suite['name']}.{case['name']}"
            if case.get("failures"):
                failing.append(name)
            elif float(case["time"].rstrip("s")) > SLOW_CASE:
                slow.append(name)
    return failing, slow


def load(build_folder, names=PROGRAMS):
    """The programs as ctest runs them."""
    pattern = "|".join(re.escape(name) for name in names.values())
    shown = subprocess.run(["ctest", "--test-dir", build_folder, "--show-only=json-v1", "-R", f"^({pattern})$"],
                           capture_output=True, text=True, check=True, timeout=120)
    tests = {test["name"]: test for test in json.loads(shown.stdout)["tests"]}
    return [program_of(target, tests[name], build_folder) for target, name in names.items()]


def program_of(target, test, build_folder):
    properties = {entry["name"]: entry["value"] for entry in test["properties"]}
    environment = dict(variable.split("=", 1) for variable in properties.get("ENVIRONMENT", []))
    return Program(target, test["command"], Path(properties.get("WORKING_DIRECTORY", build_folder)), environment)


def try_mutant(number, programs):
    """Runs the programs that reach a change, fastest first; returns (result, program, how)."""
    reaching = sorted((program for program in programs if number in program.reached),
                      key=lambda program: program.seconds)
    for program in reaching:
        how = program.notices(number)
        if how is not None:
            return "noticed", program.name, how
    return ("survived" if reaching else "not reached"), "", ""
