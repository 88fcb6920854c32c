"""What ``serve`` does no more, and what another server would not heed."""

import pytest

from app.cli.environment import settings_for_another_server
from tests.cli.command import assert_one_line, call

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
