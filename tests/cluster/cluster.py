#!/usr/bin/env python3
"""A real API server with this project's webhook on it, on loopback ports of this machine.

  cluster.py up                start it; prints the kubeconfig's path
  cluster.py up --no-webhook   the same without our server
  cluster.py up --controllers  the same with Kubernetes' own controllers and scheduler, and nodes on which
                               pods become ready without running; exits with 69 if these programs are
                               not available
  cluster.py up --replace      the same; first stops the remaining processes of a cluster that lost some of
                               its processes, which `up` alone refuses, and loses its stored objects
  cluster.py up --chart NAME   the same as the charts install it with deploy/scenarios/NAME.yaml, and
                               run on this machine with the arguments and permissions of its pods
  cluster.py trial             `up --controllers --chart replacement`, each command that it suggests, and
                               `down`
  cluster.py scenarios         `up --chart` with each scenario in turn, a bad graph denied, a good one
                               admitted, and `down`
  cluster.py restart NAME      restart one process with its arguments; `status` lists the names
  cluster.py down              stop every process of it
  cluster.py status            running processes and addresses
  cluster.py list              the tests, one a line: the ctest name, the unittest name, the cluster that
                               it needs, plain or controllers, and whether it is long or short
  cluster.py test [NAME...]    run tests (all, or those whose name contains a NAME) on it; tests that need
                               controllers run only on a cluster with controllers, the others only without
  cluster.py capture DIR       regenerate DIR/*.json from DIR/*.yaml: the AdmissionReviews as the API server
                               sends them (starts and stops its own cluster)

Requires only Python's standard library, Debian's etcd-server and openssl, and Go to build
kube-apiserver and kubectl once (build_binaries). See README.md in this folder.
"""

import argparse
import os
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
sys.path.insert(0, str(HERE))

from harness import capture, chart, control_plane, controllers, processes, webhook  # noqa: E402
from harness.processes import HarnessError  # noqa: E402
from harness.programs import place_of, program  # noqa: E402
from harness.state import State  # noqa: E402

BUILD_SECONDS = 1800
TRIAL_SECONDS = 60


def say(text):
    print(f"cluster: {text}", file=sys.stderr, flush=True)


def binaries():
    """The directory of kube-apiserver and kubectl, built if missing."""
    done = processes.run("the build of kube-apiserver and kubectl", [HERE / "build_binaries"], BUILD_SECONDS,
                         stdout=subprocess.PIPE)
    if done.returncode != 0:
        raise HarnessError("kube-apiserver and kubectl could not be built")
    return Path(done.stdout.strip())


def up(state, with_webhook, with_controllers=False, replace=False):
    """Starts the cluster unless it is running; returns whether it did. If the start fails, stops
    everything that it started. Refuses a cluster that is partly running unless `replace` allows
    stopping it."""
    with state.locked():
        if state.running():
            say(f"already up in {state.directory}")
            return False
        if not replace:
            state.refuse_if_partly_running()
        server = program("dynamo-webhook") if with_webhook else None
        state.stop_all()
        state.clear()
        directories = controllers.programs() if with_controllers else None
        state.facts["binaries"] = str(binaries())
        began = time.monotonic()
        try:
            _start(state, server, controllers.API_SERVER_FLAGS if directories else ())
            if directories:
                start_controllers(state, directories)
        except BaseException:
            state.stop_all()
            raise
        say(f"up in {time.monotonic() - began:.1f} s; logs in {state.logs}")
    return True


def _start(state, server, api_server_flags):
    etcd_url = control_plane.start_etcd(state)
    say(f"etcd at {etcd_url}")
    kube_apiserver = Path(state.facts["binaries"]) / "kube-apiserver"
    state.facts["api_server"] = control_plane.start_api_server(state, kube_apiserver, etcd_url,
                                                               api_server_flags)
    say(f"kube-apiserver at {state.facts['api_server']}")
    kubectl = state.kubectl()
    kubectl.must("apply", "--filename", REPOSITORY / "deploy/crds",
                 "--filename", HERE / "testdata/access.yaml")
    kubectl.until_established()
    if server:
        state.facts["webhook_binary"] = str(server)
        state.facts["webhook"] = webhook.start(state, server)
        say(f"{server.name} at https://127.0.0.1:{state.facts['webhook']['port']}")
        webhook.register(kubectl, state.facts["webhook"])
    state.save()


def start_controllers(state, directories):
    controllers.start(state, directories)
    state.facts["controllers"] = directories
    state.save()
    say(f"controllers, scheduler and {len(controllers.NODES)} nodes of kwok")


