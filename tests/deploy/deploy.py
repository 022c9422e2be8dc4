#!/usr/bin/env python3
"""The charts, rendered, judged and installed with the pinned helm, without network.

  deploy.py render SCENARIO [-- HELM-ARGUMENTS]   print what deploy/scenarios/SCENARIO.yaml makes
  deploy.py lint                                  helm lint --strict of every chart
  deploy.py install SCENARIO [-- HELM-ARGUMENTS]  definitions and platform into the cluster of
                                                  $KUBECONFIG (--namespace, --release)
  deploy.py uninstall                             the platform again; definitions stay

In the test cluster nothing routes addresses of Services. There
  deploy.py install dev -- --post-renderer tests/cluster/harness/post_render.py --post-renderer-args PORT
has the webhooks call PORT of this machine, where a server runs with the arguments of the Deployment.

The charts that the platform depends on are not fetched: empty ones stand in for them, so NATS, etcd,
the scheduler and Grove are not installed from here.
"""

import argparse
import contextlib
import subprocess
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from charts import CHARTS, SCENARIOS, OPERATOR, helm, platform  # noqa: E402


def run(*arguments):
    command = [helm(), *map(str, arguments)]
    return subprocess.run(command, check=False, timeout=600).returncode


def lint():
    with platform() as chart:
        return max(run("lint", "--strict", each) for each in (CHARTS / "dynamo-crds", OPERATOR, chart))


def render(release, namespace, scenario, more):
    with platform() as chart:
        return run("template", release, chart, "--namespace", namespace,
                   "--values", SCENARIOS / f"{scenario}.yaml", *more)


def install(release, namespace, scenario, more):
    # Definitions first, or the API server does not know what the webhooks are about. Those that
    # somebody applied by hand are taken over.
    code = run("upgrade", "--install", "dynamo-crds", CHARTS / "dynamo-crds", "--namespace", "default",
               "--take-ownership", "--wait", "--timeout", "2m")
    if code:
        return code
    with platform() as chart:
        return run("upgrade", "--install", release, chart, "--namespace", namespace, "--create-namespace",
                   "--values", SCENARIOS / f"{scenario}.yaml", *more)


def main():
    arguments = sys.argv[1:]
    more = []
    with contextlib.suppress(ValueError):
        at = arguments.index("--")
        arguments, more = arguments[:at], arguments[at + 1:]
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--release", default="dynamo")
    parser.add_argument("--namespace", default="dynamo-system")
    commands = parser.add_subparsers(dest="command", required=True)
    names = sorted(path.stem for path in SCENARIOS.glob("*.yaml"))
    for each in ("render", "install"):
        commands.add_parser(each).add_argument("scenario", choices=names)
    commands.add_parser("lint")
    commands.add_parser("uninstall")
    given = parser.parse_args(arguments)
    match given.command:
        case "lint":
            return lint()
        case "render":
            return render(given.release, given.namespace, given.scenario, more)
        case "install":
            return install(given.release, given.namespace, given.scenario, more)
        case _:
            return run("uninstall", given.release, "--namespace", given.namespace, "--wait")


if __name__ == "__main__":
    sys.exit(main())
