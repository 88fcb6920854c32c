"""Simulates a cluster in memory: an API server, Metacontroller and Kubernetes' own controllers, on a virtual clock.

The rule of this package: it behaves as the real components were observed to behave, and knows no MyResource. It is
deterministic: the same world and the same steps give the same history. No randomness, no input or output but the
file of built-in kinds, and no clock but its own.

    scenarios         steps and expectations, as read from a file, and what runs them
    world             the cluster: all of the below, and what a user does to it
    findings          the harm that a careless hook did, read from the history
    metacontroller    the queue, the cache, claims, the customize cache, the two apply strategies
    controllers       Deployments, ReplicaSets, StatefulSets, a kubelet, an autoscaler, garbage collection
    apiserver         the store: versions, built-in kinds, defaults, validation, server-side apply, watches
    history           every write, hook call and Event
    clock             virtual time, and the timers in it
    hook              how Metacontroller reaches the hook
    objects           Kubernetes objects as plain JSON, and the keys that identify them

Imports point down this list, and to protocol, to call a controller as Metacontroller does. What others need is imported
from this package itself, each name at its first use. Start at :mod:`metahook.simulator.world`.
"""

from typing import TYPE_CHECKING

from metahook.door import opener

if TYPE_CHECKING:
    from metahook.simulator.apiserver.validation import ApiError as ApiError
    from metahook.simulator.clock import START as START
    from metahook.simulator.controllers.pod_lifecycle import Failure as Failure
    from metahook.simulator.history import Call as Call
    from metahook.simulator.history import Entry as Entry
    from metahook.simulator.history import Event as Event
    from metahook.simulator.history import History as History
    from metahook.simulator.history import Write as Write
    from metahook.simulator.hook import Hook as Hook
    from metahook.simulator.hook import Reply as Reply
    from metahook.simulator.hook import Unreachable as Unreachable
    from metahook.simulator.hook import in_process as in_process
    from metahook.simulator.metacontroller.dynamic_apply import with_last_applied as with_last_applied
    from metahook.simulator.metacontroller.settings import MODES as MODES
    from metahook.simulator.metacontroller.settings import SERVED as SERVED
    from metahook.simulator.metacontroller.settings import Mode as Mode
    from metahook.simulator.metacontroller.settings import NotSimulated as NotSimulated
    from metahook.simulator.metacontroller.settings import Settings as Settings
    from metahook.simulator.metacontroller.settings import UnknownResource as UnknownResource
    from metahook.simulator.objects import Json as Json
    from metahook.simulator.objects import Key as Key
    from metahook.simulator.objects import is_deleting as is_deleting
    from metahook.simulator.objects import key_of as key_of
    from metahook.simulator.objects import reference_to as reference_to
    from metahook.simulator.objects import to_json as to_json
    from metahook.simulator.objects import with_metadata as with_metadata
    from metahook.simulator.scenarios.runner import StepResult as StepResult
    from metahook.simulator.scenarios.runner import run_scenario as run_scenario
    from metahook.simulator.scenarios.scenario import InvalidScenario as InvalidScenario
    from metahook.simulator.scenarios.scenario import Scenario as Scenario
    from metahook.simulator.scenarios.scenario import read_scenario as read_scenario
    from metahook.simulator.world import NeverQuiet as NeverQuiet
    from metahook.simulator.world import NoSuchObject as NoSuchObject
    from metahook.simulator.world import World as World
else:
    _NAMES = {
        "apiserver.validation": ("ApiError",),
        "clock": ("START",),
        "controllers.pod_lifecycle": ("Failure",),
        "history": ("Call", "Entry", "Event", "History", "Write"),
        "hook": ("Hook", "Reply", "Unreachable", "in_process"),
        "metacontroller.dynamic_apply": ("with_last_applied",),
        "metacontroller.settings": ("MODES", "SERVED", "Mode", "NotSimulated", "Settings", "UnknownResource"),
        "objects": ("Json", "Key", "is_deleting", "key_of", "reference_to", "to_json", "with_metadata"),
        "scenarios.runner": ("StepResult", "run_scenario"),
        "scenarios.scenario": ("InvalidScenario", "Scenario", "read_scenario"),
        "world": ("NeverQuiet", "NoSuchObject", "World"),
    }
    __all__ = [name for names in _NAMES.values() for name in names]
    __getattr__, __dir__ = opener(__name__, _NAMES)
