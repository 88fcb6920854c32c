"""metahook: Metacontroller hooks in Python. A hook is a pure function; metahook does everything around it.

    commands   the door for another command line: a program bound to one controller
    cli        the command metahook, which tries any hook without a cluster
    testing    parents that Hypothesis generates from a CRD, and fixtures for pytest
    envtest    runs controllers on a real control plane with Metacontroller, for tests
    record     records the requests to a hook, as a proxy in front of it
    server     serves controllers over HTTP: limits, health, refusals
    simulator  a cluster with Metacontroller in it, in memory, on a virtual clock
    kinds      Deployment, Service, Ingress, HTTPRoute, PodDisruptionBudget, HorizontalPodAutoscaler, ConfigMap, Secret,
               Pod and Namespace as observed
    protocol   Metacontroller's requests and responses, drift, repair, stale requests, and the gate to the cluster

The rule of this package: it knows no kind of parent, and imports nothing of the operator that uses it. Imports point
down this list; the server and the simulator do not know each other.

Nouns: a *controller* is what a hook author writes, *serve* runs it. Each package has its own in its docstring.

The names here are those of ``metahook.names``, and need msgspec alone; the first one that is used imports all, as a
command that prints its help uses none. What serves a controller is in ``metahook.server``, with the extra ``server``;
``extras`` has what to install for a package that is missing.
"""

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from metahook.names import *  # noqa: F403 - they are all the names here
else:

    def __getattr__(name: str) -> object:
        """Return *name* of ``metahook.names``."""
        names = vars(import_module("metahook.names"))
        if name not in names:
            message = f"module {__name__!r} has no attribute {name!r}"
            raise AttributeError(message)
        globals()[name] = names[name]
        return names[name]


__version__ = "0.4.0.dev0"
