"""Measures the calls of the hook and writes of Metacontroller for each kind of event in docs/concepts/watching.md."""

import base64
import itertools
import json
import statistics
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from tests.e2e.cluster import Cluster, started
from tests.e2e.events import EVENTS
from tests.e2e.namespace import Namespace
from tests.e2e.used import ALL, SECRETS, put_all
from website.costs import COSTS, NONE, PERIOD, RESTART, Cost, Times

QUIET = 1.0


@dataclass
class Scene:
    """A cluster that watches every kind it can, and a namespace with the MyResource ``web``, which is Ready."""

    cluster: Cluster
    metacontroller: Process
    here: Namespace

    def controller(self, **spec: object) -> None:
        """Change the CompositeController, and wait until Metacontroller has synced all MyResources again."""
        before = len(self.asked("sync"))
        self.here.client.change("CompositeController", "", "myresource", {"spec": spec})
        self.here.eventually(lambda: len(self.asked("sync")) > before)
        self.here.wait_until_quiet(QUIET)

    def asked(self, hook: str) -> list[str]:
        """Return the names of the recorded requests about ``web``, which start with the time."""
        return sorted(file.name for file in self.cluster.asked.glob(f"[!.]*-{hook}-{self.here.name}-web.json"))


class Counter:
    """Counts the calls and writes for ``web`` since its creation."""

    def __init__(self, scene: Scene) -> None:
        self._scene = scene
        self._before = {hook: len(scene.asked(hook)) for hook in ("sync", "customize")}
        self._done = scene.here.since()

    def of(self, hook: str) -> int:
        """Return the number of calls of *hook*."""
        return len(self._scene.asked(hook)) - self._before[hook]

    def costs(self, least: int) -> Cost:
        """Return the cost after at *least* this number of syncs, when nothing changes any more."""
        self._scene.here.eventually(lambda: self.of("sync") >= least)
        self._scene.here.wait_until_quiet(QUIET)
        ours = _about_web(self._done.writes)
        statuses = sum("myresources" in write for write in ours)
        children = len(ours) - statuses
        return Cost(_exactly(self.of("sync")), _exactly(self.of("customize")), _exactly(children), _exactly(statuses))


def _about_web(requests: list[str]) -> list[str]:
    return [request for request in requests if request.split()[-1] in ("web", "web-deployment")]


def _exactly(times: int) -> Times:
    return Times(times, times)


def unlike(measured: Cost, documented: Cost) -> list[str]:
    """Return where *measured* is outside the *documented* bounds."""
    fields = zip(documented.times(), measured.times(), strict=True)
    return [f"{seen} instead of {bound}" for bound, seen in fields if not bound.least <= seen.least <= bound.most]


@pytest.fixture(scope="module")
def scene(mode: Mode, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scene]:
    """Return a new cluster with ``web``, which is Ready, idle, and watches every kind that it can."""
    cluster = Cluster(find_binaries(), tmp_path_factory.mktemp("costs"), secrets=True)
    metacontroller = cluster.metacontroller(mode)
    with started(cluster, metacontroller):
        yield Scene(cluster, metacontroller, _ready_web(cluster))


def _ready_web(cluster: Cluster) -> Namespace:
    here = Namespace(cluster, "here")
    put_all(here.client, here.name)
    here.put({"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "unrelated"}})
    here.ready(replicas=2, **ALL)
    here.wait_until_quiet(QUIET)
    return here


@pytest.mark.parametrize("event", EVENTS)
def test_an_event_costs_what_the_page_says(scene: Scene, event: str) -> None:
    counter = Counter(scene)

    EVENTS[event](scene.here)

    assert unlike(counter.costs(COSTS[event].syncs.least), COSTS[event]) == []


def test_a_restart_of_metacontroller_costs_what_the_page_says(scene: Scene, mode: Mode) -> None:
    counter, done = Counter(scene), scene.here.since()

    scene.metacontroller.restart()

    assert unlike(counter.costs(COSTS[RESTART].syncs.least), COSTS[RESTART]) == []
    scene.here.eventually(lambda: len(_about_web(done.useless)) == (2 if mode == "server-side-apply" else 0))


def test_a_resync_period_costs_what_the_page_says(scene: Scene) -> None:
    scene.controller(resyncPeriodSeconds=2)
    counter, periods = Counter(scene), 4
    try:
        cost = counter.costs(periods)
        times = [datetime.strptime(name.partition("-")[0], "%Y%m%dT%H%M%S.%fZ") for name in scene.asked("sync")]  # noqa: DTZ007 - only differences matter
        gaps = [(after - before).total_seconds() for before, after in itertools.pairwise(times[-periods:])]
    finally:
        scene.controller(resyncPeriodSeconds=600)

    assert statistics.mean(gaps) > 1.5, "more than one call in a period"
    assert unlike(cost._replace(syncs=_exactly(1)), COSTS[PERIOD]) == []


def test_without_ignore_status_changes_a_status_write_costs_a_call(scene: Scene) -> None:
    """The negative control: the measurement detects calls once ``ignoreStatusChanges`` is off."""
    event = "another client changes its status"
    scene.controller(parentResource={"ignoreStatusChanges": False})
    counter = Counter(scene)
    try:
        EVENTS[event](scene.here)
        cost = counter.costs(1)
    finally:
        scene.controller(parentResource={"ignoreStatusChanges": True})

    assert cost.syncs != NONE
    assert unlike(cost, COSTS[event])


def test_no_secret_value_is_recorded_stored_or_logged(scene: Scene) -> None:
    asked = scene.cluster.exchanges(scene.here.name, "web")
    stored = [scene.here.get(kind) for kind in ("MyResource", "Deployment")]

    logs = [text for name, text in scene.cluster.logs.items() if name != "audit.log"]  # it contains all requests
    said = [*map(json.dumps, [*asked, *stored]), *logs]

    values = [*SECRETS, *(base64.b64decode(value).decode() for value in SECRETS)]
    assert [each for each in asked if each["request"].get("related", {}).get("Secret.v1")]
    assert [text for text in said if any(value in text for value in values)] == []