def install(state, scenario, is_new=True):
    """Installs the charts into a running cluster, and runs the server like its pod. On failure, stops
    a cluster that was started for this (`is_new`)."""
    port, = processes.free_ports(1)
    state.facts["webhook_binary"] = str(program("dynamo-webhook"))
    try:
        release = chart.install_platform(state, scenario, port)
        state.facts["webhook"] = release.start("webhook", port)
        if release.has_reconciler():
            state.facts["reconciler"] = release.start_reconciler("dynamo-reconciler", program("dynamo-reconciler"))
    except BaseException:
        if is_new:
            state.stop_all()
        raise
    state.save()
    say(f"the webhook of deploy/scenarios/{scenario}.yaml at https://127.0.0.1:{port}, in namespace "
        f"{release.namespace}")
    if "reconciler" in state.facts:
        say("dynamo-reconciler runs as its pod would")


def commands_to_try(state):
    """Commands for a first trial, for a shell whose PATH has kubectl and kubectl-dynamo."""
    acts = "reconciler" in state.facts
    return ["kubectl apply -f deploy/samples/vllm_agg.yaml",
            "kubectl dynamo status vllm-agg" if acts else "kubectl get dgd vllm-agg -o yaml",
            "kubectl apply -f docs/examples/refused_graph.yaml"]


def search_path(state):
    return f"{place_of('kubectl-dynamo').parent}:{state.facts['binaries']}"


def place(state):
    """The --state argument of a cluster with another directory than the default."""
    return "" if state.directory == REPOSITORY / "build/cluster" else f" --state {state.directory}"


def greet(state):
    print(f"""
Try in this folder:
    export KUBECONFIG={state.kubeconfig} PATH={search_path(state)}:$PATH""", file=sys.stderr)
    for each in commands_to_try(state):
        print(f"    {each}", file=sys.stderr)
    names, _ = state.names()
    print(f"""restart a program, for example one that you killed, with
    tests/cluster/cluster.py{place(state)} restart NAME
where NAME is one of {', '.join(names)},""", file=sys.stderr)
    print("and end it with ./dev cluster down", file=sys.stderr, flush=True)


