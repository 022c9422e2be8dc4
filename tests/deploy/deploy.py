#!/usr/bin/env python3
"""Renders, validates and installs the charts with the pinned helm, without network.

  deploy.py render SCENARIO [-- HELM-ARGUMENTS]   print the objects of deploy/scenarios/SCENARIO.yaml
  deploy.py lint                                  helm lint --strict of every chart
  deploy.py install SCENARIO [-- HELM-ARGUMENTS]  definitions and platform into the cluster of
                                                  $KUBECONFIG (--namespace, --release)
  deploy.py uninstall                             the platform again; definitions stay
  deploy.py pack [DIRECTORY]                      archives of the charts in the version of deploy/version,
                                                  which is also the tag of their images; build/charts

In the test cluster the addresses of Services are not routed. There
  deploy.py install dev -- --post-renderer tests/cluster/harness/post_render.py --post-renderer-args PORT
makes the webhooks call PORT of this machine, where a server runs with the arguments of the Deployment.

The charts that the platform depends on are replaced by fakes (testdata/fake_charts) instead of being fetched,
so this does not install a usable NATS, etcd, scheduler or Grove.
"""

import argparse
import contextlib
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

sys.dont_write_bytecode = True
from charts import CHARTS, OPERATOR, PLATFORM, REPOSITORY, SCENARIOS, helm, platform  # noqa: E402


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
    # Definitions first, or the API server does not know the webhooks' resources. Definitions
    # applied by hand are taken over.
    code = run("upgrade", "--install", "dynamo-crds", CHARTS / "dynamo-crds", "--namespace", "default",
               "--take-ownership", "--wait", "--timeout", "2m")
    if code:
        return code
    with platform() as chart:
        return run("upgrade", "--install", release, chart, "--namespace", namespace, "--create-namespace",
                   "--values", SCENARIOS / f"{scenario}.yaml", *more)


def versioned(chart, target):
    """A copy of a chart in the version of this tree, and of those in its charts/; their images have
    the version as their tag."""
    tag = subprocess.run([REPOSITORY / "deploy/version", "--tag"], capture_output=True, text=True, check=True).stdout.strip()
    copy = Path(shutil.copytree(chart, target / chart.name))
    declared = yaml.safe_load((chart / "Chart.yaml").read_text(encoding="utf-8"))["version"]
    for path in copy.rglob("Chart.yaml"):
        text = path.read_text(encoding="utf-8")
        # Third-party charts have their own versions.
        if yaml.safe_load(text)["version"] == declared:
            path.write_text(re.sub(rf'((?:version|appVersion): "?){re.escape(declared)}("?)$', rf"\g<1>{tag}\g<2>", text,
                                   flags=re.MULTILINE), encoding="utf-8")
    return copy


def pack(directory):
    directory.mkdir(parents=True, exist_ok=True)
    code = 0
    with tempfile.TemporaryDirectory() as work:
        for each in (CHARTS / "dynamo-crds", OPERATOR, PLATFORM):
            missing = [name for name in dependencies(each) if not list((each / "charts").glob(f"{name}*"))]
            if missing:
                print(f"{each.name} is not packed: helm dependency build {each.relative_to(REPOSITORY)} fetches {', '.join(missing)}",
                      file=sys.stderr)
                code = 1
                continue
            code = max(code, run("package", versioned(each, Path(work)), "--destination", directory))
    return code


def dependencies(chart):
    return [each["name"] for each in yaml.safe_load((chart / "Chart.yaml").read_text(encoding="utf-8")).get("dependencies", [])]


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
    commands.add_parser("pack").add_argument("directory", nargs="?", type=Path, default=REPOSITORY / "build/charts")
    given = parser.parse_args(arguments)
    match given.command:
        case "lint":
            return lint()
        case "pack":
            return pack(given.directory)
        case "render":
            return render(given.release, given.namespace, given.scenario, more)
        case "install":
            return install(given.release, given.namespace, given.scenario, more)
        case _:
            return run("uninstall", given.release, "--namespace", given.namespace, "--wait")


if __name__ == "__main__":
    sys.exit(main())
