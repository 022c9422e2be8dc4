"""TLS of dynamo-webhook as another program sees it: sslyze scans a server on loopback, and compares it with Mozilla's
configurations.

Usage: sslyze_check.py BINARY. sslyze comes from PyPI once and stays in ${DYNAMO_CACHE_DIR}. Exit code 77: not checked,
because PyPI has no sslyze for this machine or is unreachable.
"""

import contextlib
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import venv

from process_test import DEADLINE, Webhook, wait_until

SKIPPED = 77
REQUIREMENTS = pathlib.Path(__file__).with_name("sslyze_requirements.txt")
OLD = ("ssl_2_0_cipher_suites", "ssl_3_0_cipher_suites", "tls_1_0_cipher_suites", "tls_1_1_cipher_suites")
NEW = ("tls_1_2_cipher_suites", "tls_1_3_cipher_suites")


def scanner():
    """The Python of a cached environment with sslyze, or None."""
    cache = pathlib.Path(os.environ.get("DYNAMO_CACHE_DIR") or pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "dynamo-admission")
    name = hashlib.sha256(REQUIREMENTS.read_bytes() + sys.version.encode()).hexdigest()[:16]
    folder = cache / f"sslyze-{name}"
    cache.mkdir(parents=True, exist_ok=True)
    with open(cache / "sslyze.lock", "w", encoding="ascii") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            venv.create(folder, with_pip=True)
            done = subprocess.run([folder / "bin/python", "-m", "pip", "--disable-pip-version-check", "--quiet", "install", "--require-hashes", "--no-deps",
                                   "--retries", "1", "--timeout", "20", "--requirement", REQUIREMENTS], capture_output=True, text=True, timeout=400, check=False)
            if done.returncode:
                print(done.stderr)
                return None
            (folder / "complete").touch()
    return folder / "bin/python"


@contextlib.contextmanager
def serving(*flags):
    with tempfile.TemporaryDirectory() as folder:
        webhook = Webhook(folder, "--cluster-connection=none", *flags, stderr=subprocess.DEVNULL)
        try:
            webhook.wait_for_readiness(200)
            wait_until((webhook.directory / "ca.crt").exists, "the certificate")
            yield webhook
        finally:
            webhook.process.kill()
            webhook.process.wait(timeout=DEADLINE)


def scan(python, webhook, *options):
    """The results of the scans that the options select. Fails if the server differs from the configuration that they name."""
    report = webhook.directory / "report.json"
    done = subprocess.run([python, "-W", "ignore", "-m", "sslyze", f"--json_out={report}", *options, f"localhost:{webhook.port}"],
                          capture_output=True, text=True, timeout=100, check=False)
    assert done.returncode == 0, done.stdout[-2500:] + done.stderr
    (result,) = json.loads(report.read_text(encoding="utf-8"))["server_scan_results"]
    assert result["scan_status"] == "COMPLETED", result["scan_status"]
    return {name: each["result"] for name, each in result["scan_result"].items() if each and each["result"]}


def like_mozilla(webhook, configuration):
    return f"--mozilla_config={configuration}", f"--certinfo_ca_file={webhook.directory / 'ca.crt'}"


def check(result):
    for name in OLD:
        assert result[name]["accepted_cipher_suites"] == [], name
    for name in NEW:
        for suite in result[name]["accepted_cipher_suites"]:
            assert "GCM" in suite["cipher_suite"]["name"] or "POLY1305" in suite["cipher_suite"]["name"], suite
            assert suite["ephemeral_key"], suite
    assert {curve["name"] for curve in result["elliptic_curves"]["supported_curves"]} == {"X25519", "secp256r1"}
    assert not result["tls_compression"]["supports_compression"]
    assert not result["heartbleed"]["is_vulnerable_to_heartbleed"]
    assert not result["openssl_ccs_injection"]["is_vulnerable_to_ccs_injection"]
    assert not result["session_renegotiation"]["is_vulnerable_to_client_renegotiation_dos"]
    assert result["session_renegotiation"]["supports_secure_renegotiation"]
    assert result["tls_fallback_scsv"]["supports_fallback_scsv"]
    assert result["tls_extended_master_secret"]["supports_ems_extension"]


def main():
    python = scanner()
    if python is None:
        return SKIPPED
    with serving() as webhook:
        check(scan(python, webhook, *like_mozilla(webhook, "intermediate")))
        result = scan(python, webhook, "--resum", "--early_data", "--mozilla_config=disable")
        assert not result["tls_1_3_early_data"]["supports_early_data"]
        assert result["session_resumption"]["tls_ticket_resumption_result"] == "NOT_SUPPORTED", result["session_resumption"]
        assert result["session_resumption"]["session_id_resumption_result"] == "NOT_SUPPORTED", result["session_resumption"]
    with serving("--tls-min-version=1.3") as webhook:
        result = scan(python, webhook, *like_mozilla(webhook, "modern"))
        assert result["tls_1_2_cipher_suites"]["accepted_cipher_suites"] == []
    return 0


if __name__ == "__main__":
    sys.exit(main())