def run_trial(state, replace):
    """Runs the commands of greet() and checks the results that a user expects: a graph with ready
    pods, shown by `status`, and a graph that is refused."""
    up(state, with_webhook=False, with_controllers=True, replace=replace)
    try:
        install(state, "replacement")
        environment = {**os.environ, "KUBECONFIG": str(state.kubeconfig),
                       "PATH": f"{search_path(state)}:{os.environ['PATH']}"}

        def run(command):
            say(f"$ {command}")
            done = processes.run(command, ["sh", "-c", command], TRIAL_SECONDS, cwd=REPOSITORY, env=environment,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            return done.returncode, done.stdout

        apply, look, refuse = commands_to_try(state)
        code, output = run(apply)
        if code != 0:
            raise HarnessError(f"{apply}: {output}")

        def ready():
            graph = state.kubectl().within("default").get("dgd", "vllm-agg")
            if graph.get("status", {}).get("state") != "successful":
                raise processes.RetryError(run(look)[1])
            return True

        processes.wait_until("a graph whose pods are ready", ready, TRIAL_SECONDS)
        code, output = run(look)
        print(output)
        if code != 0 or any(name not in output for name in ("vllm-agg", "Frontend", "Worker")):
            raise HarnessError(f"{look} must show the graph and its services; the output was\n{output}")
        code, output = run(refuse)
        if code == 0 or "[pod.probe]" not in output:
            raise HarnessError(f"{refuse} must be refused for [pod.probe]; the output was\n{output}")
    finally:
        down(state)


def try_scenarios(state, replace):
    """Each scenario that can run here, in its own cluster."""
    for scenario in chart.scenarios():
        up(state, with_webhook=False, replace=replace)
        try:
            install(state, scenario)
            namespace = "team-a" if scenario == "restricted" else "default"
            kubectl = state.kubectl().within(namespace)
            refused = kubectl.run("create", "--dry-run=server", "-f", REPOSITORY / "docs/examples/refused_graph.yaml")
            # A server that only warns mentions the same rule.
            if "[pod.probe]" not in refused.stderr:
                raise HarnessError(f"{scenario}: the bad graph must be found; found {refused.stderr or refused.stdout}")
            kubectl.must("create", "--dry-run=server", "-f", REPOSITORY / "deploy/samples/vllm_agg.yaml")
            say(f"{scenario} validates")
        finally:
            down(state)


def restart(state, name):
    with state.locked():
        record = state.restart(name)
    say(f"restarted {name}, pid {record['pid']}, log {record['log']}")


def down(state):
    with state.locked():
        killed = state.stop_all()
        control_plane.delete_etcd_data(state)
    say(f"down; logs remain in {state.logs}")
    if killed:
        raise HarnessError(f"did not end in time and had to be killed: {', '.join(killed)}")


def status(state):
    print(f"directory   {state.directory}")
    for record in state.facts.get("processes", []):
        print(f"process     {record['name']}, pid {record['pid']}, log {record['log']}")
    if not state.running():
        print("not running")
        return 1
    print(f"api server  {state.facts['api_server']}")
    for what, port in state.facts.get("webhook", {}).items():
        print(f"webhook     {what} {port}")
    print(f"kubeconfig  {state.kubeconfig}")
    print(f"kubectl     {state.facts['binaries']}/kubectl")
    return 0


def all_tests():
    """Every test of behaviours/ and the cluster attacks of tests/security, as (ctest name, unittest name, cluster,
    long, smoke or short), in the order of the files."""

    def cases(suite):
        for each in suite:
            yield from cases(each) if isinstance(each, unittest.TestSuite) else [each]

    loader = unittest.TestLoader()
    suite = loader.discover(str(HERE / "behaviours"), "*_test.py", str(HERE))
    attacks = loader.discover(str(HERE.parent / "security"), "cluster_*_test.py", str(HERE.parent))
    suite = unittest.TestSuite([suite, attacks])
    if loader.errors:
        raise HarnessError("\n".join(loader.errors))
    for case in cases(suite):
        module, _, method = case.id().split(".")[-3:]
        name = f"{module.removesuffix('_test')}.{method.removeprefix('test_')}"
        marked = [each for each in (("TAKES_LONG", "long"), ("IS_SMOKE_TEST", "smoke"))
                  if hasattr(case, each[0]) or hasattr(getattr(case, method), each[0])]
        yield f"cluster.{name}", case.id(), case.NEEDS, marked[0][1] if marked else "short"


def test(state, names):
    """Runs the tests for this kind of cluster whose ctest name contains one of `names`; without names,
    all."""
    named = [(unit, needs) for ctest, unit, needs, _ in all_tests()
             if not names or any(name in ctest for name in names)]
    if not named:
        raise HarnessError(f"no test is called {' or '.join(names)}; see cluster.py list")
    kind = "controllers" if "controllers" in state.facts else "plain"
    wanted = [unit for unit, needs in named if needs == kind]
    if not wanted:
        raise HarnessError(f"the cluster must be {'without' if kind == 'controllers' else 'with'} "
                           f"controllers for {' and '.join(names)}: `down`, and `up` the other way")
    suite = unittest.defaultTestLoader.loadTestsFromNames(wanted)
    return 0 if unittest.TextTestRunner(verbosity=2).run(suite).wasSuccessful() else 1


def capture_reviews(directory):
    state = State(REPOSITORY / "build/cluster-capture")
    up(state, with_webhook=False, replace=True)
    try:
        for path, size in capture.reviews(state, Path(directory)):
            say(f"{path}: {size} bytes")
    finally:
        down(state)


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--state", metavar="DIR", help="state directory (default: "
                        "$DYNAMO_CLUSTER_STATE, else build/cluster)",
                        default=os.environ.get("DYNAMO_CLUSTER_STATE",
                                               REPOSITORY / "build/cluster"))
    commands = parser.add_subparsers(dest="command", required=True)
    upping = commands.add_parser("up")
    upping.add_argument("--controllers", action="store_true")
    starting = upping.add_mutually_exclusive_group()
    starting.add_argument("--no-webhook", action="store_true")
    starting.add_argument("--chart", metavar="NAME")
    for each in ("down", "status", "list"):
        commands.add_parser(each)
    for each in (upping, commands.add_parser("scenarios"), commands.add_parser("trial")):
        each.add_argument("--replace", action="store_true")
    commands.add_parser("restart").add_argument("name")
    commands.add_parser("test").add_argument("names", nargs="*")
    commands.add_parser("capture").add_argument("directory")
    arguments = parser.parse_args()
    state = State(arguments.state)
    os.environ["DYNAMO_CLUSTER_STATE"] = str(state.directory)
    # An interrupted `up` stops what it has started, as it does when it fails.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        match arguments.command:
            case "up":
                is_new = up(state, not (arguments.no_webhook or arguments.chart), arguments.controllers,
                            arguments.replace)
                if arguments.chart and "webhook" not in state.facts:
                    install(state, arguments.chart, is_new)
                if arguments.chart:
                    greet(state)
                print(state.kubeconfig)
            case "trial":
                run_trial(state, arguments.replace)
            case "scenarios":
                try_scenarios(state, arguments.replace)
            case "restart":
                restart(state, arguments.name)
            case "down":
                down(state)
            case "status":
                return status(state)
            case "list":
                for each in all_tests():
                    print(*each)
            case "test":
                return test(state, arguments.names)
            case "capture":
                capture_reviews(arguments.directory)
    except controllers.UnavailableError as error:
        say(f"skipped: {error}")
        return controllers.UNAVAILABLE
    except HarnessError as error:
        say(error)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
