"""Checks the editor support of `kubectl dynamo` with a validator and a client.

Usage: editor_check.py schema|lsp --program KUBECTL_DYNAMO --source SOURCES

    schema  the JSON Schemas are schemas of draft 2020-12; samples are valid, broken ones are not
    lsp     the language server under a client of pygls

The libraries come from PyPI once, like those of formats_check.py. Exit code 77: not checked, because
PyPI is unreachable.
"""

import argparse
import asyncio
import copy
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import yaml

import formats_check

GRAPH = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: a
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
      extraPodSpec: {mainContainer: {image: "a:1"}}
"""


def documents(folder):
    """Every object of ours below a folder, with its file."""
    for path in sorted(folder.rglob("*.yaml")):
        for document in yaml.safe_load_all(path.read_text(encoding="utf-8")):
            if isinstance(document, dict) and str(document.get("apiVersion")).startswith("nvidia.com/"):
                yield path, document


def corruptions():
    """Values that the schema of a graph must refuse: path and value."""
    service = ("spec", "services", "Frontend")
    pod = (*service, "extraPodSpec")
    return [((*service, "replicas"), "2"), ((*service, "replicas"), -1), ((*service, "replica"), 2),
            ((*service, "envs"), [{"name": "A", "value": 8000}]), ((*service, "envs"), [{"value": "a"}]),
            ((*service, "resources"), {"limits": {"cpu": True}}),
            ((*pod, "mainContainer", "imagePullPolicy"), "Allways"),
            ((*pod, "tolerations"), [{"key": "a", "effect": "NoSchedul"}]),
            ((*service, "livenessProbe"), {"httpGet": {"port": 1, "scheme": "FTP"}}),
            (("spec", "backendFramework"), "vlm"), (("spec",), None), (("kind",), "DynamoGraph"),
            (("metadata", "labels"), {"a": 1}), (("metadata", "nam"), "a"), (("spec", "services"), [])]


def kept():
    """Values that it must accept: valid with a feature gate, as a size or in another Kubernetes version, or absent."""
    pod = ("spec", "services", "Frontend", "extraPodSpec")
    return [((*pod, "tolerations"), [{"key": "a", "operator": "Gt", "value": "5"}]),
            ((*pod, "volumes"), [{"name": "v", "emptyDir": {"medium": "HugePages-2Mi"}}]),
            ((*pod, "mainContainer", "imagePullPolicy"), ""), ((*pod, "dnsPolicy"), None),
            ((*pod, "mainContainer", "imagePullPolicy"), "Never"),
            ((*pod, "mainContainer", "securityContext"), {"procMount": "Masked"})]


def corrupt(document, path, value):
    corrupted = copy.deepcopy(document)
    around = corrupted
    for name in path[:-1]:
        around = around[name]
    around[path[-1]] = value
    return corrupted


def check_schema(arguments):
    sys.path.insert(0, str(formats_check.tools() / "site"))
    import jsonschema
    bad = []
    with tempfile.TemporaryDirectory() as name:
        done = formats_check.run([arguments.program, "schema", "-o", name])
        if done.returncode != 0:
            sys.exit(done.stderr)
        schemas = {path.stem: json.loads(path.read_text()) for path in Path(name).iterdir()}
    printed = formats_check.run([arguments.program, "schema", "dgd"]).stdout
    assert json.loads(printed) == schemas["dynamographdeployment_v1alpha1"], "printed and written differ"
    assert len(schemas) == 12, sorted(schemas)
    validators = {}
    for name, schema in schemas.items():
        jsonschema.Draft202012Validator.check_schema(schema)
        validators[name] = jsonschema.Draft202012Validator(schema)
    count = 0
    samples = [*documents(arguments.source / "deploy/samples"), *documents(arguments.source / "deploy/samples-v1beta1"),
               *documents(arguments.source / "docs/examples"), (Path("GRAPH"), yaml.safe_load(GRAPH))]
    for path, document in samples:
        if "broken" in path.name:
            continue
        version = document["apiVersion"].partition("/")[2]
        for validator in (validators[f"{document['kind'].lower()}_{version}"], validators["all"]):
            count += 1
            bad += [f"{path}: {error.json_path}: {error.message}"
                    for error in validator.iter_errors(document)]
    assert count > 10, "there must be samples"
    good = yaml.safe_load(GRAPH)
    for path, value in corruptions():
        names = ["dynamographdeployment_v1alpha1"] + (["all"] if path != ("kind",) else [])
        bad += [f"{name} takes {'.'.join(path)}: {value!r}" for name in names
                if validators[name].is_valid(corrupt(good, path, value))]
    for path, value in kept():
        bad += [f"{name} refuses {'.'.join(path)}: {value!r}" for name in ("dynamographdeployment_v1alpha1", "all")
                if not validators[name].is_valid(corrupt(good, path, value))]
    beta = {"apiVersion": "nvidia.com/v1beta1", "kind": "DynamoGraphDeployment", "metadata": {"name": "a"},
            "spec": {"components": [{"name": "a", "type": "worker"}]}}
    for name in ("dynamographdeployment_v1beta1", "all"):
        assert validators[name].is_valid(beta), f"{name} refuses a graph of v1beta1"
        assert not validators[name].is_valid(corrupt(beta, ("spec", "components", 0, "type"), "x")), name
    other = {"apiVersion": "apps/v1", "kind": "Deployment", "x": 1}
    assert validators["all"].is_valid(other), "all.json must leave other kinds alone"
    graph = schemas["dynamographdeployment_v1alpha1"]
    text = json.dumps(graph)
    for wanted in ('"description": "Number of replicas', '"enum": ["sglang", "vllm", "trtllm"',
                   '"deprecated": true', '"default": '):
        if wanted not in text:
            bad.append(f"the schema of graphs must hold {wanted}")
    for line in bad:
        print(line)
    print(f"{count} samples, {len(corruptions())} corrupted ones")
    return 1 if bad else 0


def applied(text, edit):
    """The text after one edit; ASCII, so that bytes are columns."""
    lines = text.splitlines(keepends=True)
    start = sum(map(len, lines[:edit.range.start.line])) + edit.range.start.character
    end = sum(map(len, lines[:edit.range.end.line])) + edit.range.end.character
    return text[:start] + edit.new_text + text[end:]


async def talk(arguments):
    """A typical session of an editor, and the expected responses."""
    from lsprotocol import types
    from pygls.lsp.client import LanguageClient
    client = LanguageClient("editor_check", "1")
    received = asyncio.Queue()

    @client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
    def receive(params):
        received.put_nowait(params)

    await client.start_io(str(arguments.program), "lsp", "--config", "none")
    begun = await client.initialize_async(
        types.InitializeParams(capabilities=types.ClientCapabilities()))
    assert begun.server_info.name == "kubectl-dynamo"
    assert begun.capabilities.position_encoding == "utf-16"
    client.initialized(types.InitializedParams())

    uri = "file:///graph.yaml"
    document = types.TextDocumentIdentifier(uri)
    text = GRAPH.replace("replicas: 1", "replica: 1\n      envs: [{name: A, value: 8000}]")
    client.text_document_did_open(types.DidOpenTextDocumentParams(
        types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=text)))
    found = (await received.get()).diagnostics
    assert {"schema.unknown-field", "schema.type"} == {each.code for each in found}, found
    for version in (2, 3):
        everywhere = types.Range(types.Position(0, 0), types.Position(100, 0))
        actions = await client.text_document_code_action_async(types.CodeActionParams(
            document, everywhere, types.CodeActionContext(diagnostics=found)))
        action = actions[0]
        assert action.kind == types.CodeActionKind.QuickFix and action.is_preferred, action
        text = applied(text, action.edit.changes[uri][0])
        client.text_document_did_change(types.DidChangeTextDocumentParams(
            types.VersionedTextDocumentIdentifier(uri=uri, version=version),
            [types.TextDocumentContentChangeWholeDocument(text=text)]))
        found = (await received.get()).diagnostics
    assert not found, found

    row = next(i for i, line in enumerate(text.splitlines()) if "replicas:" in line)
    hover = await client.text_document_hover_async(
        types.HoverParams(document, types.Position(row, 8)))
    assert "Number of replicas" in hover.contents.value, hover
    offered = await client.text_document_completion_async(
        types.CompletionParams(document, types.Position(row, 6)))
    assert "componentType" in [item.label for item in offered], offered

    client.text_document_did_close(types.DidCloseTextDocumentParams(document))
    assert not (await received.get()).diagnostics
    await client.shutdown_async(None)
    client.exit(None)
    assert await client._server.wait() == 0, "the server must end with 0"


def check_lsp(arguments):
    sys.path.insert(0, str(formats_check.tools() / "site"))
    asyncio.run(asyncio.wait_for(talk(arguments), timeout=120))
    hostile = b"Content-Length: 3\r\n\r\n\xff\x00{" + b"Content-Length: 99999999999\r\n\r\n"
    done = subprocess.run([arguments.program, "lsp"], input=hostile, capture_output=True, timeout=60)
    assert done.returncode == 2 and b"at most 1 GiB" in done.stderr, done
    print("a client and a server have understood each other")
    return 0


CHECKS = {"schema": check_schema, "lsp": check_lsp}


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("check", choices=CHECKS)
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    arguments = parser.parse_args()
    try:
        return CHECKS[arguments.check](arguments)
    except formats_check.RegistryError as reason:
        print(f"skipped: PyPI cannot be reached, and the libraries are not cached yet: {reason}")
        return formats_check.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
