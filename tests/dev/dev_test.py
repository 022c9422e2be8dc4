#!/usr/bin/env python3
"""When ./dev is ended, it leaves no process that it started, and releases its build folder.

A fake `cmake` on PATH plays the compiler: it starts a process of its own, writes both process ids,
and waits. Each test uses a copy of the script in a temporary folder.
"""

import fcntl
import os
import pathlib
import re
import select
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PATIENCE_SECONDS = 30

STAND_IN = """#!/usr/bin/env bash
case $* in
  *--preset*) mkdir -p build/release; touch build/release/build.ninja build/release/CMakeCache.txt ;;
  *)
    sleep 300 &
    echo "$$ $!" >"$DYNAMO_REPORT"
    wait
    ;;
esac
"""


def lives(pid):
    """Whether the process runs; a zombie does not."""
    try:
        state = pathlib.Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class ScriptTest(unittest.TestCase):
    """A test with a copy of the script, which finds fake programs on its PATH."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        shutil.copy(ROOT / "dev", self.folder / "dev")
        shutil.copytree(ROOT / "cmake/dev", self.folder / "cmake/dev")
        (self.folder / "CMakePresets.json").write_text("{}", encoding="ascii")
        self.reported = self.folder / "reported"
        self.environment = {
            "PATH": f"{self.folder / 'programs'}:{os.environ['PATH']}",
            "HOME": str(self.folder),
            "DYNAMO_SKIP_SETUP": "1",
            "DYNAMO_CACHE_DIR": str(self.folder / "cache"),
            "DYNAMO_REPORT": str(self.reported),
        }

    def enterContext(self, context):  # unittest has it from Python 3.11 on
        value = context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        return value

    def put_program(self, path, text):
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="ascii")
        target.chmod(0o755)


class InterruptedScriptTest(ScriptTest):
    """A test that ends ./dev with a signal and checks what is left."""

    def setUp(self):
        super().setUp()
        os.mkfifo(self.reported)

    def start(self, *arguments):
        """Starts ./dev; returns it, and the fake programs' processes once they run."""
        script = subprocess.Popen(
            ["./dev", *arguments],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.addCleanup(script.stdout.close)
        reported = os.open(self.reported, os.O_RDONLY | os.O_NONBLOCK)
        self.addCleanup(os.close, reported)
        poll = select.poll()
        poll.register(reported, select.POLLIN)
        self.assertTrue(poll.poll(PATIENCE_SECONDS * 1000), "the build did not start")
        numbers = [int(word) for word in os.read(reported, 100).split()]
        self.assertEqual(len(numbers), 2)
        return script, numbers

    def end(self, script, number):
        script.send_signal(number)
        try:
            script.communicate(timeout=PATIENCE_SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(script.pid, signal.SIGKILL)
            self.fail("./dev did not end")
        return script.returncode

    def expect_nothing_left(self, numbers, preset="release"):
        # They got their signal before ./dev ended; the kernel may still be ending them.
        deadline = time.monotonic() + PATIENCE_SECONDS
        while any(map(lives, numbers)) and time.monotonic() < deadline:
            time.sleep(0.01)
        left = [pid for pid in numbers if lives(pid)]
        for pid in left:
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(left, [], "a process that ./dev started still runs")
        with open(self.folder / f"build/.{preset}.lock", "w", encoding="ascii") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)  # raises while another process holds it


class SignalHandling(InterruptedScriptTest):
    def setUp(self):
        super().setUp()
        self.put_program("programs/cmake", STAND_IN)

    def test_build_ends_and_releases_its_folder(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(signal=number.name):
                script, numbers = self.start("build")
                self.assertEqual(self.end(script, number), 128 + number)
                self.expect_nothing_left(numbers)

    def test_test_step_ends(self):
        script, numbers = self.start("test", "unit")
        self.assertEqual(self.end(script, signal.SIGTERM), 143)
        self.expect_nothing_left(numbers)


CLUSTER = """#!/usr/bin/env python3
import os, pathlib, subprocess, sys
state = pathlib.Path(sys.argv[2])
if sys.argv[3:] == ["down"]:
    os.kill(int((state / "etcd.pid").read_text()), 15)
    (state / "etcd.pid").unlink()
"""

# Like a test fixture: its process is in a session of its own and outlives it.
CTEST_THAT_STARTS_A_CLUSTER = """#!/usr/bin/env bash
mkdir -p build/release/cluster-servers
setsid sleep 300 >/dev/null 2>&1 </dev/null &
echo $! >build/release/cluster-servers/etcd.pid
sleep 300 &
echo "$(cat build/release/cluster-servers/etcd.pid) $!" >"$DYNAMO_REPORT"
wait
"""


class ClusterCleanup(InterruptedScriptTest):
    def setUp(self):
        super().setUp()
        self.put_program("programs/cmake", '#!/usr/bin/env bash\nmkdir -p build/release; touch build/release/build.ninja\n')
        self.put_program("programs/ctest", CTEST_THAT_STARTS_A_CLUSTER)
        for path in ("tests/cluster/build_binaries", "tests/cluster/build_controllers"):
            self.put_program(path, "#!/bin/sh\n")
        self.put_program("tests/cluster/cluster.py", CLUSTER)

    def test_cluster_ends_with_its_step(self):
        script, numbers = self.start("test", "cluster")
        self.assertEqual(self.end(script, signal.SIGTERM), 143)
        self.expect_nothing_left(numbers, "release")


# The first asan build runs until it is ended, and writes its scheduling policy.
CMAKE_THAT_NEEDS_LONG_ONCE = """#!/usr/bin/env bash
case $* in
  *--preset*) for each in release static asan tsan; do mkdir -p build/$each; touch build/$each/build.ninja; done ;;
  *build/asan*)
    if [[ ! -e $DYNAMO_REPORT ]]; then
      echo "$$ $(chrt --pid $$) $(cat /proc/$$/autogroup)" >"$DYNAMO_REPORT.new"; mv "$DYNAMO_REPORT.new" "$DYNAMO_REPORT"
      exec sleep 300
    fi ;;
esac
"""
CTEST_THAT_WAITS_FOR_IT = """#!/usr/bin/env bash
for ((look = 0; look < 600; ++look)); do [[ ! -e $DYNAMO_REPORT ]] || break; sleep 0.05; done
echo '100% tests passed, 0 tests failed out of 7'
"""


class ConcurrentSteps(ScriptTest):
    def test_sanitizers_compile_during_long_tests(self):
        self.put_program("programs/cmake", CMAKE_THAT_NEEDS_LONG_ONCE)
        self.put_program("programs/ctest", CTEST_THAT_WAITS_FOR_IT)
        for path in ("tests/cluster/build_binaries", "tests/cluster/build_controllers"):
            self.put_program(path, "#!/bin/sh\n")
        done = subprocess.run(["./dev", "check", "long", "asan"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"long +passed +7 +0 .*\nasan +passed +7 +0 ")
        reported = self.reported.read_text(encoding="ascii")
        self.assertIn("SCHED_IDLE", reported)
        # Where Linux shares processors between sessions first.
        if os.access("/proc/self/autogroup", os.W_OK):
            self.assertRegex(reported, r"/autogroup-\d+ nice 19")
        self.assertFalse(lives(int(reported.split()[0])), "the concurrent build still runs")


class FullDisk(ScriptTest):
    def failed_build(self, free_mb):
        self.put_program("programs/cmake", "#!/bin/sh\nexit 1\n")
        self.put_program("programs/df", f"#!/bin/sh\necho '  Avail'; echo '    {free_mb}'\n")
        done = subprocess.run(["./dev", "build"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        return done.stdout

    def test_failure_on_full_disk_names_it(self):
        self.assertIn("Only 1023 MB are free on the disk of build/", self.failed_build(1023))

    def test_other_failure_does_not(self):
        self.assertNotIn("free on the disk", self.failed_build(1024))


class Timings(ScriptTest):
    def test_step_reports_durations(self):
        self.put_program("programs/cmake", '#!/usr/bin/env bash\n'
                         'case $* in *--preset*) mkdir -p build/release; touch build/release/build.ninja ;; esac\n')
        self.put_program("programs/ctest", "#!/bin/sh\necho '100% tests passed, 0 tests failed out of 7'\n")
        done = subprocess.run(["./dev", "test", "unit"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"unit +passed +7 +0 +0  \d+ s\n")
        table = done.stdout.partition("spent on\n")[2]
        self.assertRegex(table, r"^unit +\d s +\d s  Configuring release\nunit +\d s +\d s  Configuring release\n"
                                r"unit +\d s +\d s  Building release: all\nunit +\d s +\d s  Testing unit\nall +\d s\n")

    def test_table_has_processor_time_of_finished_children(self):
        self.put_program("programs/cmake", '#!/usr/bin/env bash\n'
                         'case $* in *--preset*) mkdir -p build/release; touch build/release/build.ninja ;; esac\n')
        self.put_program("programs/ctest", "#!/bin/sh\n"
                         "python3 -c 'import time\nwhile time.process_time() < 2.5: pass'\n"
                         "echo '100% tests passed, 0 tests failed out of 7'\n")
        done = subprocess.run(["./dev", "test", "unit"], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        seconds = re.search(r"unit +\d+ s +(\d+) s  Testing unit", done.stdout)
        self.assertIsNotNone(seconds, done.stdout)
        self.assertGreaterEqual(int(seconds[1]), 1)


# Fails `one` and `two` at first. On a second try those named in $STILL_FAILING fail.
FLAKY_CTEST = """#!/usr/bin/env bash
mkdir -p build/release/Testing/Temporary
list=build/release/Testing/Temporary/LastTestsFailed.log
case $* in
  *--rerun-failed*) failing=$STILL_FAILING; echo "again: $*" >>"$DYNAMO_REPORT" ;;
  *) failing='one two' ;;
esac
: >"$list"
for name in $failing; do echo "3:$name" >>"$list"; done
count=$(wc -l <"$list")
echo "50% tests passed, $count tests failed out of 7"
((count == 0))
"""


class FlakyTests(ScriptTest):
    def run_unit(self, still_failing, command="test", *arguments):
        self.put_program("programs/cmake", '#!/usr/bin/env bash\n'
                         'case $* in *--preset*) mkdir -p build/release; touch build/release/build.ninja ;; esac\n')
        self.put_program("programs/ctest", FLAKY_CTEST)
        return subprocess.run(["./dev", command, "unit", *arguments], cwd=self.folder,
                              env={**self.environment, "STILL_FAILING": still_failing}, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def test_flaky_test_is_counted_and_passes_test(self):
        done = self.run_unit("")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("FLAKY one", done.stdout)
        self.assertIn("FLAKY two", done.stdout)
        self.assertRegex(done.stdout, r"unit +passed +7 +0 +2  \d s\n")
        self.assertIn("2 flaky", done.stdout)

    def test_flaky_test_fails_check(self):
        done = self.run_unit("", "check")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertRegex(done.stdout, r"unit +FAILED +7 +0 +2  \d s\n")

    def test_test_that_fails_twice_is_not_flaky(self):
        done = self.run_unit("two")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertIn("FLAKY one", done.stdout)
        self.assertNotIn("FLAKY two", done.stdout)
        self.assertRegex(done.stdout, r"unit +FAILED +6 +1 +1  \d s\n")

    def test_selected_tests_run_once(self):
        done = self.run_unit("", "test", "-R", "one")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        self.assertFalse(self.reported.exists())


class Deploy(ScriptTest):
    def setUp(self):
        super().setUp()
        self.put_program("programs/cmake", '#!/usr/bin/env bash\ncase $* in *--preset*) mkdir -p build/release; touch build/release/build.ninja ;; esac\n')
        for path in ("tests/cluster/build_binaries", "tests/cluster/build_controllers", "tests/deploy/build_tools"):
            self.put_program(path, "#!/bin/sh\n")
        for path in ("tests/deploy/deploy.py", "tests/cluster/cluster.py"):
            self.put_program(path, "import os, sys\nprint('made')\n"
                             "open(os.environ['DYNAMO_REPORT'], 'a').write(' '.join(sys.argv) + '\\n')\n")
        for name in ("dev", "prod"):
            self.put_program(f"deploy/scenarios/{name}.yaml", "")

    def deploy(self, *arguments):
        return subprocess.run(["./dev", "deploy", *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def test_charts_are_linted_rendered_and_installed(self):
        for arguments, scenario in (((), "dev"), (("prod",), "prod")):
            with self.subTest(scenario=scenario):
                self.reported.write_text("", encoding="ascii")
                done = self.deploy(*arguments)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(self.reported.read_text(encoding="ascii").splitlines(), [
                    "tests/deploy/deploy.py lint", f"tests/deploy/deploy.py render {scenario}",
                    f"tests/cluster/cluster.py up --controllers --chart {scenario}"])
                rendered = self.folder / f"build/deploy/{scenario}.yaml"
                self.assertIn(f"build/deploy/{scenario}.yaml", done.stdout)
                self.assertEqual(rendered.read_text(encoding="ascii"), "made\n")

    def test_invalid_chart_is_not_installed(self):
        self.put_program("tests/deploy/deploy.py", "raise SystemExit(1)\n")
        self.assertEqual(self.deploy().returncode, 1)
        self.assertFalse(self.reported.exists())

    def test_unknown_scenario_is_reported_immediately(self):
        done = self.deploy("prodd")
        self.assertEqual(done.returncode, 2)
        self.assertIn("unknown scenario 'prodd'; scenarios are dev, prod", done.stderr)
        self.assertFalse((self.folder / "build").exists())


class Image(ScriptTest):
    def setUp(self):
        super().setUp()
        self.put_program("programs/dpkg", "#!/bin/sh\necho amd64\n")
        self.put_program("programs/cmake", '#!/usr/bin/env bash\ncase $* in *--preset*) mkdir -p build/release; touch build/release/build.ninja ;; esac\n')
        for name in ("cross", "build"):
            self.put_program(f"deploy/image/{name}", f'#!/bin/sh\necho "{name} $*" >>"$DYNAMO_REPORT"\n')

    def image(self, *arguments):
        return subprocess.run(["./dev", "image", *arguments], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60, check=False)

    def test_other_architecture_is_built_only_on_request(self):
        own = ["build ", "build --program build/release/bin/dynamo-reconciler"]
        for arguments, wanted in (((), own), (("--arch", "amd64"), own), (("--arch", "arm64"), ["cross "]),
                                  (("--arch", "arm64", "dynamo-webhook"), ["cross dynamo-webhook"])):
            with self.subTest(arguments=arguments):
                self.reported.write_text("", encoding="ascii")
                done = self.image(*arguments)
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertEqual(self.reported.read_text(encoding="ascii").splitlines(), wanted)

    def test_unknown_architecture_is_reported(self):
        for arguments in (("--arch",), ("--arch", "riscv64")):
            done = self.image(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("--arch must be amd64 or arm64", done.stderr)
            self.assertFalse(self.reported.exists())


if __name__ == "__main__":
    unittest.main()
