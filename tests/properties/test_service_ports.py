"""Ports of the Service: whatever changes, each leads to a port on which a ready Pod listens, as long as there is one.

A Pod listens on the ports that it declares. The target of a port is resolved for each Pod, as Kubernetes does it.
Source: Kubernetes, pkg/api/pod/util.go, ``FindPort``.
"""

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from app.api.schema.reading import InvalidSpec, read
from app.core.desired import target_ports
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.history import Entry, Write
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key, is_deleting
from metahook.simulator.world import World
from tests.requests.builders import Json
from tests.simulated.worlds import DEPLOYMENT, SERVICE, Since, both_modes, parent, ready, synced, world
from toolkit.slow import short_or_whole

Port = tuple[int, str]
"""Number and protocol of a port of the Service."""

LATE = 1.0
"""Seconds for which a port with a number may lead to no Pod: the last old Pod is gone, and the write arrives later."""

WRITES = 2
"""Writes of the Service for a change of the spec."""


def number_in(pod: Json, target: int | str, protocol: str) -> int | None:
    """Return the port of *pod* to which *target* leads, if it listens there."""
    sidecars = [each for each in pod["spec"].get("initContainers", []) if each.get("restartPolicy") == "Always"]
    ports = [port for each in (*pod["spec"]["containers"], *sidecars) for port in each.get("ports", [])]
    field_ = "name" if isinstance(target, str) else "containerPort"
    found = (each for each in ports if each.get(field_) == target and each.get("protocol", "TCP") == protocol)
    return next((each["containerPort"] for each in found), None)


@dataclass
class Judge:
    """Follows the Service and its Pods, write by write."""

    pods: dict[Key, Json] = field(default_factory=dict)
    targets: dict[Port, int | str] = field(default_factory=dict)
    served: set[Port] = field(default_factory=set)
    """The ports that lead to a ready Pod. A new one counts once it has led to all Pods, of one template."""
    lost: dict[Port, float] = field(default_factory=dict)
    """Since when others have led to none although there is one."""
    wrong: list[str] = field(default_factory=list)
    gaps: int = 0
    """How often a port with a number led to no Pod for a moment."""
    compared: Counter[str] = field(default_factory=Counter)
    """How often the judge decided something."""

    def follow(self, entry: Entry) -> None:
        """Judge what was written."""
        if not isinstance(entry, Write) or not entry.changed or entry.key.kind not in ("Pod", "Service"):
            return
        if entry.key.kind == "Pod":
            self.pods.pop(entry.key, None)
            if entry.after and is_ready(entry.after) and not is_deleting(entry.after):
                self.pods[entry.key] = entry.after
        else:
            ports = entry.after["spec"]["ports"] if entry.after else []
            self.targets = {(each["port"], each["protocol"]): each["targetPort"] for each in ports}
        self._judge(entry)

    def _judge(self, entry: Write) -> None:
        self.served &= self.targets.keys()
        for port in self.lost.keys() - self.targets.keys():
            del self.lost[port]
        for port, target in self.targets.items() if self.pods else ():
            found = [number_in(pod, target, port[1]) for pod in self.pods.values()]
            templates = {pod["metadata"]["labels"]["pod-template-hash"] for pod in self.pods.values()}
            if any(found):
                self.compared["served"] += 1
                if all(found) and len(templates) == 1:
                    self.served.add(port)
                if (since := self.lost.pop(port, None)) is not None:
                    self.served.add(port)
                    self._end(port, target, entry.at - since)
            elif port in self.served:
                self.served.remove(port)
                self.lost[port] = entry.at
                if isinstance(target, str) or entry.key.kind == "Service":
                    self.wrong.append(f"{entry.at:.2f} {entry}: no ready Pod listens on {target} of {port}")

    def _end(self, port: Port, target: int | str, seconds: float) -> None:
        self.gaps += 1
        if seconds > LATE:
            self.wrong.append(f"for {seconds:.2f} s no ready Pod listened on {target} of {port}")


