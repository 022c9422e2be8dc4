"""The commands of docs/library.md for Go and Python, run unchanged: in an empty folder, three lines, no network.

Usage: page_test.py go|python. The test substitutes PREFIX and TREE."""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

from support import DEADLINE, PREFIX, SOURCE, find_go

PAGE = SOURCE / "docs" / "library.md"
OBJECT = {"apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoModel", "metadata": {"name": "m", "namespace": "n"},
          "spec": {"modelName": "a/b", "baseModelName": "a/b", "modelType": "base"}}


def lines_of(heading):
    """The commands below the heading, with the reader's folders."""
    section = re.search(rf"^## {heading}\n(.*?)(?=^## )", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)[1]
    (commands,) = re.findall(r"^```sh\n(.*?)^```$", section, re.MULTILINE | re.DOTALL)
    lines = commands.splitlines()
    assert len(lines) == 3, lines
    return [line.replace("PREFIX", str(PREFIX)).replace("TREE", str(SOURCE)) for line in lines]


def go_environment(_folder):
    go = pathlib.Path(find_go(SOURCE / "examples" / "go"))
    found = go.parent if go.is_absolute() else None
    # Go must neither download another version of itself nor modules.
    return {"PATH": f"{found}:{os.environ['PATH']}" if found else os.environ["PATH"], "GOTOOLCHAIN": "local", "GOPROXY": "off"}


def python_environment(folder):
    venv = folder.parent / "venv"
    subprocess.run([sys.executable, "-m", "venv", venv], check=True, timeout=DEADLINE)
    return {"PATH": f"{venv / 'bin'}:{os.environ['PATH']}", "VIRTUAL_ENV": str(venv), "PIP_NO_INDEX": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1"}


def main(language):
    heading, environment = {"go": ("Go", go_environment), "python": ("Python", python_environment)}[language]
    with tempfile.TemporaryDirectory() as place:
        folder = pathlib.Path(place, "folder")
        folder.mkdir()
        (folder / "object.json").write_text(json.dumps(OBJECT), encoding="utf-8")
        kept = {name: os.environ[name] for name in ("HOME", "LANG", "DYNAMO_CACHE_DIR", "XDG_CACHE_HOME") if name in os.environ}
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", "\n".join(lines_of(heading))], cwd=folder, capture_output=True,
                              text=True, timeout=DEADLINE, check=False, env={**kept, **environment(folder)})
        assert done.returncode == 0, f"{PAGE.name}, {heading}, ended with {done.returncode}:\n{done.stdout}{done.stderr}"
        assert "allowed" in done.stdout.splitlines(), done.stdout


if __name__ == "__main__":
    main(sys.argv[1])
