"""A hook at a URL is called as Metacontroller calls it: one deadline, the redirects of Go, Retry-After.

One that only some may call is called with the options for certificates and tokens.
"""

import json
import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from metahook.cli.hooks import remote_hook
from metahook.cli.hooks.credentials import NO_CREDENTIALS, Credentials
from metahook.cli.hooks.named_hook import PATHS
from metahook.cli.hooks.remote_hook import RemoteHook, retry_after
from metahook.clock import utc_now
from metahook.server import ServerOptions, Tokens
from metahook.simulator.hook import Reply, Unreachable
from toolkit.cli.bound import CONTROLLER, call, settled
from toolkit.command import CommandResult, assert_one_line
from toolkit.served.thread import serving
from toolkit.served.tls import Pki, write_pair
from toolkit.widgets import widget
from toolkit.worlds import parent

OPTIONS = {"ca": "--ca-cert", "cert": "--client-cert", "key": "--client-key", "token": "--token-file"}


@pytest.fixture(name="pki", scope="module")
def _pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    pki = Pki(tmp_path_factory.mktemp("pki"))
    write_pair(pki.ca.issue_cert("me@example.com"), pki.folder / "me.crt", pki.folder / "me.key")
    (pki.folder / "token").write_text("a-token\n")
    return pki


@pytest.fixture(name="url", scope="module")
def _url(pki: Pki) -> Iterator[str]:
    options = ServerOptions(certificates=pki.certificates(), tokens=Tokens(pki.folder / "token"))
    with serving(CONTROLLER, options) as (host, port):
        yield f"https://{host}:{port}"


@pytest.fixture(autouse=True)
def _directory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("request.json").write_text(json.dumps(settled(widget())))
    Path("web.yaml").write_text(json.dumps(parent()))


def replay(url: str, pki: Pki, **others: Path | None) -> CommandResult:
    """Call the hook at *url* with the files of *pki*, or with *others* in place of them; None leaves an option out."""
    return call("replay", "request.json", "--against", url, *given(pki, **others))


def given(pki: Pki, **others: Path | None) -> list[str]:
    own = {"cert": pki.folder / "me.crt", "key": pki.folder / "me.key", "token": pki.folder / "token"}
    files = {"ca": pki.client_ca, **own, **others}
    return [f"{OPTIONS[name]}={file}" for name, file in files.items() if file]


def test_replay_and_simulate_call_a_hook_with_credentials(pki: Pki, url: str) -> None:
    simulated = call("simulate", "-f", "web.yaml", "--until", "ready", "--hook", url, *given(pki))

    assert (replay(url, pki).code, replay(url, pki).err) == (0, "")
    assert (simulated.code, simulated.err) == (0, "")


@pytest.mark.parametrize(
    ("left_out", "text"),
    [
        (["ca"], "may need --ca-cert"),
        (["cert", "key"], "and --client-cert"),
        (["token"], "status 401; name the file with its token with --token-file"),
    ],
)
def test_each_of_the_credentials_is_needed(pki: Pki, url: str, left_out: list[str], text: str) -> None:
    assert_one_line(replay(url, pki, **dict.fromkeys(left_out)), 2, text, program="widgets")


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("content", [b"canary\xff", None], ids=["of something else", "that is missing"])
def test_a_file_that_can_not_be_used_is_named_by_its_option(pki: Pki, name: str, content: bytes | None) -> None:
    file = Path("file")
    if content:
        file.write_bytes(content)

    ended = replay("https://127.0.0.1:1", pki, **{name: file})

    remedy = str(file) if name == "token" else "give a readable"
    assert_one_line(ended, 2, OPTIONS[name].replace("key", "cert"), remedy, program="widgets")
    assert "canary" not in ended.err


def test_a_token_can_come_from_a_pipe_of_the_shell() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"a-token\n")
    os.close(writer)

    assert Credentials(token_file=Path(f"/dev/fd/{reader}")).headers() == {"Authorization": "Bearer a-token"}
    os.close(reader)


@contextmanager
def answering(answer: Callable[[socket.socket, bytes], None]) -> Iterator[str]:
    """Serve *answer*, one connection after the other, and give the URL."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def serve() -> None:
            while True:
                try:
                    connection, _ = server.accept()
                except OSError:
                    return
                with connection:
                    try:
                        answer(connection, _received(connection))
                    except OSError:
                        continue

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield f"http://127.0.0.1:{server.getsockname()[1]}"
        server.shutdown(socket.SHUT_RDWR)
    thread.join(5)


def _received(connection: socket.socket) -> bytes:
    """Return the request, which may come in two parts."""
    request = connection.recv(65536)
    whole = request.startswith(b"GET") or not request.endswith(b"\r\n\r\n")
    return request if whole else request + connection.recv(65536)


def response(status: str, *headers: str) -> bytes:
    lines = [f"HTTP/1.1 {status}", "Connection: close", "Content-Length: 2", *headers, "", "{}"]
    return "\r\n".join(lines).encode()


@pytest.mark.parametrize("start", [b"HTTP/1.1 200 OK\r\n\r\n", b"HTTP/1.1 200 OK\r\nX: "], ids=["body", "header"])
def test_a_response_that_trickles_in_ends_at_the_deadline(start: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote_hook, "TIMEOUT", 0.3)
    is_over = threading.Event()

    def trickle(connection: socket.socket, _: bytes) -> None:
        connection.sendall(start)
        for _part in range(200):
            if is_over.wait(0.05):
                return
            connection.sendall(b"x")

    with answering(trickle) as url, RemoteHook(url, "--hook", NO_CREDENTIALS, PATHS) as hook:
        with pytest.raises(Unreachable, match=r"no answer from .*/sync within"):
            hook("sync", b"{}")
        is_over.set()


@pytest.mark.parametrize(("status", "method"), [("307 T", b"POST"), ("308 P", b"POST"), ("302 F", b"GET")])
def test_redirects_are_followed_as_go_does(status: str, method: bytes) -> None:
    requests: list[bytes] = []

    def redirect(connection: socket.socket, request: bytes) -> None:
        requests.append(request)
        connection.sendall(response(status, "Location: /there") if b" /sync " in request else response("200 OK"))

    with answering(redirect) as url, RemoteHook(url, "--hook", NO_CREDENTIALS, PATHS) as hook:
        assert hook("sync", b'{"a": 1}') == Reply(200, b"{}")

    assert requests[1].startswith(method + b" /there")
    assert requests[1].endswith(b'{"a": 1}') == (method == b"POST")


def test_too_many_redirects_are_no_answer() -> None:
    def redirect(connection: socket.socket, _: bytes) -> None:
        connection.sendall(response("307 T", "Location: /sync"))

    with (
        answering(redirect) as url,
        RemoteHook(url, "--hook", NO_CREDENTIALS, PATHS) as hook,
        pytest.raises(Unreachable, match="no answer from"),
    ):
        hook("sync", b"{}")


@pytest.mark.parametrize(
    ("header", "seconds"),
    [("7", 7), ("-7", -7), ("", None), ("1.5", None), ("\u00b2", None), ("9" * 400, None), ("tomorrow", None)],
)
def test_retry_after_is_a_whole_number_or_none(header: str, seconds: float | None) -> None:
    assert retry_after(header) == seconds


def test_retry_after_may_be_a_date() -> None:
    begin = utc_now()
    date = (begin + timedelta(seconds=100)).strftime("%a, %d %b %Y %H:%M:%S GMT")

    found = retry_after(date) or 0

    assert 99 - (utc_now() - begin).total_seconds() < found <= 100