NAMES = [None, "a", "b"]
PORTS = st.fixed_dictionaries(
    {"containerPort": st.sampled_from([80, 81, 82])},
    optional={
        "name": st.sampled_from(["a", "b"]),
        "servicePort": st.sampled_from([80, 1000, 2000]),
        "protocol": st.sampled_from(["TCP", "TCP", "UDP"]),
    },
)
MORE: list[Json] = [
    *[{}] * 6,
    {"replicas": 1},
    {"replicas": 4},
    {"replicas": 0},
    {"strategy": {"type": "Recreate"}},
    {"suspend": True},
    {"volumeMounts": [{"name": "nowhere", "mountPath": "/a"}]},
    {"image": "nginx:crash"},
    {"image": "nginx:bad"},
    {"rollback": {"mode": "LastReady"}, "image": "nginx:2"},
]
"""What changes besides the ports: with one of them the spec is invalid, with others Pods never become ready."""

FIXED: Json = {"replicas": 3, "progressDeadlineSeconds": 30, "readinessProbe": {"exec": {"command": ["true"]}}}


def valid(ports: list[Json]) -> bool:
    return not isinstance(read("web", msgspec.json.encode({"image": "a", "ports": ports})), InvalidSpec)


Edit = tuple[list[Json], Json, float]
edits: st.SearchStrategy[list[Edit]] = st.lists(
    st.tuples(
        st.lists(PORTS, min_size=1, max_size=2).filter(valid),
        st.sampled_from(MORE),
        st.sampled_from([0.0, 0.02, 0.5, 1.2, 2.5, 60.0]),
    ),
    min_size=1,
    max_size=5,
)
DELAYS = st.lists(st.sampled_from([0.001, 0.005, 0.02, 0.3]), min_size=5, max_size=5)


def live(mode: Mode, first: list[Json], life: list[Edit], delays: list[float]) -> tuple[World, Judge]:
    """Return a world, and its judge, in which the ports *first* became those of *life*, with caches that are late."""
    made, judge = world(mode), Judge()
    made.history.listeners.append(judge.follow)
    late: Iterator[float] = itertools.cycle(delays)
    made.metacontroller.cache.delays = lambda _: [next(late)]
    made.apply(parent(**FIXED, ports=first))
    made.run(60)
    for ports, more, gap in life:
        made.apply(parent(**{**FIXED, **more}, ports=ports))
        made.run(gap)
    return made, judge


def check(mode: Mode, first: list[Json], life: list[Edit], delays: list[float]) -> Judge:
    """Fail if a port leads to no ready Pod, or not to where the last spec says in the end."""
    made, judge = live(mode, first, life, delays)
    written = Since(made)
    ports = life[-1][0]
    made.run(300)
    assert not judge.wrong, judge.wrong
    made.apply(parent(**FIXED, image="nginx:3", ports=ports))
    made.run(300)

    assert not judge.wrong, judge.wrong
    assert not judge.lost
    assert ready(made) == ("True", "Available")
    targets = [each.get("name") or each["containerPort"] for each in ports]
    keys = [(each.get("servicePort", each["containerPort"]), each.get("protocol", "TCP")) for each in ports]
    assert judge.targets == dict(zip(keys, targets, strict=True))
    done = Since(made)
    made.run(700)
    assert done.writes == synced(made).writes == []
    return judge


@pytest.mark.slow
@both_modes
@settings(max_examples=short_or_whole(12, 600), phases=[Phase.generate])
@given(first=st.lists(PORTS, min_size=1, max_size=2).filter(valid), life=edits, delays=DELAYS)
def test_a_port_leads_to_a_ready_pod_whatever_changes(
    mode: Mode, first: list[Json], life: list[Edit], delays: list[float]
) -> None:
    check(mode, first, life, delays)
