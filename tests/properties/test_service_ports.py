"""Ports of the Service: whatever changes, each leads to a port on which a ready Pod listens, as long as there is one.

A Pod listens on the ports that it declares. The target of a port is resolved for each Pod, as Kubernetes does it.
Source: Kubernetes, pkg/api/pod/util.go, ``FindPort``.
"""

import itertools
from dataclasses import dataclass, field
from typing import TypeGuard

import msgspec
import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from app.api.reading import InvalidSpec, read
from app.core.desired import desired_state
from metahook.simulator.controllers.pod_status import is_ready
from metahook.simulator.history import Entry, Write
from metahook.simulator.hook import Reply
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Key, is_deleting
from metahook.simulator.world import World
from tests.requests.builders import Json
from tests.simulated.worlds import SERVICE, Since, both_modes, parent, ready, synced, world
from toolkit.slow import short_or_whole

Port = tuple[int, str]
"""Number and protocol of a port of the Service."""

WRITES = 2
"""Writes of the Service for a change of the spec."""

REST = 60.0
"""Seconds after which a world is at rest, also with a rollout that is stuck."""

LATE = 1.0
"""Seconds until the write of a Service that can't lead to old and new Pods at once, after the last old Pod is gone."""


def number_in(pod: Json, target: int | str, protocol: str) -> int | None:
    """Return the port of *pod* to which *target* leads, if it listens there."""
    sidecars = [each for each in pod["spec"].get("initContainers", []) if each.get("restartPolicy") == "Always"]
    ports = [port for each in (*pod["spec"]["containers"], *sidecars) for port in each.get("ports", [])]
    field_ = "name" if isinstance(target, str) else "containerPort"
    found = (each for each in ports if each.get(field_) == target and each.get("protocol", "TCP") == protocol)
    return next((each["containerPort"] for each in found), None)


def targets_of(ports: list[Json]) -> dict[Port, int | str]:
    """Return the targets of the Service for *ports* of a spec, once all Pods are of that spec."""
    keys = [(each.get("servicePort") or each["containerPort"], each.get("protocol", "TCP")) for each in ports]
    return dict(zip(keys, [each.get("name") or each["containerPort"] for each in ports], strict=True))


@dataclass
class Judge:
    """Follows the Service and its Pods, write by write."""

    pods: dict[Key, Json] = field(default_factory=dict)
    """The ready Pods."""
    targets: dict[Port, int | str] = field(default_factory=dict)
    served: set[Port] = field(default_factory=set)
    """The ports that must lead to a ready Pod: those that did at rest, for as long as the Service has them."""
    steady: dict[Port, int | str] = field(default_factory=dict)
    """The targets that all specs since then have."""
    edits: int = 0
    """Changes since then. With two, three kinds of Pods can have no target in common, and nothing tells them apart."""
    lost: dict[Port, float] = field(default_factory=dict)
    """Since when others have led to none although there is one."""
    wrong: list[str] = field(default_factory=list)
    gaps: int = 0
    """How often that took a moment."""
    compared: int = 0
    """How often a port led to a ready Pod."""

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

    def rest(self, ports: list[Json]) -> None:
        """Note that the world is at rest with these *ports*."""
        self.served = {port for port in self.targets if self._is_served(port)}
        self.steady, self.edits = targets_of(ports), 0

    def edit(self, ports: list[Json]) -> None:
        """Note that the *ports* change."""
        self.steady = dict(self.steady.items() & targets_of(ports).items())
        self.edits += 1

    def _judge(self, entry: Write) -> None:
        self.served &= self.targets.keys()
        self.lost = {port: since for port, since in self.lost.items() if port in self.targets}
        for port, target in self.targets.items():
            is_served = self._is_served(port)
            if port in self.lost and (is_served or not self.pods):
                self._end(port, entry)
            elif port in self.served and self.pods and not is_served:
                self.served.remove(port)
                self.lost[port] = entry.at
                if entry.key.kind == "Service" or isinstance(self.steady.get(port), str):
                    self.wrong.append(f"{entry.at:.2f} {entry}: no ready Pod listens on {target} of {port}")
            self.compared += is_served

    def _is_served(self, port: Port) -> bool:
        return any(number_in(pod, self.targets[port], port[1]) for pod in self.pods.values())

    def _end(self, port: Port, entry: Write) -> None:
        """Judge a gap: with the last old Pod gone, the next write of the Service ends it, or all Pods are gone."""
        self.served.add(port)
        seconds = entry.at - self.lost.pop(port)
        self.gaps += 1
        if self.edits < 2 and (seconds > LATE or (self.pods and entry.key.kind != "Service")):
            self.wrong.append(f"{entry.at:.2f} {entry}: for {seconds:.2f} s no ready Pod listened on {port}")


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
        st.sampled_from([0.0, 0.02, 0.5, 1.2, 2.5, REST]),
    ),
    min_size=1,
    max_size=5,
)
DELAYS = st.lists(st.sampled_from([0.001, 0.005, 0.02, 0.3]), min_size=5, max_size=5)


