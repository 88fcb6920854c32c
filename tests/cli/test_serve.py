"""The options of ``serve``: those of TLS, those that went, and those that another server would not heed."""

import ssl
import sys
from pathlib import Path

import httpx
import pytest

from app.cli.environment import settings_for_another_server
from tests.cli.command import assert_one_line, call
from tests.service.operator import served
from toolkit.served.tls import Pki

RECORD = "serve does not record any more; use myresource record"


@pytest.mark.parametrize(
    "options", [["--record", "dir"], ["--record=dir"], ["--record-values"], ["--record-limit", "50"]], ids=str
)
def test_an_option_that_went_is_refused_with_the_command_to_use(options: list[str]) -> None:
    assert_one_line(call("serve", *options), 2, f"Invalid value for {options[0].partition('=')[0]}: {RECORD}")


@pytest.mark.parametrize("name", ["MYRESOURCE_RECORD", "MYRESOURCE_RECORD_VALUES", "MYRESOURCE_RECORD_LIMIT"])
def test_a_variable_that_went_is_refused_with_the_command_to_use(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")

    with pytest.raises(SystemExit, match=f"{name}: {RECORD}"):
        settings_for_another_server()
    assert_one_line(call("serve"), 2, f"Invalid value for {name}: {RECORD}")
    assert call("render", "-f", "examples/web.yaml").code == 0


def test_what_went_is_in_no_help() -> None:
    assert "--record" not in call("serve", "--help").out


@pytest.mark.parametrize(
    ("variable", "remedy"),
    [("MYRESOURCE_TLS_CERT", "use this server's own options for TLS"), ("MYRESOURCE_DEV", "myresource serve --dev")],
)
def test_what_another_server_would_not_heed_is_refused(
    variable: str, remedy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would be served over plain HTTP otherwise, and look protected."""
    monkeypatch.setenv(variable, "true")

    with pytest.raises(SystemExit, match=f"{variable} is for myresource serve; .*{remedy}"):
        settings_for_another_server()


def test_names_of_clients_need_a_ca_of_clients() -> None:
    problem = "--tls-client-name (MYRESOURCE_TLS_CLIENT_NAMES) needs --tls-client-ca (MYRESOURCE_TLS_CLIENT_CA)"

    assert_one_line(call("serve", "--tls-client-name=a.example"), 2, problem)


def test_names_of_clients_and_the_version_of_tls_are_options(tmp_path: Path) -> None:
    pki = Pki(tmp_path)
    files = [f"--tls-cert={pki.cert}", f"--tls-key={pki.key}", f"--tls-client-ca={pki.client_ca}"]
    names = ["--tls-client-name=a.example,b.example", "--tls-client-name=c.example"]
    with served(sys.executable, "-m", "app", "serve", *files, *names, "--tls-min-version=1.2") as hook:

        def status(name: str) -> int:
            client = pki.client(pki.ca.issue_cert(name))
            client.maximum_version = ssl.TLSVersion.TLSv1_2
            return httpx.get(f"{hook.url.replace('http:', 'https:')}/openapi.json", verify=client).status_code

        assert [status(f"{letter}.example") for letter in "abcd"] == [200, 200, 200, 403]
        metrics = httpx.get(f"{hook.health_url}/metrics").text

    assert 'metahook_refusals_total{code="403",hook="other",limit="tls_client_names"} 1.0' in metrics
