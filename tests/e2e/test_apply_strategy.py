"""Metacontroller's ``--apply-strategy`` changes in both directions while specs lose fields; rollbacks of Deployments.

In the end a child equals a fresh one, or the status names the leftover fields and the command that removes them.
"""

import itertools
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from metahook.envtest.binaries import find_binaries
from metahook.simulator.metacontroller.settings import MODES, Mode
from metahook.simulator.objects import Json
from tests.e2e.cluster import Cluster, started
from tests.e2e.fresh import differences
from tests.e2e.namespace import Namespace
from tests.e2e.real_kubectl import RealKubectl
from tests.e2e.scenarios import STRATEGY_SCENARIOS, Simulated, Step
from tests.e2e.side_by_side import run_side_by_side

DYNAMIC, SERVER_SIDE = MODES

NUMBERS = itertools.count(1)

MINUTE = 100.0
"""Timeout in seconds for something that takes a minute; long, because the machine is shared."""

HTTP: Json = {"name": "http", "containerPort": 80}

FULL: Json = {
    "args": ["-x"],
    "env": [{"name": "A", "value": "1"}, {"name": "B", "value": "2"}],
    "ports": [HTTP, {"name": "more", "containerPort": 81}],
    "volumes": [{"name": "s", "secret": {"secretName": "s", "optional": True}}],
    "volumeMounts": [{"name": "s", "mountPath": "/s"}],
    "resources": {"limits": {"memory": "64Mi", "cpu": "100m"}, "requests": {"memory": "64Mi"}},
    "nodeSelector": {"a": "b"},
    "terminationGracePeriodSeconds": 60,
    "podMetadata": {"annotations": {"example.com/a": "1"}},
    "service": {"annotations": {"example.com/s": "1"}},
    "livenessProbe": {"tcpSocket": {"port": 80}},
}
LESS: Json = {
    **dict.fromkeys(FULL),
    "env": FULL["env"][:1],
    "ports": [HTTP],
    "resources": {"limits": {"cpu": None}},
}
"""A change that removes a field of each kind: a list, an item of a list, an entry of a map, a value with a default."""

EITHER_OR: Json = {
    "ports": [HTTP],
    "service": {"sessionAffinity": "ClientIP"},
    "env": [{"name": "A", "value": "1"}],
    "volumes": [{"name": "v", "emptyDir": {}}],
    "readinessProbe": {"httpGet": {"port": "http"}},
}
OR_ELSE: Json = {
    "strategy": {"type": "Recreate"},
    "service": None,
    "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
    "volumes": [{"name": "v", "configMap": {"name": "c", "optional": True}}],
    "readinessProbe": {"httpGet": None, "tcpSocket": {"port": 80}},
}
"""Fields that exclude a field of the earlier spec: the API server rejects an object with both."""

OF_THE_POD: Json = {
    "runAsUser": 101,
    "runAsGroup": 102,
    "fsGroup": 103,
    "readOnlyRootFilesystem": True,
    "capabilities": {"add": ["NET_BIND_SERVICE"]},
    "lifecycle": {"postStart": {"httpGet": {"port": 80}}, "preStop": {"exec": {"command": ["quit"]}}},
    "dnsConfig": {
        "nameservers": ["192.0.2.1", "192.0.2.2"],
        "searches": ["a.example.com"],
        "options": [{"name": "ndots", "value": "2"}, {"name": "edns0"}],
    },
    "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["a", "b"]}, {"ip": "192.0.2.2", "hostnames": ["c"]}],
    "initContainers": [
        {"name": "a", "image": "a:1", "args": ["-x"], "env": [{"name": "A", "value": "1"}]},
        {"name": "b", "image": "b:1", "restartPolicy": "Always", "livenessProbe": {"tcpSocket": {"port": 80}}},
        {"name": "d", "image": "d:1", "restartPolicy": "Always", "ports": [{"name": "a", "containerPort": 90}]},
        {"name": "c", "image": "c:1", "restartPolicy": "Always", "lifecycle": {"preStop": {"sleep": {"seconds": 5}}}},
    ],
}
OTHERS_OF_THE_POD: Json = {
    "runAsUser": 201,
    "runAsGroup": None,
    "fsGroup": None,
    "readOnlyRootFilesystem": None,
    "capabilities": None,
    "lifecycle": {"postStart": None, "preStop": {"exec": None, "sleep": {"seconds": 5}}},
    "dnsConfig": {"nameservers": ["192.0.2.2"], "searches": None, "options": [{"name": "edns0"}]},
    "hostAliases": [{"ip": "192.0.2.1", "hostnames": ["b"]}],
    "initContainers": [
        {"name": "b", "image": "b:2"},
        {"name": "d", "image": "d:1"},
        {"name": "c", "image": "c:1", "cpu": "1"},
    ],
}

CHANGES: dict[str, tuple[Json, Json]] = {
    "pod": (OF_THE_POD, OTHERS_OF_THE_POD),
    "fields": (FULL, LESS),
    "unions": (EITHER_OR, OR_ELSE),
    "protocol": ({"ports": [HTTP]}, {"ports": [{**HTTP, "protocol": "UDP"}]}),
    "service-port": (
        {"ports": [{**HTTP, "servicePort": 8000}, {"name": "more", "containerPort": 81, "servicePort": 80}]},
        {"ports": [HTTP, {"name": "more", "containerPort": 81}]},
    ),
    "propagated": ({"propagate": {"labels": ["team"]}}, {"propagate": None}),
    "renumbered": ({"ports": [HTTP]}, {"ports": [{**HTTP, "containerPort": 8080}]}),
}


