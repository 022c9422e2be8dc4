"""The fast test programs: their times, the changes that they reach, and whether they notice one."""

import json
import os
import re
import signal
import subprocess
import time
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
MIN_TIMEOUT = 10
TIMEOUT_FACTOR = 10
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
    """A test program with the time that it takes, and the ids that it reaches."""

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

    def run(self, timeout, arguments=(), **variables):
        """Runs it; returns (how it failed or None, seconds)."""
        began = time.monotonic()
        environment = dict(os.environ, **self.environment, **variables)
        command = [*self.command, *self.filter(), *arguments]
        with subprocess.Popen(command, cwd=self.folder, env=environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as process:
            running.add(process.pid)
            try:
                status = process.wait(timeout)
                failure = None if status == 0 else "crash" if status < 0 else "failure"
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                failure = "timeout"
            finally:
                running.discard(process.pid)
        return failure, time.monotonic() - began

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
        failure, self.seconds = self.run(BASELINE_TIMEOUT)
        if failure or (not self.is_google_test and self.seconds > SLOW_PROGRAM):
            return False
        self.run(BASELINE_TIMEOUT, DYNAMO_MUTANTS_REACHED=str(reached))
        self.reached = {int(line) for line in reached.read_text().split()} if reached.exists() else set()
        return True

    def notices(self, number):
        """How it notices the change: "failure", "crash" or "timeout"; else None."""
        timeout = max(MIN_TIMEOUT, TIMEOUT_FACTOR * self.seconds)
        return self.run(timeout, DYNAMO_MUTANT=str(number), GTEST_FAIL_FAST="1")[0]


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
