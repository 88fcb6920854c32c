"""A cluster whose MyResources are split into shards, each with a Metacontroller of its own."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import yaml

from app.api.names import SHARD_LABEL as LABEL
from charts.rendering import rendered
from metahook.envtest.cluster import with_hooks_at
from metahook.envtest.process import Process
from metahook.simulator.metacontroller.settings import Mode
from metahook.simulator.objects import Json
from tests.e2e.cluster import Cluster
from tests.e2e.watched import values

CONTROLLER = "CompositeController"


def controllers(hook: str, shards: int) -> list[Json]:
    """Return the CompositeControllers that the chart makes for so many *shards*, with the URL *hook*."""
    text = rendered({**values(secrets=False), "shards": shards})["compositecontroller.yaml"]
    address = hook.removeprefix("http://")
    return [with_hooks_at(address, item) for item in yaml.safe_load_all(text)]


def split(cluster: Cluster, shards: int) -> None:
    """Change the number of *shards* as ``helm upgrade`` does: apply in the order of names, then delete the rest."""
    desired = controllers(cluster.url, shards)
    for item in desired:
        cluster.client.apply(item)
    names = {item["metadata"]["name"] for item in desired}
    for item in cluster.client.all(CONTROLLER, ""):
        if item["metadata"]["name"] not in names:
            cluster.client.delete(CONTROLLER, "", item["metadata"]["name"])


@contextmanager
def metacontrollers(cluster: Cluster, mode: Mode, shards: int, folder: Path) -> Iterator[list[Process]]:
    """Run a Metacontroller for each shard, with the flags of docs/clusters/scale.md; yield them by shard."""
    with ExitStack() as stack:
        made = [cluster.metacontroller(mode) for _ in range(shards)]
        for shard, process in enumerate(made):
            process.command.append(f"--target-label-selector={target(shard, shards)}")
            process.log = folder / f"metacontroller-{shard}.log"
            stack.callback(process.stop)
            process.start()
        yield made


def target(shard: int, shards: int) -> str:
    """Return the selector of a shard's Metacontroller; that of shard 0 also runs the controllers without the label."""
    others = ",".join(f"{LABEL}!={other}" for other in range(1, shards))
    return f"{LABEL}={shard}" if shard else others
