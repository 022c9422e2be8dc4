"""The result of `cmake --install`: the examples work with it alone.

Usage: installed_test.py BEHAVIOUR. The first, `installs`, creates the tree for the others.
"""

import hashlib
import json
import re
import sys

from support import BUILD, CMAKE, LIB, PREFIX, SOURCE, WORK, find_go, fresh, run, venv_python

HEADER = SOURCE / "src" / "library" / "include" / "dynamo_admission.h"
EXPORTS = SOURCE / "src" / "library" / "exports.map"
LIBRARY = LIB / "libdynamo_admission.so.0"
# Symbols for programs built against ABI version 1. Never remove a line.
SYMBOLS = (SOURCE / "tests" / "library" / "symbols.txt").read_text(encoding="utf-8").split()


def installs():
    fresh(PREFIX)
    run(CMAKE, "--install", BUILD, "--component", "library", "--prefix", PREFIX)
    found = sorted(str(path.relative_to(PREFIX)) for path in PREFIX.rglob("*") if not path.is_dir())
    version = LIBRARY.resolve().name
    build_type = re.search(r"^CMAKE_BUILD_TYPE:STRING=(.*)$",
                           (BUILD / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)[1]
    assert found == sorted([
        "include/dynamo/admission.hpp",
        "include/dynamo_admission.h",
        "lib/cmake/DynamoAdmission/DynamoAdmissionConfig.cmake",
        "lib/cmake/DynamoAdmission/DynamoAdmissionConfigVersion.cmake",
        f"lib/cmake/DynamoAdmission/DynamoAdmissionTargets-{build_type.lower()}.cmake",
        "lib/cmake/DynamoAdmission/DynamoAdmissionTargets.cmake",
        "lib/libdynamo_admission.so",
        "lib/libdynamo_admission.so.0",
        f"lib/{version}",
        "lib/pkgconfig/dynamo-admission.pc",
        "share/doc/dynamo-admission/LICENSE",
    ]), found
    for path in PREFIX.rglob("*"):
        if path.suffix in {".cmake", ".pc", ".h", ".hpp"}:
            text = path.read_text(encoding="utf-8")
            for elsewhere in (str(SOURCE), str(BUILD)):
                assert elsewhere not in text, f"{path} names {elsewhere}"


def programs_install():
    prefix = fresh(WORK / "programs")
    run(CMAKE, "--install", BUILD, "--component", "programs", "--prefix", prefix)
    programs = sorted(path.name for path in (prefix / "bin").iterdir())
    assert programs == ["dynamo-reconciler", "dynamo-webhook", "kubectl-dynamo", "kubectl_complete-dynamo"], programs
    for program in ("dynamo-reconciler", "dynamo-webhook", "kubectl-dynamo"):
        assert program in run(prefix / "bin" / program, "--version").stdout
    for path in ("doc/dynamo-admission/LICENSE", "man/man1/kubectl-dynamo.1"):
        assert (prefix / "share" / path).exists(), path


def kubectl_plugin_installs_alone():
    prefix = fresh(WORK / "kubectl")
    run(CMAKE, "--install", BUILD, "--component", "kubectl", "--prefix", prefix)
    found = sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*") if path.is_file())
    assert found == ["bin/kubectl-dynamo", "bin/kubectl_complete-dynamo",
                     "share/doc/dynamo-admission/LICENSE", "share/man/man1/kubectl-dynamo.1"], found
    # The manual page is built with the program, not by a separate target that could be forgotten.
    page = (prefix / "share/man/man1/kubectl-dynamo.1").read_text(encoding="utf-8")
    assert page == run(prefix / "bin/kubectl-dynamo", "man").stdout


def exports_the_listed_symbols():
    lines = run("nm", "-D", "--defined-only", LIBRARY).stdout.splitlines()
    # Address, type, name; the version itself is an absolute symbol.
    found = [line.split()[2] for line in lines if line.split()[1] != "A"]
    exports = {name: node for node, body in re.findall(r"^(DYNAMO_\w+) \{(.*?)^\}", EXPORTS.read_text(encoding="utf-8"),
                                                       re.MULTILINE | re.DOTALL)
               for name in re.findall(r"^    (dynamo_\w+);$", body, re.MULTILINE)}
    assert sorted(exports) == SYMBOLS, "exports.map differs from symbols.txt"
    assert found == [f"{name}@@{exports[name]}" for name in SYMBOLS], found
    code = re.sub(r"/\*.*?\*/", "", HEADER.read_text(encoding="utf-8"), flags=re.DOTALL)
    declared = re.findall(r"\b(dynamo_admission_\w+)\(", code)
    assert sorted(declared) == SYMBOLS, "the header differs from symbols.txt"


def needs_only_the_listed_libraries():
    dynamic = run("readelf", "-d", LIBRARY).stdout
    assert re.search(r"SONAME.*\[libdynamo_admission\.so\.0\]", dynamic), dynamic
    needed = {name.split(".so")[0] for name in re.findall(r"NEEDED.*\[(.+)\]", dynamic)}
    allowed = {"libyaml-cpp", "libre2", "libstdc++", "libgcc_s", "libm", "libc", "ld-linux-x86-64"}
    assert needed <= allowed, needed - allowed


# --- The examples -----------------------------------------------------------------------------------


def graph(replicas):
    return json.dumps({
        "apiVersion": "nvidia.com/v1alpha1", "kind": "DynamoGraphDeployment",
        "metadata": {"name": "llama", "namespace": "team-a"},
        "spec": {"backendFramework": "vllm", "services": {"Frontend": {
            "componentType": "frontend", "replicas": replicas, "extraPodSpec": {"mainContainer": {
                "image": "nvcr.io/nvidia/ai-dynamo/vllm-runtime:0.8.1"}}}}},
    }).encode()


PATCH = ('patch [{"op":"add","path":"/metadata/annotations","value":'
         '{"nvidia.com/dynamo-operator-origin-version":"1.2.3"}}]\n')
FIELD = "spec.services[Frontend].replicas"
POLICY = """version: 1
exemptions:
  - {rules: ["service.*"], holder: team-a, reason: ticket 1, expires: 2999-12-31}
"""
# Object, policy, exit status, and a pattern of the output: standard error for status 2, else standard output.
CASES = [
    (graph(1), None, 0, re.escape("allowed\n" + PATCH)),
    (graph(-1), None, 1,
     rf"denied\ncause {re.escape(FIELD)}: Invalid value: .* \[service\.\S+\]\n{re.escape(PATCH)}"),
    (graph(-1), POLICY, 0,
     rf"allowed\nwarning {re.escape(FIELD)}: exempt, held by team-a until 2999-12-31: ticket 1; .* "
     rf"\[service\.\S+\]\n{re.escape(PATCH)}"),
    (b"{\"a\": \"\xff\"}", None, 2, r"not JSON: object: byte 7: .*\n"),
    (b"{}", None, 2, r"unknown kind: object must be .*\n"),
    (graph(1), "version: 2\n", 2, r"bad policy: policy: line 1, column 10: .*\n"),
]


def expect_verdicts(*program):
    folder = fresh(WORK / "cases" / sys.argv[1])
    for number, (document, policy, status, expected) in enumerate(CASES):
        files = [folder / f"{number}.json"]
        files[0].write_bytes(document)
        if policy is not None:
            files.append(folder / f"{number}.yaml")
            files[1].write_text(policy, encoding="utf-8")
        done = run(*program, *files, status=status)
        written, nothing = (done.stderr, done.stdout) if status == 2 else (done.stdout, done.stderr)
        assert re.fullmatch(expected, written), f"case {number}: {written!r}"
        assert nothing == "", f"case {number}: {nothing!r}"


def cpp_example_returns_verdicts():
    build = fresh(WORK / "cpp")
    run(CMAKE, "-G", "Ninja", "-S", SOURCE / "examples" / "cpp", "-B", build, f"-DCMAKE_PREFIX_PATH={PREFIX}",
        "-DCMAKE_CXX_FLAGS=-std=c++17 -Wall -Wextra -Wpedantic -Wconversion -Werror")
    run(CMAKE, "--build", build)
    expect_verdicts(build / "check")


def c_example_returns_verdicts():
    program = fresh(WORK / "c") / "check"
    flags = run("pkg-config", "--cflags", "--libs", "dynamo-admission").stdout.split()
    run("cc", "-std=c99", "-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Werror", "-o", program,
        SOURCE / "examples" / "c" / "check.c", *flags)
    expect_verdicts(program)


def go_example_returns_verdicts():
    source = SOURCE / "examples" / "go"
    program = fresh(WORK / "go") / "check"
    # Go's cache ignores the library's path from pkg-config, and its header: without a distinct flag it would reuse
    # results for another tree.
    of = hashlib.sha256(str(PREFIX).encode() + b"".join(
        path.read_bytes() for path in sorted((PREFIX / "include").rglob("*.h")))).hexdigest()
    settings = {"CGO_ENABLED": "1", "GOTOOLCHAIN": "local", "GOPROXY": "off", "GOWORK": "off",
                "GOFLAGS": "-mod=readonly -buildvcs=false", "CGO_CFLAGS": f"-O2 -g -DMADE_OF={of}"}
    go = find_go(source)
    run(go, "vet", "./...", cwd=source, **settings)
    run(go, "build", "-o", program, ".", cwd=source, **settings)
    run(go, "test", "-count=1", "./admission", cwd=source, GODEBUG="cgocheck=1", **settings)
    # With all cgo pointer checks.
    expect_verdicts("env", "GODEBUG=cgocheck=1", program)


def python_wheel_returns_verdicts():
    python = venv_python()
    wheels = fresh(WORK / "wheels")
    run(python, "-m", "pip", "wheel", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--no-index", "--config-settings", f"prefix={PREFIX}", "--wheel-dir", wheels,
        SOURCE / "python", LD_LIBRARY_PATH="")
    (wheel,) = wheels.glob("*.whl")
    run(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps",
        "--no-index", "--force-reinstall", wheel)
    # With the libraries that the wheel bundles, not those of the installed tree.
    expect_verdicts("env", "--unset=LD_LIBRARY_PATH", python, "-I",
                    SOURCE / "examples" / "python" / "check.py")
    done = run("env", "--unset=LD_LIBRARY_PATH", python, "-I",
               SOURCE / "tests" / "library" / "wheel_mistakes.py")
    assert done.stdout == "fine 1\n", done.stdout
    loaded = run(python, "-I", "-c", "import dynamo_admission\nprint(open('/proc/self/maps').read())",
                 LD_LIBRARY_PATH="").stdout
    for library in ("libdynamo_admission", "libyaml-cpp"):
        paths = set(re.findall(rf"/\S*/{library}\S*", loaded))
        assert len(paths) == 1 and "/site-packages/dynamo_admission/" in paths.pop(), paths


if __name__ == "__main__":
    globals()[sys.argv[1]]()
