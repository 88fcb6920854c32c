"""The events, in an order in which no timer of one falls into another.

Metacontroller can't take back a timer (``resyncAfterSeconds``), for example the minute after which a Deployment that
was not created is reported. A restart of its controller removes all timers, so a restart follows each rollout.
"""

from collections.abc import Callable, Iterator

from bench.scale.cluster import Cluster
from bench.scale.measurement import Event, Measurement
from bench.scale.operators import DEFAULT_RESYNC, BehindMetacontroller
from metahook.simulator.objects import Json
from tests.e2e.used import CONFIG

PLAIN: Json = {}
"""The spec of a MyResource, in addition to its image."""

Events = Callable[[Cluster], Iterator[Measurement]]


def created(cluster: Cluster, spec: Json = PLAIN) -> Measurement:
    """Create all MyResources at once, until all are Ready."""
    cluster.operator.processes[0].start()
    parents = cluster.parents
    event = Event("all are created", len(parents.names))
    return cluster.meter.measure(event, lambda: parents.create(spec), parents.are_ready)


def of_any_operator(cluster: Cluster) -> Iterator[Measurement]:
    """Yield the events that each operator knows."""
    yield created(cluster)
    yield _restarted(cluster)
    yield _resynced(cluster)


def of_this_operator(cluster: Cluster) -> Iterator[Measurement]:
    """Yield all events; raise TypeError if there is no Metacontroller."""
    operator, parents, meter = cluster.operator, cluster.parents, cluster.meter
    if not isinstance(operator, BehindMetacontroller):
        message = f"{operator.name} has no hook to upgrade"
        raise TypeError(message)
    size, half = len(parents.names), len(parents.half)
    yield created(cluster)
    yield _restarted(cluster)
    parents.mark()
    changes = Event("the spec of half changes", half, user_writes=half)
    yield meter.measure(changes, lambda: parents.change_half(CONFIG), parents.half_is_ready_again)
    operator.hook.restart()
    yield meter.measure(Event("the hook is upgraded", size), operator.change_revision, parents.are_ready)
    parents.mark()
    used = Event("a ConfigMap that half use changes", half)
    yield meter.measure(used, parents.change_config, parents.half_is_ready_again)
    yield _resynced(cluster)
    yield meter.measure(Event("all Pods fail", size), cluster.kubelet.fail_all, parents.have_failed)


def _restarted(cluster: Cluster) -> Measurement:
    """Restart the process that has the queue, until all MyResources were synced."""
    process, parents = cluster.operator.processes[0], cluster.parents
    process.stop()
    event = Event("the controller restarts", len(parents.names))
    return cluster.meter.measure(event, process.start, parents.are_ready)


def _resynced(cluster: Cluster) -> Measurement:
    """Let the resync period end once, and set the default one again."""
    operator, parents, meter = cluster.operator, cluster.parents, cluster.meter
    size = len(parents.names)
    period = 30 + size // 40
    meter.wait_for_syncs(operator.set_resync(period), size)
    event = Event("the resync period ends", size)
    done = meter.measure_next(event, parents.are_ready, within=2.0 * period)
    meter.wait_for_syncs(operator.set_resync(DEFAULT_RESYNC), size)
    return done
