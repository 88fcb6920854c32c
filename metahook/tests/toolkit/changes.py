"""Changes: much that happens to one parent, which a careful hook bears without a finding."""

from contextlib import suppress
from typing import Any

from metahook.simulator.objects import Key
from metahook.simulator.world import NeverQuiet, World
from toolkit.worlds import DEPLOYMENT, Json, parent

CONFIG = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "config"}, "data": {"a": "1"}}
TAKEN = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "taken"},
    "spec": {"selector": {"app": "other"}, "ports": [{"port": 80}]},
}


def run_changes(cluster: World) -> World:
    """Create a parent, change it, edit its child, restart Metacontroller, wait; return the world."""

    def changed(**spec: Any) -> Json:
        return parent(kind=cluster.settings.parent, **{"image": "nginx:1", "replicas": 2, **spec})

    cluster.max_actions = 200  # one without findings needs 140 at most
    cluster.apply({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "elsewhere"}})
    cluster.apply(CONFIG)
    cluster.apply(TAKEN)
    cluster.apply(changed())
    rest(cluster, 300)
    cluster.apply(changed(image="nginx:2"))
    rest(cluster, 300)
    if cluster.api.get(DEPLOYMENT):
        cluster.edit(DEPLOYMENT, lambda item: item["spec"].update(replicas=7))
    rest(cluster, 300)
    cluster.metacontroller.restart()
    cluster.delete(Key("ConfigMap", "default", "config"))
    rest(cluster, 7200)
    return cluster


def rest(cluster: World, seconds: float) -> None:
    """Let time pass, also with a hook that never becomes quiet."""
    with suppress(NeverQuiet):
        cluster.run(seconds)