def live(mode: Mode, first: list[Json], life: list[Edit], delays: list[float]) -> tuple[World, Judge]:
    """Return a world, and its judge, in which the ports *first* became those of *life*, with caches that are late."""
    made, judge = world(mode), Judge()
    made.history.listeners.append(judge.follow)
    late = itertools.cycle(delays)
    made.metacontroller.cache.delays = lambda _: [next(late)]
    made.apply(parent(**FIXED, ports=first))
    made.run(REST)
    judge.rest(first)
    for ports, more, gap in life:
        judge.edit(ports)
        made.apply(parent(**{**FIXED, **more}, ports=ports))
        made.run(gap)
        if gap == REST:
            judge.rest(ports)
    return made, judge


def check(mode: Mode, first: list[Json], life: list[Edit], delays: list[float]) -> Judge:
    """Fail if a port leads to no ready Pod, or not to where the last spec says in the end."""
    made, judge = live(mode, first, life, delays)
    ports = life[-1][0]
    made.run(300)
    assert not judge.wrong, judge.wrong
    made.apply(parent(**FIXED, image="nginx:3", ports=ports))
    made.run(300)

    assert not judge.wrong, judge.wrong
    assert not judge.lost
    assert ready(made) == ("True", "Available")
    assert judge.targets == targets_of(ports)
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


def is_service(entry: Entry) -> TypeGuard[Write]:
    return isinstance(entry, Write) and entry.key.kind == "Service" and entry.changed and entry.after is not None


