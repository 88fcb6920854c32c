"""Hooks that need a token: one answer to every request without a valid one, and tokens that are replaced."""

import asyncio
import hmac
import itertools
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from starlette.types import ASGIApp

from metahook.server.app import ServerOptions, create_app
from metahook.server.callers.tokens import TokenCheck, Tokens
from metahook.server.callers.watched_files import CannotLoad, reloading
from metahook.server.telemetry.telemetry import Telemetry
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import JSON, call
from toolkit.served.process import CLIENT, WIDGETS, Served, served
from toolkit.served.tls import post, serving
from toolkit.waiting import eventually

FIRST, SECOND = "3c469e9d6c5875d37a43f353d4f88e61", "fcf730b6d95236ecd3c9fc2d92d7b6b2"
VALID = f"Bearer {FIRST}"

UNAUTHORIZED = "send the header Authorization: Bearer TOKEN, with one of the tokens of the hook"


@pytest.fixture(name="folder")
def _folder(tmp_path: Path) -> Path:
    for name, content in (("first", f"{FIRST}\n"), ("second", f" {SECOND}")):
        (tmp_path / name).write_text(content)
        (tmp_path / name).chmod(0o600)
    return tmp_path


@pytest.fixture(name="tokens")
def _tokens(folder: Path) -> Tokens:
    return Tokens(folder)


@pytest.mark.parametrize("value", [VALID, f"bearer {SECOND}", f"BEARER {FIRST}"])
def test_each_of_several_tokens_is_valid(tokens: Tokens, value: str) -> None:
    app = create_app(TINY, ServerOptions(tokens=tokens))

    assert call(app, "/sync", sync_body(), headers={**JSON, "authorization": value}).status_code == 200


def test_hidden_entries_of_a_mounted_secret_are_no_tokens(folder: Path) -> None:
    (folder / "..data").mkdir()
    (folder / ".hidden").write_text("of nobody")

    assert Tokens(folder).accept([(b"authorization", VALID.encode())])
    assert not Tokens(folder).accept([(b"authorization", b"Bearer of nobody")])


def test_another_header_a_second_one_and_a_longer_scheme_are_not_accepted(tokens: Tokens) -> None:
    assert not tokens.accept([(b"authorization", VALID.encode())] * 2)
    assert not tokens.accept([(b"x-authorization", VALID.encode())])
    assert not tokens.accept([(b"authorization", b"BearerX " + FIRST.encode())])
    assert tokens.accept([(b"authorization", VALID.encode())])


@pytest.mark.parametrize("path", ["/", "/docs", "/openapi.json", "/nowhere"])
def test_the_pages_of_development_need_a_token(tokens: Tokens, path: str) -> None:
    app = create_app(TINY, ServerOptions(tokens=tokens, dev=True))

    assert call(app, path, method="GET", headers={"origin": "http://evil.example"}).status_code == 401


