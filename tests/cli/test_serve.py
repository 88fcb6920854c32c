"""``serve`` with TLS, tokens and recording: half a configuration is refused."""

import click
import pytest

from app.cli.serve import app_from_environment
from tests.cli.calling import assert_one_line, call

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


def test_recorded_values_without_a_directory_are_refused() -> None:
    recorded = "--record-values (MYRESOURCE_RECORD_VALUES) needs --record (MYRESOURCE_RECORD): "

    assert_one_line(call("serve", "--record-values"), 2, recorded)


@pytest.mark.parametrize("options", [["--tls-cert", FILE, "--tls-key", FILE], ["--tokens", FILE]])
def test_a_file_that_is_missing_is_named(options: list[str]) -> None:
    assert_one_line(
        call("serve", *options),
        2,
        FILE,
        "such file or directory" if "--tls-cert" in options else "does not exist; create it with a token",
    )


def test_the_app_for_other_servers_has_no_tls(monkeypatch: pytest.MonkeyPatch) -> None:
    """It would be served over plain HTTP otherwise, and look protected."""
    monkeypatch.setenv("MYRESOURCE_TLS_CERT", FILE)

    with pytest.raises(click.ClickException, match="MYRESOURCE_TLS_CERT is for myresource serve; use this server"):
        app_from_environment()
