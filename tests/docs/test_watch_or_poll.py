"""metahook/docs/watch-or-poll.md: its hooks run beside each other, and its table has what is measured."""

import re
import runpy
from collections.abc import Callable
from typing import Any

import pytest

from metahook import Controller, Kind
from metahook.simulator.metacontroller.settings import Mode, Settings
from metahook.simulator.objects import Key
from metahook.simulator.world import World
from tests.docs.documents import ROOT
from tests.examples.test_composite_controllers import found
from tests.simulated.worlds import Since, both_modes, calls
from toolkit.documents import blocks

TEXT = (ROOT / "metahook/docs/watch-or-poll.md").read_text()
INTERVAL = 300
HOUR = 3600.0
DAY = 24 * HOUR
NEVER = 1e9
"""A resync period that does not end: all calls are those of events and timers."""

COPY, SOURCE = Key("Copy", "default", "mine"), Key("ConfigMap", "default", "settings")
CHILD = Key("ConfigMap", "default", "mine")


class Copies:
    """A world with a ConfigMap and its copy."""

    def __init__(self, make: "Make", mode: Mode) -> None:
        controller = make(self)
        parent, children = Kind("example.com/v1", "Copy", "copies"), tuple(each.KIND for each in controller.children)
        settings = Settings(parent, children, mode=mode, resync_period=NEVER)
        self.world = World(controller, settings, raise_errors=False)
        self.is_down = False
        for api_version, key, more in (("v1", SOURCE, {"data": {"a": "1"}}), ("example.com/v1", COPY, {})):
            metadata = {"name": key.name, "namespace": key.namespace}
            self.world.apply({"apiVersion": api_version, "kind": key.kind, "metadata": metadata, **more})
        assert self.seconds_until_copied("1") < 1
        self.world.run(1)

    def read(self, name: str) -> dict[str, str]:
        """Read a ConfigMap from the API server, as a client of the hook's own does."""
        if self.is_down:
            raise ConnectionRefusedError
        found: dict[str, str] = self.world.get(Key("ConfigMap", "default", name))["data"]
        return found

    def edit(self, key: Key, value: str) -> None:
        """Edit a ConfigMap by hand."""
        self.world.edit(key, lambda item: item.update(data={"a": value}))

    def seconds_until_copied(self, value: str) -> float:
        """Return the seconds until the copy has the *value*; NEVER after a day."""
        begun = self.world.clock.now
        is_copied = self.world.until(
            lambda: self.world.api.get(CHILD) is not None and self.read("mine") == {"a": value}, within=DAY
        )
        return self.world.clock.now - begun if is_copied else NEVER


Make = Callable[[Copies], Controller]


@pytest.fixture(name="code", scope="module")
def _code(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return what the code of the page defines."""
    file = tmp_path_factory.mktemp("why") / "hooks.py"
    file.write_text(blocks(TEXT, "python")[0])
    return runpy.run_path(str(file))


def row(name: str) -> list[str]:
    """Return the cells of the table's row *name*."""
    (cells,) = re.findall(rf"^\| {re.escape(name)} \| (.*) \|$", TEXT, re.MULTILINE)
    found: list[str] = cells.split(" | ")
    return found


def idle(copies: Copies) -> str:
    """Return the calls in an hour without a change, in which nothing is written."""
    before, done = calls(copies.world), Since(copies.world)
    copies.world.run(HOUR)
    assert done.requests == []
    return str(calls(copies.world) - before)


def changed(copies: Copies) -> str:
    """Return when a change of the source is copied, for changes at each moment of an interval."""
    found = []
    for moment in range(0, INTERVAL, 5):
        copies.world.run(moment)
        copies.edit(SOURCE, f"at {moment}")
        found.append(copies.seconds_until_copied(f"at {moment}"))
    return described(found)


def edited(copies: Copies) -> str:
    """Return when an edit of the copy is reverted."""
    copies.edit(CHILD, "by hand")
    return described([copies.seconds_until_copied("1")])


def described(delays: list[float]) -> str:
    if min(delays) == NEVER:
        return "not within a day"
    mean, most = round(sum(delays) / len(delays), -1), round(max(delays), -1)
    return f"{mean:.0f} s on average, {most:.0f} s at most" if most else "0 s"


@both_modes
def test_the_table_has_what_is_measured(code: dict[str, Any], mode: Mode) -> None:
    hooks: list[Make] = [  # in the order of the columns
        lambda _: code["watching"](),
        lambda copies: code["polling"](copies.read, INTERVAL),
        lambda copies: code["polling"](copies.read, None),
    ]
    rows = {
        "calls in an idle hour": idle,
        "a change of the source is copied after": changed,
        "an edit of the copy is reverted after": edited,
    }

    for name, measure in rows.items():
        assert [measure(Copies(make, mode)) for make in hooks] == row(name)


@both_modes
def test_an_outage_of_an_hour_costs_what_the_table_says(code: dict[str, Any], mode: Mode) -> None:
    hooks: list[Make] = [
        lambda copies: code["polling"](copies.read, INTERVAL),
        lambda copies: code["patient"](copies.read),
    ]
    columns = zip(
        *map(row, ["calls", "`SyncError` Events", "state meanwhile", "its end is noticed after"]), strict=True
    )

    for make, column in zip(hooks, columns, strict=True):
        copies = Copies(make, mode)
        history, before = copies.world.history, calls(copies.world)
        copies.is_down = True
        copies.world.run(15)
        copies.world.edit(COPY, lambda item: item["metadata"].update(annotations={"a": "b"}))
        copies.world.run(HOUR - 15)
        counts = calls(copies.world) - before, sum(1 for _ in history.events("SyncError"))
        state = copies.world.get(COPY)["status"]["state"]
        copies.is_down = False
        copies.edit(SOURCE, "2")
        assert (*map(str, counts), f"`{state}`", f"{copies.seconds_until_copied('2'):.0f} s") == column


def test_the_manifest_in_the_page_about_controller_runtime_is_right_for_the_hook(code: dict[str, Any]) -> None:
    page = (ROOT / "metahook/docs/from-controller-runtime.md").read_text()

    assert found(page, code["watching"]()) == []
    assert "    ignoreStatusChanges: true\n" in page
