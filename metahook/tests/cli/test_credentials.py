"""A hook that only some may call is called by the commands with their options for it."""

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from metahook.cli.hooks.credentials import Credentials
from metahook.server.app import ServerOptions, create_app
from metahook.server.callers.tokens import Tokens
from toolkit.cli.bound import CONTROLLER, call, settled
from toolkit.command import CommandResult, assert_one_line
from toolkit.served.tls import Pki, serving, write_pair
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
    app = create_app(CONTROLLER, ServerOptions(tokens=Tokens(pki.folder / "token")))
    with serving(pki.certificates(), app=app) as (host, port):
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