def test_every_token_is_compared_whichever_is_right(tokens: Tokens, monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    compare = hmac.compare_digest

    def compare_and_count(left: bytes, right: bytes) -> bool:
        compared.append((left, right))
        return compare(left, right)

    monkeypatch.setattr(hmac, "compare_digest", compare_and_count)

    for value in (VALID, f"Bearer {SECOND}", "Bearer x", "Basic x", ""):
        tokens.accept([(b"authorization", value.encode())])

    assert len(compared) == 5 * 2
    assert {len(text) for pair in compared for text in pair} == {32}


def targets() -> list[str]:
    """Return two hundred ways to name a path, or a host in the request line."""
    paths = ["sync", "customize", "openapi.json", "docs", "", "livez", "sync;x", "sync%00", "sync?a=/docs", "sync#x"]
    shapes = ["/{}", "//{}", "/{}/", "/./{}", "/x/../{}", "/%2e%2e/{}", "/%2F{}", "http://evil.example/{}"]
    encoded = ["/%73ync", "/sync%2f", "/SYNC", "/sync%20", "/%2573ync", "/\\sync", "*", "hook:80", "/docs/../sync"]
    schemes = [f"{scheme}://{user}hook:1/{path}" for scheme in ("http", "https", "ws", "") for user in ("", "a:b@")
               for path in paths]  # fmt: skip
    return [*(shape.format(path) for shape in shapes for path in paths), *encoded, *schemes]


HOSTS = ["hook", "127.0.0.1", "localhost/docs?", "evil.example:80/sync#", "[::1]"]


def codes(address: tuple[str, int], *headers: str) -> set[int]:
    """Return the status codes of requests for all targets, of each method and host in turn."""
    around = zip(targets(), itertools.cycle(("POST", "GET", "HEAD")), itertools.cycle(HOSTS), strict=False)
    return {
        status(address, f"{method} {target} HTTP/1.1", f"Host: {host}", *headers) for target, method, host in around
    }


def status(address: tuple[str, int], *lines: str) -> int:
    with socket.create_connection(address, timeout=10) as opened:
        opened.sendall("\r\n".join([*lines, "Content-Length: 0", "Connection: close", "", ""]).encode())
        return int(opened.recv(65536).split()[1])


def test_no_spelling_of_a_path_or_host_changes_what_is_decided(tokens: Tokens) -> None:
    """400 is of what is no HTTP."""
    with serving(tokens=tokens) as address:
        assert len(targets()) > 160
        assert codes(address) == {400, 401}
        assert {401}.isdisjoint(codes(address, f"Authorization: {VALID}"))


def test_a_check_of_some_paths_would_be_noticed(tokens: Tokens) -> None:
    app = create_app(TINY)
    checked = TokenCheck(app, tokens, Telemetry().respond_refused)

    def check_hooks(scope: dict[str, str]) -> ASGIApp:
        return checked if scope["path"] in {"/sync", "/customize"} else app

    async def mistaken(scope, receive, send) -> None:  # type: ignore[no-untyped-def] # noqa: ANN001 - an app
        await check_hooks(scope)(scope, receive, send)

    with serving(app=mistaken) as address:
        assert {401, 404} <= codes(address)


def test_tokens_are_replaced_without_a_refused_call(folder: Path, tokens: Tokens) -> None:
    new = {**JSON, "Authorization": "Bearer new"}
    with serving(tokens=tokens) as address:
        assert post(address, None, new) == 401
        (folder / "new").write_text("new")
        assert eventually(lambda: post(address, None, new) == 200)
        assert post(address, None, {**JSON, "Authorization": VALID}) == 200
        (folder / "first").unlink()
        assert eventually(lambda: post(address, None, {**JSON, "Authorization": VALID}) == 401)
        assert post(address, None, new) == 200


@pytest.mark.parametrize("content", ["", " \n", "two words", "two\nlines", "h\u00e9"])
def test_a_file_without_a_token_keeps_the_one_that_it_had(
    folder: Path, tokens: Tokens, content: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Such a file is being written, or is a mistake. To revoke a token is to remove its file."""
    (folder / "first").write_text(content)
    tokens.reload()
    tokens.reload()

    assert tokens.accept([(b"authorization", VALID.encode())])
    assert tokens.accept([(b"authorization", f"Bearer {SECOND}".encode())])
    assert tokens.unusable == 1
    (line,) = caplog.messages
    assert line.startswith(f"{folder}/first ")
    assert line.endswith("; still using the previous token")


def empty(file: Path) -> None:
    file.write_bytes(b"")


def loop(file: Path) -> None:
    file.symlink_to(file)


@pytest.mark.parametrize("make", [empty, os.mkfifo, os.mkdir, loop])
def test_a_token_whose_file_is_removed_is_revoked_whatever_other_files_are_like(
    folder: Path, tokens: Tokens, make: Callable[[Path], None], caplog: pytest.LogCaptureFixture
) -> None:
    """A pipe that was read would stop the server."""
    with serving(tokens=tokens) as address:
        make(folder / "bad")
        (folder / "first").unlink()
        (folder / "new").write_text("n" * 32)

        assert eventually(lambda: post(address, None, {**JSON, "Authorization": VALID}) == 401)
        for token in (SECOND, "n" * 32):
            assert post(address, None, {**JSON, "Authorization": f"Bearer {token}"}) == 200
        assert tokens.unusable == 1
        tokens.reload()
        assert caplog.text.count(str(folder / "bad")) == 1

        bad = folder / "bad"
        bad.rmdir() if bad.is_dir() else bad.unlink()
        assert eventually(lambda: tokens.unusable == 0)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_file_that_becomes_something_else_is_removed(
    folder: Path, tokens: Tokens, make: Callable[[Path], None]
) -> None:
    (folder / "first").unlink()
    make(folder / "first")
    tokens.reload()

    assert not tokens.accept([(b"authorization", VALID.encode())])
    assert tokens.accept([(b"authorization", f"Bearer {SECOND}".encode())])
    assert tokens.unusable == 1


@pytest.mark.parametrize(
    ("token", "mode", "text"),
    [("short", 0o640, "can be guessed"), (FIRST, 0o644, "all users can read"), (FIRST, 0o440, "")],
)
def test_a_warning_names_a_token_that_is_weak(
    folder: Path, token: str, mode: int, text: str, caplog: pytest.LogCaptureFixture
) -> None:
    file = folder / "first"
    file.write_text(token)
    file.chmod(mode)
    tokens = Tokens(file)
    tokens.warn()
    file.write_text(token + "\n")
    tokens.reload()

    assert [text in line and str(file) in line for line in caplog.messages] == [True] * (2 if text else 0)
    assert token not in caplog.text


def test_without_files_every_call_is_refused(folder: Path, tokens: Tokens, caplog: pytest.LogCaptureFixture) -> None:
    for file in (folder / "first", folder / "second"):
        file.unlink()
    tokens.reload()
    tokens.reload()

    assert not tokens.accept([(b"authorization", VALID.encode())])
    assert caplog.messages == [
        f"every call is refused: {folder} has no files; add one with a token, such as one from: openssl rand -hex 32"
    ]
    (folder / "first").write_text(FIRST)
    tokens.reload()
    assert tokens.accept([(b"authorization", VALID.encode())])


@pytest.mark.parametrize("name", ["", "first"], ids=["directory", "file"])
def test_if_the_path_is_removed_every_call_is_refused(
    folder: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    path, away = folder / name, folder.with_name("away")
    tokens = Tokens(path)
    path.rename(away)
    tokens.reload()
    tokens.reload()

    assert not tokens.accept([(b"authorization", VALID.encode())])
    assert caplog.messages == [
        f"every call is refused: {path} does not exist; create it with a token, such as one from: openssl rand -hex 32"
    ]
    away.rename(path)
    tokens.reload()
    assert tokens.accept([(b"authorization", VALID.encode())])


def test_files_are_looked_at_again_after_a_look_that_fails(caplog: pytest.LogCaptureFixture) -> None:
    class Failing:
        unusable = looks = 0

        def reload(self) -> None:
            self.looks += 1
            raise ValueError

        def warn(self) -> None:
            """Log nothing."""

    async def played() -> int:
        files = Failing()
        async with reloading(files, every=0.01):
            await asyncio.sleep(0.1)
        return files.looks

    assert asyncio.run(played()) > 1
    assert caplog.messages[0] == "can't look at files"


def test_a_path_that_can_not_be_read_keeps_the_tokens(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = folder / "link"
    path.symlink_to(folder / "first")
    tokens = Tokens(path)
    path.unlink()
    path.symlink_to(path)
    tokens.reload()
    tokens.reload()

    assert tokens.accept([(b"authorization", VALID.encode())])
    assert tokens.unusable == 1
    assert caplog.messages == [f"can't read {path}: too many levels of symbolic links; still using the previous tokens"]


def test_a_path_below_what_is_no_directory_is_gone(folder: Path) -> None:
    tokens = Tokens(folder / "first")
    folder.rename(folder.with_name("away"))
    folder.write_text("not a directory")
    tokens.reload()

    assert not tokens.accept([(b"authorization", VALID.encode())])


def test_an_app_in_another_server_reads_the_tokens_again(
    folder: Path, tokens: Tokens, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = create_app(TINY, ServerOptions(tokens=tokens))
    headers = {**JSON, "authorization": VALID}
    assert call(app, "/sync", sync_body(), headers=headers).status_code == 200
    (folder / "first").unlink()
    assert call(app, "/sync", sync_body(), headers=headers).status_code == 200  # no request reads them twice in 5 s

    later = time.monotonic() + 5
    monkeypatch.setattr("metahook.server.callers.tokens.monotonic", lambda: later)

    assert call(app, "/sync", sync_body(), headers=headers).status_code == 401


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (None, "has no files; add one"),
        (b"", "is empty; "),
        (b"a b", "has spaces"),
        ("h\u00e9".encode(), "has "),
    ],
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


def test_one_file_with_a_token_is_enough(folder: Path) -> None:
    assert Tokens(folder / "first").accept([(b"authorization", VALID.encode())])


@pytest.fixture(name="file", scope="module")
def _file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file with the token of the hook."""
    file = tmp_path_factory.mktemp("tokens") / "token"
    file.write_text(FIRST)
    return file


@pytest.fixture(name="hook", scope="module")
def _hook(file: Path) -> Iterator[Served]:
    with served(*WIDGETS, "--drain=0", f"--tokens={file}", "--max-body=128") as running:
        yield running


@pytest.mark.parametrize(("host", "is_warned_of"), [("0.0.0.0", True), ("127.0.0.1", False)])  # noqa: S104 - the rule
def test_a_warning_says_that_tokens_are_sent_without_tls(folder: Path, host: str, *, is_warned_of: bool) -> None:
    (folder / "first").chmod(0o644)
    options = ("--drain=0", f"--host={host}", f"--tokens={folder}")
    with served(*WIDGETS, *options) as running:
        running.process.send_signal(signal.SIGINT)
        running.process.wait(timeout=30)
        log = running.process.stderr.read() if running.process.stderr else ""

    assert ("tokens are sent without TLS: anyone on the network can read them" in log) is is_warned_of
    assert f"all users can read the token in {folder}/first" in log


def test_a_file_that_can_not_be_used_is_counted(hook: Served, file: Path) -> None:
    file.write_text("")

    metric = 'metahook_unusable_files{files="tokens"} 1.0'
    assert eventually(lambda: metric in CLIENT.get(f"{hook.health_url}/metrics").text, pause=0.2)


def send_100_mb(running: Served, *headers: str) -> bytes:
    """Send a body of 100 MB, as far as it is taken; return the start of the response."""
    head = ["POST /sync HTTP/1.1", "Host: hook", "Content-Type: application/json", "Content-Length: 100000000"]
    with socket.create_connection(("127.0.0.1", running.port), timeout=10) as opened:
        opened.sendall("\r\n".join([*head, *headers, "", ""]).encode())
        try:
            for _ in range(100):
                opened.sendall(b" " * 1_000_000)
        except OSError:
            return b""
        return opened.recv(4096)


def test_a_long_body_costs_no_memory_without_a_token(hook: Served) -> None:
    before = hook.memory("VmHWM")
    for _ in range(3):
        assert not send_100_mb(hook).startswith(b"HTTP/1.1 2")
    refused = hook.memory("VmHWM") - before
    assert send_100_mb(hook, f"Authorization: {VALID}").startswith(b"HTTP/1.1 400 ")

    assert refused <= 2
    assert hook.memory("VmHWM") - before > 90  # with a token it is read
