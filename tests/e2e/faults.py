"""Faults that strike during work, and are repaired at once."""

import signal
from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

from metahook.envtest.process import Process
from tests.e2e.audit import drop_incomplete_line
from tests.e2e.cluster import Cluster
from tests.e2e.hook import Hook
from tests.e2e.installed import controller
from tests.e2e.proxy import MISBEHAVIOURS, PATIENCE, Proxy
from tests.e2e.work import Work
from toolkit.slow import short_or_whole

WRONG = 5
"""Number of failed requests after which a misbehaviour ends."""


@dataclass
class Scene:
    """The processes to break, and the work."""

    cluster: Cluster
    metacontroller: Process
    proxy: Proxy
    other: Hook
    work: Work
    asked: int = 0
    """How often Metacontroller was switched to another version of the hook."""


def _kill_metacontroller(scene: Scene) -> None:
    scene.metacontroller.restart(signal.SIGKILL)


def _kill_api_server(scene: Scene) -> None:
    server = scene.cluster.control_plane.apiserver
    server.stop(signal.SIGKILL)
    drop_incomplete_line(scene.cluster.audit_log)  # otherwise the next server continues it
    server.start()


def _stop_hook(scene: Scene) -> None:
    scene.cluster.hook.restart()


def _swap_hook(scene: Scene) -> None:
    """Serve the other version of the hook at the same address with another revision, as an upgrade does."""
    scene.asked += 1
    here, other = scene.cluster.url, scene.other.url
    scene.proxy.target = other if scene.proxy.target == here else here
    ask(scene.cluster, scene.proxy, scene.asked)


def _misbehave(how: str) -> Callable[[Scene], None]:
    def strike(scene: Scene) -> None:
        enough = scene.proxy.went_wrong[how] + WRONG
        scene.proxy.misbehaves = how
        scene.work.goes_on()
        scene.work.there.eventually(lambda: scene.proxy.went_wrong[how] >= enough)
        scene.proxy.misbehaves = ""

    return strike


class Fault(NamedTuple):
    """A fault, and how often it strikes."""

    times: int
    happen: Callable[[Scene], None]


FAULTS = {
    "Metacontroller killed": Fault(short_or_whole(2, 10), _kill_metacontroller),
    "API server killed": Fault(short_or_whole(1, 5), _kill_api_server),
    "hook stopped and started": Fault(short_or_whole(2, 10), _stop_hook),
    "hook of another version": Fault(short_or_whole(2, 10), _swap_hook),
    **{f"hook {how}": Fault(short_or_whole(1, 3), _misbehave(how)) for how in MISBEHAVIOURS},
}
"""All faults, by name."""


def strike_all(scene: Scene) -> None:
    """Strike all faults in turn, each during work."""
    for number in range(max(fault.times for fault in FAULTS.values())):
        for fault in FAULTS.values():
            if number < fault.times:
                scene.work.goes_on()
                fault.happen(scene)


def ask(cluster: Cluster, proxy: Proxy, revision: int = 0) -> None:
    """Configure Metacontroller to call the hook through *proxy*."""
    item = controller(proxy.url)
    for hook in item["spec"]["hooks"].values():
        hook["webhook"]["url"] += f"-{revision}"
        hook["webhook"]["timeout"] = f"{PATIENCE}s"
    cluster.client.apply(item)
