"""Which connection is closed for a new one when all places are taken, and how soon a new one is accepted."""

import asyncio
import socket
import threading
from collections.abc import Callable
from contextlib import ExitStack, suppress
from dataclasses import replace
from http.client import HTTPException
from pathlib import Path

import pytest
from starlette.types import Receive, Scope, Send

from metahook.server.app import create_app
from metahook.server.limits import Limits
from toolkit.hooks.minimal import TINY
from toolkit.served.modes import MODES, PATIENCE, Mode, create_mode, is_closed, read_answer
from toolkit.waiting import eventually

PLACES = 4
FEW = replace(Limits(), max_connections=PLACES)


@pytest.fixture(name="mode", params=MODES)
def _mode(request: pytest.FixtureRequest, tmp_path: Path) -> Mode:
    return create_mode(request.param, tmp_path)


def is_answered(mode: Mode, client: socket.socket) -> bool:
    """Send a request on *client*; tell whether it gets a 200."""
    client.sendall(mode.request())
    return read_answer(client).status == 200


def silent(_: Mode, client: socket.socket) -> socket.socket:
    return client


def silent_after_the_handshake(mode: Mode, client: socket.socket) -> socket.socket:
    return mode.handshake(client)


def in_a_head(mode: Mode, client: socket.socket) -> socket.socket:
    client = mode.handshake(client)
    client.sendall(b"POST /sync HTTP/1.1\r\nHost: ho")
    return client


def in_a_body(mode: Mode, client: socket.socket) -> socket.socket:
    client = mode.handshake(client)
    client.sendall(mode.request()[:-10])
    return client


def idle_after_a_200(mode: Mode, client: socket.socket) -> socket.socket:
    client = mode.handshake(client)
    assert is_answered(mode, client)
    return client


HOLDING = (silent, silent_after_the_handshake, in_a_head, in_a_body, idle_after_a_200)
KINDS = [*((MODES[0], each) for each in HOLDING), *((each, silent) for each in MODES[1:]), (MODES[2], idle_after_a_200)]


@pytest.mark.parametrize(("name", "hold"), KINDS)
def test_connections_that_do_nothing_give_way_the_oldest_first(
    tmp_path: Path, name: str, hold: Callable[[Mode, socket.socket], socket.socket]
) -> None:
    mode = create_mode(name, tmp_path)
    with mode.serving(FEW) as (connect, closed), ExitStack() as stack:
        holding = [stack.enter_context(hold(mode, connect())) for _ in range(PLACES)]
        new = [stack.enter_context(mode.handshake(connect())) for _ in range(2)]

        assert [is_answered(mode, each) for each in new] == [True, True]
        assert [is_closed(each) for each in holding[:2]] == [True, True]
        assert closed == ["max_connections"] * 2


def test_callers_that_get_no_200_close_no_connection_of_one_that_has_got_it(mode: Mode) -> None:
    with mode.serving(FEW) as (connect, closed), ExitStack() as stack:
        pooled = [stack.enter_context(idle_after_a_200(mode, connect())) for _ in range(PLACES // 2)]
        for hold in (silent, silent_after_the_handshake, in_a_head, in_a_body) * 2:
            with suppress(OSError, HTTPException):
                stack.enter_context(hold(mode, connect()))

        assert [is_answered(mode, each) for each in pooled] == [True] * len(pooled)
        assert eventually(lambda: closed.count("max_connections") == 6)


def test_a_connection_that_waits_for_its_response_does_not_give_way(mode: Mode) -> None:
    released = threading.Event()
    tiny = create_app(TINY)

    arrived = list[Scope]()

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        arrived.append(scope)
        await asyncio.to_thread(released.wait, PATIENCE)
        await tiny(scope, receive, send)

    with mode.serving(FEW, respond) as (connect, closed), ExitStack() as stack:
        waiting = [stack.enter_context(mode.handshake(connect())) for _ in range(PLACES)]
        for each in waiting:
            each.sendall(mode.request())
        assert eventually(lambda: len(arrived) == PLACES)
        new = stack.enter_context(connect())

        assert is_closed(new)
        released.set()
        assert [read_answer(each).status for each in waiting] == [200] * PLACES
        assert closed == ["max_connections"]


# How soon they are accepted

CROWD = 30


def test_new_connections_are_accepted_in_fewer_turns_of_the_loop_than_there_are() -> None:
    """They all arrive while the loop is blocked."""
    blocks, released, tiny = threading.Event(), threading.Event(), create_app(TINY)
    turns, answered_in, counting = 0, list[int](), list[asyncio.Task[None]]()

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    async def respond(scope: Scope, receive: Receive, send: Send) -> None:
        answered_in.append(turns)
        await tiny(scope, receive, send)
        if not counting:
            blocks.set()
            released.wait(PATIENCE)
            counting.append(asyncio.create_task(count()))

    mode = Mode()
    with mode.serving(app=respond) as (connect, _), ExitStack() as stack:
        assert is_answered(mode, stack.enter_context(connect()))
        assert blocks.wait(PATIENCE)
        crowd = [stack.enter_context(connect()) for _ in range(CROWD)]
        for each in crowd:
            each.sendall(mode.request())
        released.set()
        assert [read_answer(each).status for each in crowd] == [200] * CROWD

    assert max(answered_in) < CROWD
