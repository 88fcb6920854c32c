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
from this package itself. Start at :mod:`metahook.simulator.world`.
"""

from metahook.simulator.apiserver.validation import ApiError as ApiError
from metahook.simulator.clock import START as START
from metahook.simulator.controllers.kubelet import Failure as Failure
from metahook.simulator.history import (
    Call as Call,
    Entry as Entry,
    Event as Event,
    History as History,
    Write as Write,
)
from metahook.simulator.hook import (
    Hook as Hook,
    Reply as Reply,
    Unreachable as Unreachable,
    in_process as in_process,
)
from metahook.simulator.metacontroller.children import with_last_applied as with_last_applied
from metahook.simulator.metacontroller.settings import (
    MODES as MODES,
    SERVED as SERVED,
    Mode as Mode,
    NotSimulated as NotSimulated,
    Settings as Settings,
    UnknownResource as UnknownResource,
)
from metahook.simulator.objects import (
    Json as Json,
    Key as Key,
    is_deleting as is_deleting,
    key_of as key_of,
    reference_to as reference_to,
    to_json as to_json,
    with_metadata as with_metadata,
)
from metahook.simulator.scenarios import (
    InvalidScenario as InvalidScenario,
    Scenario as Scenario,
    StepResult as StepResult,
    read_scenario as read_scenario,
    run_scenario as run_scenario,
)
from metahook.simulator.world import (
    NeverQuiet as NeverQuiet,
    NoSuchObject as NoSuchObject,
    World as World,
)
