"""Hooks for callers with a token: which are valid, and what changes of their files do."""

import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

from metahook.server import CannotLoad, ServerOptions, Tokens, callers, create_app
from metahook.server.callers import CallerCheck
from toolkit.hooks.minimal import TINY
from toolkit.served.asgi import JSON, call
from toolkit.served.process import CLIENT, WIDGETS, served
from toolkit.served.thread import At, asked, raw, serving
from toolkit.waiting import eventually

FIRST, SECOND = "3c469e9d6c5875d37a43f353d4f88e61", "fcf730b6d95236ecd3c9fc2d92d7b6b2"


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    (tmp_path / "first").write_text(f"{FIRST}\n")
    (tmp_path / "second").write_text(f" {SECOND}")
    return tmp_path


@pytest.fixture(name="tokens")
def _tokens(folder: Path) -> Tokens:
    return Tokens(folder)


def bearer(token: str) -> str:
    return f"Authorization: Bearer {token}"


def is_accepted(tokens: Tokens, token: str) -> bool:
    return tokens.accept([(b"authorization", f"Bearer {token}".encode())])


def refresh(tokens: Tokens) -> None:
    """Have *tokens* look at the files."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(tokens, "_next_look", 0)
        tokens.refresh()


def status(at: At, token: str) -> int:
    return asked(at, raw(b"{}", bearer(token))).status


def test_hidden_entries_of_a_mounted_secret_are_no_tokens(folder: Path) -> None:
    (folder / "..data").mkdir()
    (folder / ".hidden").write_text("of-nobody")

    assert [is_accepted(Tokens(folder), each) for each in (FIRST, SECOND, "of-nobody")] == [True, True, False]


TARGETS = [
    *(
        "/",
        "/sync",
        "/customize",
        "/openapi.json",
        "/docs",
        "//sync",
        "/sync/",
        "/./sync",
        "/x/../sync",
        "/%2e%2e/sync",
    ),
    *("/%73ync", "/sync%2f", "/SYNC", "/sync%00", "/sync?a=/docs", "/sync;x", "/%2Fsync", "/livez", "*"),
    *("http://evil.example/sync", "https://a:b@hook:1/openapi.json", "http://hook/"),
]


@pytest.mark.parametrize("host", ["hook", "localhost/docs?", "evil.example:80/sync#"])
def test_no_spelling_of_a_path_or_host_needs_no_token(tokens: Tokens, host: str) -> None:
    def codes(*headers: str) -> set[int]:
        request = raw(b"", *headers).replace(b"Host: hook", f"Host: {host}".encode())
        lines = (f"{method} {target} HTTP/1.1".encode() for target in TARGETS for method in ("GET", "POST"))
        return {asked(at, request.replace(b"POST /sync HTTP/1.1", line)).status for line in lines}

    with serving(options=ServerOptions(tokens=tokens)) as at:
        assert codes() == {401}
        assert {200, 404} <= codes(bearer(FIRST))


def test_an_app_under_another_server_checks_tokens_by_the_middleware_and_sees_a_revocation(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No lifespan runs for it."""
    monkeypatch.setattr(callers, "POLL", 0)
    app = CallerCheck(create_app(TINY), Tokens(folder))
    headers = {**JSON, "authorization": f"Bearer {FIRST}"}

    assert call(app, "/sync", b"{}").status_code == 401
    assert call(app, "/sync", b"{}", headers=headers).status_code == 400
    (folder / "first").unlink()
    assert call(app, "/sync", b"{}", headers=headers).status_code == 401


def test_tokens_are_replaced_without_a_restart(folder: Path, tokens: Tokens) -> None:
    with serving(options=ServerOptions(tokens=tokens)) as at:
        assert [status(at, each) for each in (FIRST, "new")] == [400, 401]
        (folder / "new").write_text("new")
        assert eventually(lambda: status(at, "new") == 400)
        (folder / "first").unlink()
        assert eventually(lambda: status(at, FIRST) == 401)
        assert [status(at, each) for each in (SECOND, "new")] == [400, 400]


