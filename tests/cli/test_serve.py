"""``serve`` with TLS and tokens: half a configuration is refused; and what it does no more."""

import pytest

from app.cli.environment import settings_for_another_server
from tests.cli.command import assert_one_line, call

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


RECORD = "serve does not record any more; use myresource record"


@pytest.mark.parametrize(
    "options", [["--record", "dir"], ["--record=dir"], ["--record-values"], ["--record-limit", "50"]], ids=str
)
def test_an_option_that_went_is_refused_with_the_command_to_use(options: list[str]) -> None:
    assert_one_line(call("serve", *options), 2, f"Invalid value for {options[0].partition('=')[0]}: {RECORD}")


@pytest.mark.parametrize("name", ["MYRESOURCE_RECORD", "MYRESOURCE_RECORD_VALUES", "MYRESOURCE_RECORD_LIMIT"])
def test_a_variable_that_went_is_refused_with_the_command_to_use(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(name, "1")

    assert_one_line(call("serve"), 2, f"Invalid value for {name}: {RECORD}")
    with pytest.raises(SystemExit, match=f"{name}: {RECORD}"):
        settings_for_another_server()
    assert call("render", "-f", "examples/web.yaml").code == 0


def test_what_went_is_in_no_help() -> None:
    assert "--record" not in call("serve", "--help").out


@pytest.mark.parametrize("options", [["--tls-cert", FILE, "--tls-key", FILE], ["--tokens", FILE]])
def test_a_file_that_is_missing_is_named(options: list[str]) -> None:
    assert_one_line(
        call("serve", *options),
        2,
        FILE,
        "such file or directory" if "--tls-cert" in options else "does not exist; create it with a token",
    )


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