class Site:
    """A cluster in which the apply strategy of Metacontroller can change."""

    def __init__(self, cluster: Cluster) -> None:
        self._processes = {mode: cluster.metacontroller(mode) for mode in MODES}
        self._running: Mode | None = None
        self.cluster = cluster

    def applies(self, mode: Mode) -> None:
        """Restart Metacontroller with the apply strategy *mode*."""
        self.stops()
        self._running = mode
        self._processes[mode].start()

    def stops(self) -> None:
        """Stop Metacontroller, if it runs."""
        running, self._running = self._running, None
        if running:
            self._processes[running].stop()


@pytest.fixture(name="site", scope="module")
def _site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    cluster = Cluster(find_binaries(), tmp_path_factory.mktemp("strategy"))
    with started(cluster):
        site = Site(cluster)
        yield site
        site.stops()


class Changing(Namespace):
    """A namespace as a stage of a scenario in which the apply strategy changes."""

    def __init__(self, site: Site, name: str) -> None:
        super().__init__(site.cluster, name)
        self._site = site

    def applies(self, mode: Mode) -> None:
        """Restart Metacontroller with another strategy, and wait until it has applied all children again."""
        done = self.since()
        self._site.applies(mode)
        self.eventually(lambda: self.find("MyResource") is None or done.looked_at("web"))


@pytest.mark.parametrize("steps", STRATEGY_SCENARIOS.values(), ids=list(STRATEGY_SCENARIOS))
def test_a_scenario_with_a_strategy_change_equals_the_simulated_one(site: Site, steps: list[Step]) -> None:
    site.applies(DYNAMIC)
    stage = Changing(site, f"life{next(NUMBERS)}")

    real, expected = run_side_by_side(steps, stage, Simulated(DYNAMIC))

    assert real.steps == expected.steps
    assert real.writes == expected.writes


def is_fresh(here: Namespace, name: str) -> None:
    assert differences(here, name) == []
    assert here.touched(name).writes == []


@pytest.fixture(name="there", scope="module")
def _there(site: Site) -> Namespace:
    """Return a namespace whose children dynamic-apply created, and whose specs lost fields under server-side apply."""
    site.applies(DYNAMIC)
    made = Namespace(site.cluster, "there")
    for name, (before, _) in CHANGES.items():
        made.make(name, labels={"team": "red"}, **before)
    made.make("cleared", **FULL)
    made.make("kept", **FULL)
    for name in (*CHANGES, "cleared", "kept"):
        made.wait_until_ready(name)
    pods = made.pods("kept")
    site.applies(SERVER_SIDE)
    made.wait_until_quiet(2)
    assert made.pods("kept") == pods
    _clear(made)
    for name, (_, after) in CHANGES.items():
        made.change(name, **after)
    made.change("cleared", **LESS)
    made.make("undone", **FULL)
    made.wait_until_ready("undone")
    made.change("undone", **LESS)
    made.wait_until_ready("undone")
    made.undo(1, "undone")
    return made


def _clear(here: Namespace) -> None:
    """Remove the old field manager's entries of one MyResource, as docs/clusters/scale.md does for all."""
    for kind, name in (("Deployment", "cleared-deployment"), ("Service", "cleared")):
        here.eventually(partial(_is_applied, here, kind, name))
        item = here.get(kind, name)
        kept = [entry for entry in item["metadata"]["managedFields"] if not _is_old(entry)]
        assert len(kept) < len(item["metadata"]["managedFields"])
        here.client.replace({**item, "metadata": {**item["metadata"], "managedFields": kept}})


def _is_applied(here: Namespace, kind: str, name: str) -> bool:
    """Tell whether Metacontroller has applied an object with server-side apply."""
    return any(entry["operation"] == "Apply" for entry in here.get(kind, name)["metadata"]["managedFields"])


def _is_old(entry: dict[str, Any]) -> bool:
    return (entry["manager"], entry["operation"], entry.get("subresource")) == ("metacontroller", "Update", None)


def test_a_change_of_the_apply_strategy_alone_changes_nothing(there: Namespace) -> None:
    there.wait_until_ready("kept")

    is_fresh(there, "kept")


@pytest.mark.parametrize("name", [*CHANGES, "undone"])
def test_the_command_of_the_message_removes_fields_that_server_side_apply_leaves(
    site: Site, there: Namespace, name: str
) -> None:
    """The command of the message, and of each further message, until the MyResource is Ready."""
    there.wait_for_status("Failed", "LeftoverFields", name, MINUTE)
    kubectl = RealKubectl(site.cluster.control_plane.kubeconfig("admin"))
    while there.state_and_reason(name) == ("Failed", "LeftoverFields"):
        kubectl.run(there.message(name).partition("Remove them: ")[2], "")
        there.wait_until_quiet(2)
    there.wait_until_ready(name)

    is_fresh(there, name)


def test_fields_are_removed_once_the_old_field_manager_is_removed(there: Namespace) -> None:
    there.wait_until_ready("cleared")

    is_fresh(there, "cleared")
    assert ("Failed", "LeftoverFields") not in there.history("cleared")