@pytest.mark.parametrize("content", ["", " \n", "two words", "two\nlines", "h\u00e9"])
def test_a_file_without_a_token_keeps_the_one_that_it_had(
    folder: Path, tokens: Tokens, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Such a file is being written, or is a mistake. To revoke a token is to remove its file."""
    (folder / "first").write_text(content)
    refresh(tokens)
    refresh(tokens)

    assert [is_accepted(tokens, each) for each in (FIRST, SECOND)] == [True, True]
    assert tokens.count_unusable() == 1
    (line,) = caplog.messages
    assert line.startswith(f"{folder}/first ")
    assert line.endswith("; other tokens are still valid")


def empty(file: Path) -> None:
    file.write_bytes(b"")


def loop(file: Path) -> None:
    file.symlink_to(file)


@pytest.mark.parametrize("make", [empty, os.mkfifo, os.mkdir, loop])
def test_a_token_whose_file_is_removed_is_revoked_whatever_other_files_are_like(
    folder: Path, tokens: Tokens, make: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """A pipe that was read would stop the server."""
    make(folder / "bad")
    (folder / "first").unlink()
    (folder / "new").write_text("n" * 32)
    refresh(tokens)
    refresh(tokens)

    assert [is_accepted(tokens, each) for each in (FIRST, SECOND, "n" * 32)] == [False, True, True]
    assert tokens.count_unusable() == 1
    assert caplog.text.count(str(folder / "bad")) == 1

    bad = folder / "bad"
    bad.rmdir() if bad.is_dir() else bad.unlink()
    refresh(tokens)
    assert tokens.count_unusable() == 0


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_file_that_becomes_something_else_is_removed(
    folder: Path, tokens: Tokens, make: Callable[[Path], None]
) -> None:
    (folder / "first").unlink()
    make(folder / "first")
    refresh(tokens)

    assert [is_accepted(tokens, each) for each in (FIRST, SECOND)] == [False, True]
    assert tokens.count_unusable() == 1


def test_without_files_every_call_is_refused(folder: Path, tokens: Tokens, caplog: pytest.LogCaptureFixture) -> None:
    for file in (folder / "first", folder / "second"):
        file.unlink()
    refresh(tokens)
    refresh(tokens)

    assert not is_accepted(tokens, FIRST)
    assert caplog.messages == [
        f"every call is refused: {folder} has no files; add one with a token, such as one from: openssl rand -hex 32"
    ]
    (folder / "first").write_text(FIRST)
    refresh(tokens)
    assert is_accepted(tokens, FIRST)


@pytest.mark.parametrize("name", ["", "first"], ids=["directory", "file"])
def test_if_the_path_is_removed_every_call_is_refused(
    folder: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, away = folder / name, folder.with_name("away")
    tokens = Tokens(path)
    path.rename(away)
    refresh(tokens)
    refresh(tokens)

    assert not is_accepted(tokens, FIRST)
    assert caplog.messages == [
        f"every call is refused: {path} does not exist; create it with a token, such as one from: openssl rand -hex 32"
    ]
    away.rename(path)
    refresh(tokens)
    assert is_accepted(tokens, FIRST)


def test_a_path_that_can_not_be_read_keeps_the_tokens(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = folder / "link"
    path.symlink_to(folder / "first")
    tokens = Tokens(path)
    path.unlink()
    path.symlink_to("x" * 300)
    refresh(tokens)
    refresh(tokens)

    assert is_accepted(tokens, FIRST)
    assert tokens.count_unusable() == 1
    assert caplog.messages == ["can't look at files: file name too long; still using the previous ones"]


@pytest.mark.parametrize(
    ("content", "text"),
    [(None, "has no files; add one"), (b"", "is empty; "), (b"a b", "has spaces"), ("h\u00e9".encode(), "has ")],
)
def test_a_path_without_tokens_is_an_error_at_the_start(tmp_path: Path, content: bytes | None, text: str) -> None:
    path = tmp_path / "token"
    if content is None:
        path.mkdir()
    else:
        path.write_bytes(content)

    with pytest.raises(CannotLoad, match=text) as raised:
        Tokens(path)
    assert str(path) in str(raised.value)


def test_a_token_that_can_be_guessed_and_one_without_tls_have_a_warning_and_a_broken_file_a_metric(
    tmp_path: Path,
) -> None:
    file = tmp_path / "token"
    file.write_text("short")
    with served(*WIDGETS, "--host=0.0.0.0", f"--tokens={file}") as running:
        file.write_text("")
        metric = 'metahook_unusable_files{files="tokens"} 1.0'
        assert eventually(lambda: metric in CLIENT.get(f"{running.health_url}/metrics").text)
        running.process.send_signal(signal.SIGINT)
        running.process.wait(timeout=30)
        log = running.process.stderr.read() if running.process.stderr else ""

    assert "tokens are sent without TLS: anyone on the network can read them" in log
    assert f"the token in {file} can be guessed" in log
