"""The polling hook of docs/watch-or-poll.md: called at its moments; its thread keeps the last reading."""

import http.server
import itertools
import json
import re
import runpy
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from metahook import Kind
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from toolkit.documents import blocks, page
from toolkit.waiting import eventually
from toolkit.worlds import Since, both_modes, calls

PERIOD = 3600.0
"""Seconds between resyncs: longer than a test, so that all calls are those that were asked for."""

BEGUN = 5.0
"""Seconds after which all that tests make has settled."""

LICENSE, CHILD = Key("License", "default", "acme"), Key("ConfigMap", "default", "acme")


(CODE,) = (block for block in blocks(page("watch-or-poll"), "python") if "class Poller" in block)


def run(code: str, folder: Path) -> dict[str, Any]:
    """Return what *code* defines."""
    file = folder / "licenses.py"
    file.write_text(code)
    return runpy.run_path(str(file))


@pytest.fixture(name="page")
def _page(tmp_path: Path) -> dict[str, Any]:
    """Return what the page's code defines."""
    return run(CODE, tmp_path)


class Told:
    """A world with the page's hook, and the reading that it gets."""

    def __init__(self, page: dict[str, Any], mode: Mode, seats: int | None = 5) -> None:
        self._reading = page["Reading"]
        self.reading: Any = None
        controller = page["licenses"](lambda: self.reading)
        kind = Kind("example.com/v1", "License", "licenses")
        children = tuple(each.KIND for each in controller.children)
        settings = Settings(kind, children, mode=mode, resync_period=PERIOD, has_customize=False)
        self.world = World(controller, settings)
        if seats is not None:
            self.reads(seats)

    def reads(self, seats: int) -> None:
        """Let the thread have read so many *seats*."""
        self.reading = self._reading({"acme": seats}, self.world.clock.time())

    def make(self, name: str = "acme") -> None:
        """Make a License, and let it settle."""
        metadata = {"name": name, "namespace": "default"}
        self.world.apply(
            {"apiVersion": "example.com/v1", "kind": "License", "metadata": metadata, "spec": {"customer": "acme"}}
        )
        self.world.run(2)

    def touch(self) -> None:
        """Let something happen to it."""
        self.world.edit(LICENSE, lambda item: item["metadata"].update(annotations={"at": str(self.world.clock.now)}))

    @property
    def seats(self) -> str:
        """What the ConfigMap says."""
        found: str = self.world.get(CHILD)["data"]["seats"]
        return found

    @property
    def state(self) -> str:
        """What the status says."""
        found: str = self.world.parent("acme")["status"]["state"]
        return found

    def moments(self, name: str = "acme") -> list[float]:
        """Return when the hook was called because of time: all calls but those of the beginning."""
        return [call.at for call in self.world.history.calls() if call.key.name == name and call.at > BEGUN]


@both_modes
def test_an_idle_parent_is_called_once_in_each_interval_at_its_own_moment(page: dict[str, Any], mode: Mode) -> None:
    told = Told(page, mode)
    told.make()
    told.make("zenith")

    told.world.run(600)

    for name in ("acme", "zenith"):
        moments = told.moments(name)
        gaps = {round(after - before) for before, after in itertools.pairwise(moments)}
        assert len(moments) in (10, 11)
        assert gaps == {page["EVERY"]}
    assert round(told.moments()[-1]) % 60 != round(told.moments("zenith")[-1]) % 60


@both_modes
def test_calls_for_other_reasons_do_not_add_calls_in_time(page: dict[str, Any], mode: Mode) -> None:
    told = Told(page, mode)
    told.make()
    for _ in range(60):
        told.world.run(10)
        told.touch()
    told.world.run(1)

    assert 10 <= len(told.moments()) - 60 <= 11


@both_modes
def test_what_was_read_is_in_the_child_within_an_interval(page: dict[str, Any], mode: Mode) -> None:
    told = Told(page, mode)
    told.make()

    told.reads(3)
    told.world.run(page["EVERY"] + 1)

    assert (told.seats, told.state) == ("3", "Ready")


@both_modes
def test_a_reading_that_gets_old_stays_and_is_said_to_be_stale(page: dict[str, Any], mode: Mode) -> None:
    told = Told(page, mode)
    told.make()

    told.world.run(4 * page["EVERY"])

    assert (told.seats, told.state) == ("5", "Stale")


def moments_around_a_restart(page: dict[str, Any], mode: Mode) -> set[int]:
    """Return in which seconds of an interval the hook is called, before and after a restart of Metacontroller."""
    told = Told(page, mode)
    told.make()
    told.world.run(150)
    told.world.metacontroller.restart(5)
    restarted = told.world.clock.now
    told.world.run(200)
    return {round(moment) % page["EVERY"] for moment in told.moments() if not 0 < moment - restarted < 10}


@both_modes
def test_after_a_restart_of_metacontroller_the_moments_are_the_same(page: dict[str, Any], mode: Mode) -> None:
    assert len(moments_around_a_restart(page, mode)) == 1


@both_modes
def test_with_a_fixed_time_in_its_place_the_moments_would_move(tmp_path: Path, mode: Mode) -> None:
    fixed = re.sub("return EVERY - .*", "return EVERY", CODE)

    assert len(moments_around_a_restart(run(fixed, tmp_path), mode)) > 1


@both_modes
def test_a_hook_that_has_just_begun_changes_nothing(page: dict[str, Any], mode: Mode) -> None:
    told = Told(page, mode)
    told.make()
    told.world.run(100)
    told.reading, before, done = None, calls(told.world), Since(told.world)

    told.world.run(150)

    assert calls(told.world) - before >= 2
    assert done.writes == []
    assert (told.seats, told.state) == ("5", "Ready")


def test_the_thread_keeps_the_last_reading_while_the_other_system_is_down(page: dict[str, Any]) -> None:
    with system({"acme": 5}) as it:
        poller = page["Poller"](partial(page["ask"], it.url), every=0.02)
        poller.start()
        assert eventually(lambda: poller.last is not None)

        it.down = True
        asked = it.asked
        assert eventually(lambda: it.asked > asked + 3)
        kept = poller.last
        assert kept.seats == {"acme": 5}

        it.down, it.seats = False, {"acme": 4}
        assert eventually(lambda: poller.last.seats == {"acme": 4})
        assert poller.last.at > kept.at


class System:
    """The other system: what it answers, and how often it was asked."""

    def __init__(self, seats: dict[str, int]) -> None:
        self.seats = seats
        self.down = False
        self.asked = 0
        self.url = ""


@contextmanager
def system(seats: dict[str, int]) -> Iterator[System]:
    it = System(seats)

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            it.asked += 1
            body = b"no" if it.down else json.dumps(it.seats).encode()
            self.send_response(500 if it.asked % 2 and it.down else 200)
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        it.url = f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield it
        server.shutdown()
        thread.join()
