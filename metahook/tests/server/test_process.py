import pytest

from metahook.envtest import free_port as free_port_module
from metahook.envtest.free_port import free_port
from metahook.server.lifecycle.address import Address


def test_a_port_is_given_once_and_never_while_it_is_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    ports = [free_port() for _ in range(3)]
    monkeypatch.setattr(free_port_module, "_PORTS", ports)
    monkeypatch.setattr(free_port_module, "_given", set())

    with Address("127.0.0.1", ports[1]).listen():
        given = {free_port(), free_port()}

    assert given == {ports[0], ports[2]}
