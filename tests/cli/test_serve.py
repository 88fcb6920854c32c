"""``serve`` with TLS and tokens: half a configuration is refused, and health stays plain HTTP."""

import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from tests.cli.calling import assert_one_line, call
from tests.protected import Pki
from tests.serving import served

FILE = "/no/such/file"
BOTH = {
    name: f"--tls-{name} (MYRESOURCE_TLS_{name.upper().replace('-', '_')})" for name in ("cert", "key", "client-ca")
}


@pytest.mark.parametrize(
    ("given", "missing"),
    [
        (["cert"], "key"),
        (["key"], "cert"),
        (["client-ca"], "cert"),
        (["cert", "client-ca"], "key"),
        (["key", "client-ca"], "cert"),
    ],
    ids="-".join,
)
def test_half_a_configuration_is_refused(given: list[str], missing: str) -> None:
    ended = call("serve", *(f"--tls-{name}={FILE}" for name in given))

    assert_one_line(ended, 2, f"{BOTH[given[0]]} needs {BOTH[missing]}: ")


@pytest.mark.parametrize("options", [["--tls-cert", FILE, "--tls-key", FILE], ["--tokens", FILE]])
def test_a_file_that_is_missing_is_named(options: list[str]) -> None:
    assert_one_line(call("serve", *options), 2, f"can't read {FILE}: no such file or directory")


def test_the_app_for_other_servers_has_no_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be served over plain HTTP otherwise, and look protected."""
    monkeypatch.setenv("MYRESOURCE_TLS_CERT", FILE)

    ended = subprocess.run([sys.executable, "-c", "import app.main"], capture_output=True, text=True, check=False)

    assert ended.returncode == 1
    assert (
        ended.stderr
        == "myresource: MYRESOURCE_TLS_CERT is for myresource serve; use this server's own options for TLS\n"
    )


def test_health_is_plain_http_and_the_hooks_are_not(tmp_path: Path) -> None:
    pki = Pki(tmp_path)
    command = (sys.executable, "-m", "app", "serve", f"--tls-cert={pki.cert}", f"--tls-key={pki.key}")
    with served(*command) as hook:
        assert httpx.get(f"{hook.health_url}/readyz").text == "ok\n"
        assert httpx.get(f"{hook.url.replace('http', 'https')}/sync", verify=pki.client()).status_code == 405
        with pytest.raises(httpx.TransportError):
            httpx.get(f"{hook.url}/sync")
