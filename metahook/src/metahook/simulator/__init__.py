"""Simulates a cluster in memory: an API server, Metacontroller and Kubernetes' own controllers, on a virtual clock.

The rule of this package: it behaves as the real components were observed to behave, and knows no MyResource. It is
deterministic: the same world and the same steps give the same history. No randomness, no input or output but the
file of built-in kinds, and no clock but its own.

    world            the cluster: the three packages below, the clock, the history, and what a user does
    clock            virtual time, and the timers in it
    history          every write, hook call and Event
    hook             how Metacontroller reaches the hook
    apiserver        the store: versions, built-in kinds, defaults, validation, server-side apply, watches
    metacontroller   the queue, the cache, claims, the customize cache, the two apply strategies
    controllers      Deployments, ReplicaSets, StatefulSets, a kubelet, garbage collection
    scenario         steps and expectations, as read from a file; ``runner`` runs them
    findings         the harm that a careless hook did, read from the history with ``evidence``, ``claimed_results``,
                     ``listed_children``, ``loops`` and ``purity``
    objects, path    Kubernetes objects as plain JSON, and paths into them

Imports protocol, to call a controller as Metacontroller does. Start at :mod:`metahook.simulator.world`.
"""

from metahook.simulator.metacontroller.settings import MODES, Mode, NotSimulated, Settings, UnknownResource
from metahook.simulator.objects import Key
from metahook.simulator.world import NeverQuiet, NoSuchObject, World

__all__ = [
    "MODES",
    "Key",
    "Mode",
    "NeverQuiet",
    "NoSuchObject",
    "NotSimulated",
    "Settings",
    "UnknownResource",
    "World",
]
