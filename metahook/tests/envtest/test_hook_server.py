"""The hook server: it serves controllers in this process, and leaves no listener behind."""

import httpx
import pytest

from metahook.envtest import cluster, process as free_port_module
from metahook.envtest.process import free_port
from metahook.server import Address, CannotListen
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
    with cluster.hook_server(TINY) as address:
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
    monkeypatch.setattr(cluster, "HookServer", lambda _: EndsAtOnce())

    with pytest.raises(TimeoutError, match=r"no hooks are served on 127\.0\.0\.1:") as raised:
        cluster.hook_server(TINY).__enter__()

    assert is_free(str(raised.value).rpartition(" ")[2])


def test_a_port_is_given_once_and_never_while_it_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    ports = [free_port() for _ in range(3)]
    monkeypatch.setattr(free_port_module, "_PORTS", ports)
    monkeypatch.setattr(free_port_module, "_given", set())

    with Address("127.0.0.1", ports[1]).listen():
        given = {free_port(), free_port()}

    assert given == {ports[0], ports[2]}
