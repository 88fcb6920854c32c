"""The events, in an order in which no timer of one falls into another, and the runs that they are parts of.

Metacontroller can't take back a timer (``resyncAfterSeconds``), for example the minute after which a Deployment that
was not created is reported. A restart of its controller removes all timers, so a restart follows each rollout.
"""

from collections.abc import Iterator

from bench.scale.cluster import Cluster
from bench.scale.installation import DEFAULT_RESYNC
from bench.scale.measurement import Event, Measurement
from metahook.simulator.objects import Json
from tests.e2e.used import CONFIG, PORTS

PLAIN: Json = {}
"""The spec of a MyResource, in addition to its image: one rule, for its Pods."""
OTHER_IMAGE: Json = {"image": "nginx:1.28"}
WITH_RULES: Json = {**PORTS, **CONFIG}
"""Three rules: its Service, its Pods and its ConfigMap."""
RELATED = 1000
"""Changes of a ConfigMap that no MyResource uses: events of a related kind, which each Metacontroller receives."""


def created(cluster: Cluster, spec: Json = PLAIN) -> Measurement:
    """Create all MyResources at once, until all are Ready."""
    parents = cluster.parents
    event = Event("all are created", len(parents.names))
    return cluster.meter.measure(event, lambda: parents.create(spec), parents.are_ready)


def alone(cluster: Cluster) -> Iterator[Measurement]:
    """Yield the creation alone."""
    cluster.installation.start()
    yield created(cluster)


def image_changed(cluster: Cluster) -> Measurement:
    """Change the image of all MyResources, until all are Ready again."""
    parents = cluster.parents
    size = len(parents.names)
    parents.mark()
    event = Event("the image of all changes", size, user_writes=size)
    return cluster.meter.measure(event, lambda: parents.change_all(OTHER_IMAGE), parents.are_ready_again)


def first_events(cluster: Cluster) -> Iterator[Measurement]:
    """Yield the events that concern all and write the most."""
    yield from alone(cluster)
    yield image_changed(cluster)


def every_event(cluster: Cluster) -> Iterator[Measurement]:
    """Yield all events of an operator without shards."""
    installation, parents, meter = cluster.installation, cluster.parents, cluster.meter
    size, half = len(parents.names), len(parents.half)
    installation.start()
    yield created(cluster)
    yield _restarted(cluster)
    parents.mark()
    changes = Event("the spec of half changes", half, user_writes=half)
    yield meter.measure(changes, lambda: parents.change_half(CONFIG), parents.half_is_ready_again)
    installation.hook.restart()
    yield meter.measure(Event("the hook is upgraded", size), installation.change_revision, parents.are_ready)
    parents.mark()
    used = Event("a ConfigMap that half use changes", half)
    yield meter.measure(used, parents.change_config, parents.half_is_ready_again)
    yield _resynced(cluster)
    yield meter.measure(Event("all Pods fail", size), cluster.kubelet.fail_all, parents.have_failed)


def of_shards(cluster: Cluster) -> Iterator[Measurement]:
    """Yield the events that the model needs: related ones with few and with all MyResources, creation and restart.

    There is a MyResource of each shard from the beginning, so that each Metacontroller watches the related kinds.
    """
    cluster.installation.start()
    first = Event("the first of each shard are created", cluster.installation.shards)
    cluster.meter.measure(first, lambda: cluster.parents.create_first(WITH_RULES), cluster.parents.are_ready)
    yield _related(cluster)
    yield created(cluster, WITH_RULES)
    yield _related(cluster)
    yield _restarted(cluster)


def _related(cluster: Cluster) -> Measurement:
    event = Event(f"{RELATED:,} related events", 0)
    return cluster.meter.measure(event, lambda: cluster.parents.change_unused(RELATED), lambda: True)


def _restarted(cluster: Cluster) -> Measurement:
    """Restart the Metacontrollers, until all MyResources were synced."""
    installation, parents = cluster.installation, cluster.parents
    installation.stop()
    event = Event("Metacontroller restarts", len(parents.names))
    return cluster.meter.measure(event, installation.start, parents.are_ready)


def _resynced(cluster: Cluster) -> Measurement:
    """Let the resync period end once, and set the default one again."""
    installation, parents, meter = cluster.installation, cluster.parents, cluster.meter
    size = len(parents.names)
    period = 30 + size // 40
    meter.wait_for_syncs(installation.set_resync(period), size)
    event = Event("the resync period ends", size)
    done = meter.measure_next(event, parents.are_ready, within=2.0 * period)
    meter.wait_for_syncs(installation.set_resync(DEFAULT_RESYNC), size)
    return done
