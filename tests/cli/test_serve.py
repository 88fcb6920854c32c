"""``serve`` with TLS and tokens: half a configuration is refused."""

import pytest

from app.cli.environment import settings_for_another_server
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
