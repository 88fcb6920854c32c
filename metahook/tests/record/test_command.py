"""The command: half an answer, or one that can't be used, is one line that says what to do."""

import socket
import subprocess
import sys
from pathlib import Path

import pytest

from toolkit.cli.command import call
from toolkit.command import assert_one_line

GIVEN = {"--listen": "127.0.0.1:0", "--hook": "http://127.0.0.1:1", "--output": "/dev/null/never"}
FILE = "/no/such/file"


def record(**given: str) -> list[str]:
    """Return the arguments, of which *given* replace some."""
    options = {**GIVEN, **{f"--{name.replace('_', '-')}": value for name, value in given.items()}}
    return ["record", *(f"{name}={value}" for name, value in options.items())]


@pytest.mark.parametrize("listen", ["8080", "localhost:", "localhost:http", "127.0.0.1:65536", "127.0.0.1:-1", ""])
def test_what_is_no_address_is_refused(listen: str) -> None:
    assert_one_line(call(*record(listen=listen)), 2, "--listen", "127.0.0.1:8080")


@pytest.mark.parametrize("hook", ["127.0.0.1:8080", "ftp://hook", "http://", "http://a:b@hook", ""])
def test_what_is_no_url_is_refused(hook: str) -> None:
    assert_one_line(call(*record(hook=hook)), 2, "--hook", "write it as http://127.0.0.1:8080")


@pytest.mark.parametrize("given", [{"tls_cert": FILE}, {"tls_key": FILE}, {"tls_client_ca": FILE}], ids=str)
def test_half_of_tls_is_refused(given: dict[str, str]) -> None:
    assert_one_line(call(*record(**given)), 2, "is missing: set it too")


@pytest.mark.parametrize(
    "given", [{"tls_cert": FILE, "tls_key": FILE}, {"hook": "https://localhost", "ca_cert": FILE}], ids=str
)
def test_a_file_that_is_missing_is_named(given: dict[str, str], tmp_path: Path) -> None:
    assert_one_line(call(*record(**given, output=str(tmp_path / "new"))), 2, FILE, "no such file")


def test_a_file_without_a_certificate_is_named(tmp_path: Path) -> None:
    (tmp_path / "ca").write_text("none")

    given = record(hook="https://localhost", ca_cert=str(tmp_path / "ca"), output=str(tmp_path / "new"))
    assert_one_line(call(*given), 2, f"{tmp_path}/ca", "PEM")


def test_an_address_that_is_taken_is_named(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        listen = f"127.0.0.1:{taken.getsockname()[1]}"

        assert_one_line(call(*record(listen=listen, output=str(tmp_path / "new"))), 2, "choose another with --listen")


def test_a_folder_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")

    ended = call(*record(output=str(tmp_path / "file")))

    assert_one_line(ended, 2, f"can't record in {tmp_path}/file: file exists; name another directory with --output")


@pytest.mark.parametrize("missing", list(GIVEN))
def test_there_is_no_default_for_where_from_and_where_to(missing: str) -> None:
    assert_one_line(
        call("record", *(f"{name}={value}" for name, value in GIVEN.items() if name != missing)), 2, missing
    )


def test_a_limit_is_at_least_1() -> None:
    assert_one_line(call(*record(limit="0")), 2, "--limit")


def test_the_toolkit_has_the_command_for_any_hook(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    arguments = record(output=str(tmp_path / "file"))[1:]

    ended = subprocess.run(
        [sys.executable, "-m", "metahook.record", *arguments], capture_output=True, text=True, check=False, timeout=30
    )

    assert ended.returncode == 2
    assert ended.stderr.startswith("Error: can't record in ")
