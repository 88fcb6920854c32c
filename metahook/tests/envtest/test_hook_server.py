"""The hook server: it serves controllers in this process, and leaves no listener behind."""

import httpx
import pytest

from metahook.envtest import hook_server
from metahook.server.lifecycle.address import Address, CannotListen
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import JSON


def is_free(address: str) -> bool:
    """Return whether nothing listens on *address*."""
    host, _, port = address.partition(":")
    try:
        Address(host, int(port)).listen().close()
    except CannotListen:
        return False
    return True


def test_it_serves_until_the_block_ends() -> None:
    with hook_server.hook_server(TINY) as address:
        response = httpx.post(f"http://{address}/sync", content=sync_body(), headers=JSON, trust_env=False)
        assert response.status_code == 200
        assert not is_free(address)

    assert is_free(address)


class EndsAtOnce:
    """A server whose thread ends before it serves."""

    started = False
    should_exit = False

    def run(self, sockets: object) -> None:
        """Serve nothing."""


def test_a_start_that_fails_leaves_no_listener(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hook_server, "create_server", lambda _: EndsAtOnce())

    with pytest.raises(TimeoutError, match=r"no hooks are served on 127\.0\.0\.1:") as raised:
        hook_server.hook_server(TINY).__enter__()

    assert is_free(str(raised.value).rpartition(" ")[2])
