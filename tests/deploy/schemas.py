"""JSON schemas for kubeconform: Kubernetes' and other projects' from the modules of their releases,
and our own definitions. Built once per version in the cache of build_tools; only Go uses the
network."""

import functools
import hashlib
import json
import os
import shutil
import subprocess
import tempfile
from pathlib import Path

import yaml

import result_cache
from charts import REPOSITORY

# The oldest release that the charts support, and the newest that is tested, with their checksums in
# go.sum format.
RELEASES = {
    "v1.30.14": "h1:MrlKXh9uhLIJpyxOeXhcndzRVSvwiV9iJ8NgH8nqPsg=",
    "v1.35.4": "h1:o/8dBC/pHVpYoGV4OAIytAlNPZbdYVTXJHoYvXC4qzM=",
}
MODULE = "k8s.io/kubernetes"
# Other projects: where the module of a release has their definitions, and its checksum in go.sum
# format.
FOREIGN = (
    ("github.com/prometheus-operator/prometheus-operator", "v0.85.0", "h1:M5xLCLEoaW2IJfnuCwFzzpL+jSVQu3KGT84Pye+fW8s=",
     "example/prometheus-operator-crd-full/monitoring.coreos.com_%s.yaml", ("servicemonitors", "podmonitors", "prometheusrules")),
    ("github.com/cert-manager/cert-manager", "v1.18.2", "h1:H2P75ycGcTMauV3gvpkDqLdS3RSXonWF2S49QGA1PZE=",
     "deploy/crds/crd-%s.yaml", ("certificates", "issuers")),
)
# The schema of the scheduler's queues, written by hand: its definition is in the Go module
# github.com/NVIDIA/KAI-scheduler, whose releases proxy.golang.org refuses ("403: This module
# version is not available"), under its later name, too; no other registry that we use has it.
AMOUNTS = {"type": "object", "properties": dict.fromkeys(("quota", "limit", "overQuotaWeight"), {"type": "number"})}
QUEUES = {"group": "scheduling.run.ai", "names": {"kind": "Queue"}, "versions": [{"name": "v2", "schema": {"openAPIV3Schema": {
    "type": "object", "properties": {**dict.fromkeys(("apiVersion", "kind"), {"type": "string"}), "spec": {
        "type": "object", "properties": {
            **dict.fromkeys(("displayName", "parentQueue", "preemptMinRuntime", "reclaimMinRuntime"), {"type": "string"}),
            "priority": {"type": "integer"},
            "resources": {"type": "object", "properties": dict.fromkeys(("cpu", "gpu", "memory"), AMOUNTS)}}}}}}}]}
SWAGGER = "api/openapi-spec/swagger.json"
FILE = "{{ .ResourceKind }}_{{ .Group }}_{{ .ResourceAPIVersion }}.json"
DOWNLOAD_SECONDS = 600


def cache():
    return result_cache.home() / "tools"


def _go():
    for each in ("go", "/usr/local/go/bin/go", str(cache().parent / "go-venv/bin/go")):
        if shutil.which(each):
            return each
    raise FileNotFoundError("no Go on this machine; tests/deploy/build_tools finds or fetches one")


def _module(name, release, checksum):
    """The folder of a Go module of this release."""
    done = subprocess.run([_go(), "mod", "download", "-json", f"{name}@{release}"], capture_output=True,
                          text=True, timeout=DOWNLOAD_SECONDS, check=True, cwd=tempfile.gettempdir(),
                          env={**os.environ, "GOWORK": "off", "GOFLAGS": ""})
    facts = json.loads(done.stdout)
    if facts["Sum"] != checksum:
        raise ValueError(f"{name}@{release} has the checksum {facts['Sum']}, not {checksum}")
    return Path(facts["Dir"])


def _swagger(release):
    path = _module(MODULE, release, RELEASES[release]) / SWAGGER
    return json.loads(path.read_text(encoding="utf-8"))["definitions"]


def _strict(name, definition):
    """Like the API server's strict decoding: no unknown fields; numbers where text may be one."""
    if name.endswith(".IntOrString") or name.endswith(".Quantity"):
        return {"type": ["string", "number"]}
    closed = "properties" in definition and "additionalProperties" not in definition
    return {**definition, "additionalProperties": False} if closed else definition


def _referred(node):
    if isinstance(node, dict):
        if isinstance(node.get("$ref"), str):  # a property may have this name, too
            yield node["$ref"].removeprefix("#/definitions/")
        for each in node.values():
            yield from _referred(each)
    elif isinstance(node, list):
        for each in node:
            yield from _referred(each)


def _closure(definitions, name):
    found, open_ = {}, [name]
    while open_:
        each = open_.pop()
        if each not in found:
            found[each] = definitions[each]
            open_ += _referred(definitions[each])
    return found


def _file_name(kind, group, version):
    return f"{kind.lower()}_{group or version}_{version}.json"


def _write(directory, release):
    definitions = {name: _strict(name, each) for name, each in _swagger(release).items()}
    for name, each in definitions.items():
        kinds = each.get("x-kubernetes-group-version-kind", [])
        if len(kinds) != 1:
            continue  # request options, which belong to every group
        kind, = kinds
        (directory / _file_name(kind["kind"], kind["group"], kind["version"])).write_text(json.dumps(
            {"$ref": f"#/definitions/{name}", "definitions": _closure(definitions, name)}), encoding="utf-8")


@functools.cache
def of_release(release):
    """A --schema-location for kubeconform with the kinds of this Kubernetes release."""
    return _made(release, lambda directory: _write(directory, release))


@functools.cache
def of_others():
    """A --schema-location for kubeconform with the kinds of other projects."""
    def write(directory):
        for name, release, checksum, path, plurals in FOREIGN:
            module = _module(name, release, checksum)
            for plural in plurals:
                _write_definition(directory, (module / (path % plural)).read_text(encoding="utf-8"))
        _write_kind(directory, QUEUES)
    return _made("others", write)


def _made(name, write):
    key = hashlib.sha256(Path(__file__).read_bytes()).hexdigest()[:12]
    target = cache() / f"schemas-{name}-{key}"
    if not target.is_dir():
        cache().mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache()) as partial:
            directory = Path(partial) / "schemas"
            directory.mkdir()
            write(directory)
            try:
                directory.rename(target)
            except OSError:
                pass  # another process was faster
    return f"{target}/{FILE}"


def _closed(schema):
    """The schema of a definition, without unknown fields."""
    if isinstance(schema, list):
        return [_closed(each) for each in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: _closed(value) for key, value in schema.items()}
    if result.get("type") == "object" and isinstance(result.get("properties"), dict):
        if not result.get("x-kubernetes-preserve-unknown-fields"):
            result.setdefault("additionalProperties", False)
    if result.get("x-kubernetes-int-or-string"):
        result.pop("type", None)
    return result


def _write_definition(directory, text):
    _write_kind(directory, yaml.safe_load(text)["spec"])


def _write_kind(directory, spec):
    for version in spec["versions"]:
        schema = _closed(version["schema"]["openAPIV3Schema"])
        schema["properties"]["metadata"] = {"type": "object"}
        (Path(directory) / _file_name(spec["names"]["kind"], spec["group"], version["name"])).write_text(
            json.dumps(schema), encoding="utf-8")


def of_definitions(directory):
    """Writes the schemas of our definitions to a directory: v1alpha1 of the first generation, and v1beta1."""
    for generation in ("later", "first"):
        for path in sorted((REPOSITORY / "deploy/charts/dynamo-crds" / generation).glob("*.yaml")):
            _write_definition(directory, path.read_text(encoding="utf-8"))
    return f"{directory}/{FILE}"
