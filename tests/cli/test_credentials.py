"""A hook that only some may call is called by replay and simulate, with their options for it."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from metahook.cli.hooks.credentials import Credentials
from metahook.server.app import ServerOptions, create_app
from metahook.server.callers.tokens import Tokens
from tests.cli.command import assert_one_line, call
from tests.requests.builders import MYRESOURCE
from toolkit.served.tls import Pki, serving, write_pair

OPTIONS = {"ca": "--ca-cert", "cert": "--client-cert", "key": "--client-key", "token": "--token-file"}
RECORDED = "examples/requests/ready.json"


@pytest.fixture(name="pki", scope="module")
def _pki(tmp_path_factory: pytest.TempPathFactory) -> Pki:
    pki = Pki(tmp_path_factory.mktemp("pki"))
    write_pair(pki.ca.issue_cert("me@example.com"), pki.folder / "me.crt", pki.folder / "me.key")
    (pki.folder / "token").write_text("a-token\n")
    return pki


@pytest.fixture(name="url", scope="module")
def _url(pki: Pki) -> Iterator[str]:
    app = create_app(MYRESOURCE, ServerOptions(tokens=Tokens(pki.folder / "token")))
    with serving(pki.certificates(), app=app) as (host, port):
        yield f"https://{host}:{port}"


def given(pki: Pki, **others: Path | None) -> list[str]:
    """Return the options for *pki*, with other files in place of its own; None leaves an option out."""
    own = {
        "ca": pki.client_ca,
        "cert": pki.folder / "me.crt",
        "key": pki.folder / "me.key",
        "token": pki.folder / "token",
    }
    files = {OPTIONS[name]: file for name, file in (own | others).items() if file}
    return [f"{option}={file}" for option, file in files.items()]


def test_replay_and_simulate_call_a_hook_with_credentials(pki: Pki, url: str) -> None:
    replayed = call("replay", RECORDED, "--against", url, *given(pki))
    simulated = call("simulate", "-f", "examples/web.yaml", "--until", "ready", "--hook", url, *given(pki))

    assert (replayed.code, replayed.err) == (0, "")
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
    ended = call("replay", RECORDED, "--against", url, *given(pki, **dict.fromkeys(left_out)))

    assert_one_line(ended, 2, text)


@pytest.mark.parametrize("name", OPTIONS)
@pytest.mark.parametrize("content", [b"canary\xff", None], ids=["of something else", "that is missing"])
def test_a_file_that_can_not_be_used_is_named_by_its_option(
    pki: Pki, tmp_path: Path, name: str, content: bytes | None
) -> None:
    file = tmp_path / "file"
    if content:
        file.write_bytes(content)

    ended = call("replay", RECORDED, "--against", "https://127.0.0.1:1", *given(pki, **{name: file}))

    remedy = str(file) if name == "token" else "give a readable"
    assert_one_line(ended, 2, OPTIONS[name].replace("key", "cert"), remedy)
    assert "canary" not in ended.err


def test_a_token_can_come_from_a_pipe_of_the_shell() -> None:
    reader, writer = os.pipe()
    os.write(writer, b"a-token\n")
    os.close(writer)

    assert Credentials(token_file=Path(f"/dev/fd/{reader}")).headers() == {"Authorization": "Bearer a-token"}
    os.close(reader)
