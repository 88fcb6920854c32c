"""The options of ``serve``, and wrong ones."""

import socket
from pathlib import Path

import httpx
import pytest

from tests.cli.command import assert_one_line, call
from tests.service.operator import FORKED, served
from toolkit.served.tls import Pki

PORT = "must be a whole number from 0 to 65535; see: myresource serve --help"
MAKE_ONE = "such as one from: openssl rand -hex 32"
CERT, TOKENS = (
    f"Invalid value for {option} ({variable})"
    for option, variable in (("--tls-cert", "MYRESOURCE_TLS_CERT"), ("--tokens", "MYRESOURCE_TOKENS"))
)
NEITHER = "set it too, or serve plain HTTP with neither"
NO_ADDRESS = "can't listen on 203.0.113.1 port 8080: cannot assign requested address; choose another with --host or --"
WRONG = [
    ("--port=65536", f"Invalid value for --port: {PORT}"),
    ("--port=1 --port=many", f"Invalid value for --port: {PORT}"),
    ("MYRESOURCE_PORT=-1", f"Invalid value for MYRESOURCE_PORT: {PORT}"),
    ("MYRESOURCE_DRAIN=1.5", "Invalid value for MYRESOURCE_DRAIN: must be a whole number from 0 to 60"),
    ("--log-format=text", "Invalid value for --log-format: must be one of auto, json, console"),
    ("MYRESOURCE_LOG_LEVEL=INFO", "Invalid value for MYRESOURCE_LOG_LEVEL: must be one of debug, info, warning, error"),
    ("MYRESOURCE_DEV=maybe", "Invalid value for MYRESOURCE_DEV: must be true or false"),
    ("MYRESOURCE_WATCH_DEPENDENCIES=v1/pods/Pod", "Invalid value for MYRESOURCE_WATCH_DEPENDENCIES: leave out"),
    ("--tls-cert=", "Invalid value for --tls-cert: must not be empty"),
    ("--host=", "Invalid value for --host: must not be empty"),
    ("--max-body", "Option '--max-body' requires an argument"),
    ("--nothing", "No such option '--nothing'"),
    ("argument", "Got unexpected extra argument (argument)"),
    ("--tls-cert=text", f"--tls-cert (MYRESOURCE_TLS_CERT) needs --tls-key (MYRESOURCE_TLS_KEY): {NEITHER}"),
    ("MYRESOURCE_TLS_CERT=text", "--tls-cert (MYRESOURCE_TLS_CERT) needs --tls-key (MYRESOURCE_TLS_KEY)"),
    ("--tls-key=text", f"--tls-key (MYRESOURCE_TLS_KEY) needs --tls-cert (MYRESOURCE_TLS_CERT): {NEITHER}"),
    ("--tls-client-ca=text", "--tls-client-ca (MYRESOURCE_TLS_CLIENT_CA) needs --tls-cert (MYRESOURCE_TLS_CERT)"),
    ("--tls-client-name=a", "--tls-client-name (MYRESOURCE_TLS_CLIENT_NAMES) needs --tls-client-ca (MYRESOURCE_TLS_CL"),
    ("--tls-cert=text --tls-client-ca=text", "--tls-cert (MYRESOURCE_TLS_CERT) needs --tls-key"),
    ("--tls-key=text --tls-client-ca=text", "--tls-key (MYRESOURCE_TLS_KEY) needs --tls-cert"),
    ("--tls-cert=text --tls-key=text", f"{CERT}: text has no certificate in PEM format: write"),
    ("--tls-cert=x --tls-key=y", f"{CERT}: can't read x: no such file or directory"),
    ("--tokens=text", f"{TOKENS}: text has spaces, line breaks or characters that are not ASCII; write"),
    ("--tokens=missing", f"{TOKENS}: missing does not exist; create it with a token, {MAKE_ONE}"),
    ("--tokens=empty", f"{TOKENS}: empty is empty; write a token into it, {MAKE_ONE}"),
    ("", NO_ADDRESS),
    ("MYRESOURCE_RECORD= MYRESOURCE_TLS_KEY= MYRESOURCE_TOKENS=", NO_ADDRESS),
    ("--max-body=1 MYRESOURCE_MAX_BODY=many", NO_ADDRESS),
]
"""Options and variables, with what the command answers: an address that this machine does not have, if no mistake."""


@pytest.mark.parametrize(("given", "problem"), WRONG)
def test_a_mistake_in_the_settings_is_told_in_one_line_by_the_name_that_was_given(
    given: str, problem: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "text").write_text("no PEM, and no token")
    (tmp_path / "empty").write_text("")
    options = [word for word in given.split() if not word.startswith("MYRESOURCE_")]
    monkeypatch.setenv("MYRESOURCE_HOST", "203.0.113.1")
    for name, _, value in (word.partition("=") for word in given.split() if word not in options):
        monkeypatch.setenv(name, value)

    assert_one_line(call("serve", *options), 2, f"myresource: {problem}")


@pytest.mark.parametrize(("option", "other"), [("--port", "--health-port"), ("--health-port", "--port")])
def test_a_port_of_another_process_is_told(option: str, other: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = call("serve", "--host=127.0.0.1", f"{option}={port}", f"{other}=0")

    problem = f"can't listen on 127.0.0.1 port {port}: address already in use; choose another with --host or {option}\n"
    assert_one_line(ended, 2, problem)


def test_names_of_clients_are_options(tmp_path: Path) -> None:
    pki = Pki(tmp_path)
    files = [f"--tls-cert={pki.cert}", f"--tls-key={pki.key}", f"--tls-client-ca={pki.client_ca}"]
    names = ["--tls-client-name=a.example,b.example", "--tls-client-name=c.example"]
    with served(*FORKED, "serve", *files, *names) as hook:

        def status(name: str) -> int:
            client = pki.client(pki.ca.issue_cert(name))
            return httpx.get(f"{hook.url.replace('http:', 'https:')}/openapi.json", verify=client).status_code

        assert [status(f"{letter}.example") for letter in "abcd"] == [200, 200, 200, 403]
        metrics = httpx.get(f"{hook.health_url}/metrics").text

    assert 'metahook_refusals_total{code="403",hook="other",limit="tls_client_names"} 1.0' in metrics