def test_the_judge_finds_a_service_that_is_ahead_of_its_pods(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(desired_state, "service_ports", lambda desired, *_: (desired, desired))
    ports, others = [[{"servicePort": 80, "containerPort": number}] for number in (8080, 8081)]

    _, judge = live("dynamic-apply", ports, [(others, {}, REST)], [0.005])

    assert [each.partition(": ")[2] for each in judge.wrong] == [
        "no ready Pod listens on 8081 of (80, 'TCP')",
        "for 2.54 s no ready Pod listened on (80, 'TCP')",
    ]


WAYS: dict[str, tuple[list[Json], list[Json], list[int | str]]] = {
    "another number of a name": (
        [{"name": "http", "containerPort": 80, "servicePort": 80}],
        [{"name": "http", "containerPort": 81, "servicePort": 80}],
        ["http"],
    ),
    "two numbers change places": (
        [{"name": "a", "containerPort": 80, "servicePort": 1}, {"name": "b", "containerPort": 81, "servicePort": 2}],
        [{"name": "a", "containerPort": 81, "servicePort": 1}, {"name": "b", "containerPort": 80, "servicePort": 2}],
        ["a"],
    ),
    "a name is added": ([{"containerPort": 80}], [{"name": "http", "containerPort": 80}], [80, "http"]),
    "another name": ([{"name": "a", "containerPort": 80}], [{"name": "b", "containerPort": 80}], ["a", 80, "b"]),
    "a name is removed": ([{"name": "a", "containerPort": 80}], [{"containerPort": 80}], ["a", 80]),
    "another number": (
        [{"containerPort": 80, "servicePort": 1}],
        [{"containerPort": 81, "servicePort": 1}],
        [80, 81],
    ),
    "another number, also of the Service": ([{"containerPort": 80}], [{"containerPort": 81}], [80, 81]),
    "a name and another number": (
        [{"containerPort": 80, "servicePort": 1}],
        [{"name": "http", "containerPort": 81, "servicePort": 1}],
        [80, "http"],
    ),
}


@both_modes
@pytest.mark.parametrize(("before", "after", "targets"), WAYS.values(), ids=WAYS)
def test_the_target_of_a_port_takes_few_steps(
    mode: Mode, before: list[Json], after: list[Json], targets: list[int | str]
) -> None:
    made, judge = live(mode, before, [(after, {}, 0.0)], [0.005])
    done = Since(made)
    made.run(REST)

    writes = [(each.after or {})["spec"]["ports"][0]["targetPort"] for each in made.history.entries if is_service(each)]
    assert [target for target, _ in itertools.groupby(writes)] == targets
    assert done.writes.count("apply Service web") + done.writes.count("update Service web") <= WRITES
    assert not judge.wrong


@both_modes
@pytest.mark.parametrize("image", ["nginx:bad", "nginx:crash"])
def test_old_pods_serve_while_a_rollout_is_stuck(mode: Mode, image: str) -> None:
    ports, others = [[{"servicePort": 80, "containerPort": number}] for number in (8080, 8081)]
    _, judge = live(mode, ports, [(others, {"image": image}, REST)], [0.005])

    assert judge.targets == {(80, "TCP"): 8080}
    assert not judge.wrong


@both_modes
@pytest.mark.parametrize("hold_up", [{"suspend": True}, {"volumeMounts": [{"name": "nowhere", "mountPath": "/a"}]}])
def test_a_service_that_is_kept_follows_a_rollout_that_has_begun(mode: Mode, hold_up: Json) -> None:
    ports, others = [[{"servicePort": 80, "containerPort": number}] for number in (8080, 8081)]
    _, judge = live(mode, ports, [(others, {}, 0.5), (others, hold_up, REST)], [0.005])

    assert judge.targets == {(80, "TCP"): 8081}
    assert not judge.wrong


@both_modes
def test_a_target_that_another_client_sets_is_reverted_and_while_suspended_left(mode: Mode) -> None:
    ports, others = [[{"servicePort": 80, "containerPort": number}] for number in (8080, 8081)]
    made, judge = live(mode, ports, [(others, {"image": "nginx:bad"}, REST)], [0.005])
    set_target(made, 9999)
    made.run(1)
    assert judge.targets == {(80, "TCP"): 8080 if mode == "dynamic-apply" else 8081}

    made.apply(parent(**FIXED, ports=others, suspend=True))
    made.run(1)
    set_target(made, 9999)
    made.run(REST)
    assert judge.targets == {(80, "TCP"): 9999}


def set_target(made: World, number: int) -> None:
    made.edit(SERVICE, lambda item: item["spec"]["ports"][0].update(targetPort=number))


@both_modes
def test_an_upgrade_from_numbers_to_names_changes_the_service_alone_and_stays_ready(mode: Mode) -> None:
    made = world(mode)
    later = made.metacontroller.hook

    def earlier(hook: str, body: bytes) -> Reply:
        reply = later(hook, body.replace(b'"targetPort":8080', b'"targetPort":"http"'))
        return Reply(reply.status, reply.body.replace(b'"targetPort":"http"', b'"targetPort":8080'))

    made.metacontroller.hook = earlier
    made.apply(parent(**FIXED, ports=[{"name": "http", "containerPort": 8080}]))
    made.run(REST)
    assert target(made) == 8080
    assert ready(made) == ("True", "Available")
    done = Since(made)
    made.metacontroller.hook = later
    made.metacontroller.restart()
    made.run(REST)

    assert target(made) == "http"
    assert [write.split()[1] for write in done.writes] == ["Service"]
    assert synced(made).writes == []


def target(made: World) -> int | str:
    found: int | str = made.get(SERVICE)["spec"]["ports"][0]["targetPort"]
    return found
