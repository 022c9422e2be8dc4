"""The charts and the programs that validate them, for deploy.py and for tests."""

import atexit
import contextlib
import functools
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import yaml

import result_cache

HERE = Path(__file__).resolve().parent
REPOSITORY = HERE.parent.parent
CHARTS = REPOSITORY / "deploy/charts"
PLATFORM = CHARTS / "dynamo-platform"
OPERATOR = PLATFORM / "charts/dynamo-operator"
SCENARIOS = REPOSITORY / "deploy/scenarios"
FAKES = HERE / "testdata/fake_charts"
BUILD_SECONDS = 1800
RENDER_SECONDS = 60


@functools.cache
def tool(name):
    """The path of a program of tools.pins, which is built unless it is cached."""
    done = subprocess.run([HERE / "build_tools", name], stdout=subprocess.PIPE, text=True,
                          timeout=BUILD_SECONDS, check=True)
    return done.stdout.strip()


def helm():
    return tool("helm")


# Required values of every release.
REQUIRED_VALUES = {"webhook": {"operatorVersion": "1.0.0"}}


@functools.cache
def _with_notes():
    """The operator's chart with a ConfigMap that contains the notes."""
    work = tempfile.mkdtemp()
    atexit.register(shutil.rmtree, work)
    chart = Path(shutil.copytree(OPERATOR, Path(work) / "dynamo-operator"))
    (chart / "templates/zz-notes.yaml").write_text(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: notes}\ndata: {notes: {{ include "
        '"dynamo-operator.notes" . | quote }}}\n', encoding="utf-8")
    _constant.append(chart)
    return chart


def notes(values, **options):
    """The notes after an installation with these values."""
    config_map, = [each for each in render(_with_notes(), values, **options) if each["metadata"]["name"] == "notes"]
    return config_map["data"]["notes"]


@contextlib.contextmanager
def platform():
    """A copy of the platform's chart with a fake of each chart that it would fetch: helm renders
    nothing while one is missing, even a disabled one. testdata/fake_charts describes them."""
    with tempfile.TemporaryDirectory() as work:
        chart = Path(work) / "dynamo-platform"
        # Without archives that `helm dependency build` has downloaded.
        shutil.copytree(PLATFORM, chart, ignore=shutil.ignore_patterns("*.tgz"))
        for each in FAKES.glob("*/Chart.yaml"):
            if not (chart / "charts" / each.parent.name).is_dir():
                shutil.copytree(each.parent, chart / "charts" / each.parent.name)
        yield chart


def ours(rendered):
    """The objects without those that a fake imitates; each one's ConfigMap with its values
    remains."""
    return [each for each in rendered if "fake" not in each["metadata"].get("annotations", {})]


def leaves(values, path=()):
    """{"a": {"b": 1}} as [(("a", "b"), 1)]."""
    for key, value in values.items():
        if isinstance(value, dict) and value:
            yield from leaves(value, (*path, key))
        else:
            yield (*path, key), value


class RenderError(Exception):
    """helm refused to render; the text is its message."""


def required_values(chart):
    """The required values of a chart, which have no default."""
    return {"dynamo-operator": [REQUIRED_VALUES], "dynamo-platform": [{"dynamo-operator": REQUIRED_VALUES}]}.get(Path(chart).name, [])


# Charts that no test changes: equal values give equal renders of them.
_constant = [CHARTS]


@functools.cache
def _constant_digest(chart):
    return result_cache.digest(chart)


def _run_helm(chart, options, values, kubeconfig):
    """The exit code, output and messages of helm with these values: paths, or objects in YAML."""
    with tempfile.TemporaryDirectory() as work:
        command = [helm(), "template", *options]
        for number, each in enumerate(values):
            if isinstance(each, str):
                path = Path(work) / f"{number}.yaml"
                path.write_text(each, encoding="utf-8")
                each = path
            command += ["--values", each]
        # Each helm ends before its garbage is worth collecting.
        environment = {**os.environ, "KUBECONFIG": str(kubeconfig), "GOGC": "off"}
        done = subprocess.run([*command, chart], capture_output=True, text=True, check=False, timeout=RENDER_SECONDS, env=environment)
        return done.returncode, done.stdout, done.stderr


def _run_helm_once(chart, options, values):
    """_run_helm() without a cluster, or its result of an earlier run with equal inputs."""
    def run():
        return _run_helm(chart, options, values, "/nonexistent")

    reads_files = any(Path(each.rpartition("=")[2]).is_file() for each in options)
    if reads_files or not any(chart.is_relative_to(each) for each in _constant):
        return run()
    texts = [each if isinstance(each, str) else each.read_text(encoding="utf-8") for each in values]
    settings = sorted(each for each in os.environ.items() if each[0].startswith("HELM_"))
    return result_cache.cached(("helm template", helm(), _constant_digest(chart), options, texts, settings), run)


def render_text(chart, values=(), release="dynamo", namespace="dynamo-system", options=(), bare=False, kubeconfig=None):
    """The objects that helm renders from a chart and these values: file paths, or dictionaries, of
    which later ones win; `bare` leaves out the required values. It sees no cluster except that of
    `kubeconfig`."""
    values = [yaml.safe_dump(each) if isinstance(each, dict) else Path(each)
              for each in (*([] if bare else required_values(chart)), *values)]
    options = [str(word) for word in (release, "--namespace", namespace, *options)]
    if kubeconfig:
        code, output, message = _run_helm(chart, [*options, "--dry-run=server"], values, kubeconfig)
    else:
        code, output, message = _run_helm_once(Path(chart), options, values)
    if code != 0:
        raise RenderError(message)
    return output


class StrictLoader(yaml.CSafeLoader if hasattr(yaml, "CSafeLoader") else yaml.SafeLoader):
    """Refuses a duplicate key in a map, like the API server's strict decoding."""


def _mapping(loader, node, deep=False):
    keys = [loader.construct_object(key, deep=True) for key, _ in node.value]
    for key in keys:
        if keys.count(key) > 1:
            raise yaml.YAMLError(f"line {node.start_mark.line + 1}: {key!r} is a duplicate key")
    return yaml.constructor.SafeConstructor.construct_mapping(loader, node, deep)


StrictLoader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG,
                             lambda loader, node: _mapping(loader, node, True))


def objects(text):
    return [each for each in yaml.load_all(text, Loader=StrictLoader) if each]


def render(*arguments, **options):
    """The parsed objects of render_text()."""
    text = render_text(*arguments, **options)
    return result_cache.cached(("objects", _parser_digest(), text), lambda: objects(text))


@functools.cache
def _parser_digest():
    return yaml.__version__ + result_cache.digest(Path(__file__))


def inventory(rendered):
    """KIND NAMESPACE/NAME, one per line, in order."""
    def line(each):
        metadata = each["metadata"]
        return f"{each['kind']} {metadata.get('namespace', '-')}/{metadata['name']}"
    return sorted(line(each) for each in rendered)
