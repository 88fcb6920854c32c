"""Advice: the words for what is wrong with a container, and what to change for it.

Its own container is spoken of in the words of the spec. Others are added to the Pods by somebody else: an injector of
sidecars, or an admission policy. They are named, and said to be no part of the MyResource.
"""

import re
from dataclasses import replace

from app.api.probe import Probe
from app.api.resources import Resources
from app.api.spec import MyResourceSpec
from app.core.identity import CONTAINER
from app.core.references import Reference, references
from app.hooks import ContainerStatus

Words = dict[str, str]

_ASK = "ask whoever adds it to the Pods"

_HINTS = {
    0: "as if its work were done",
    126: "its command can't be executed",
    127: "its command is not found",
    128: "its command can't be started",
    137: "it is killed, perhaps as its liveness or startup probe fails",
    139: "it touches memory that is not its own",
    143: "it is told to stop, perhaps as its liveness or startup probe fails",
}
"""What exit codes mean. From 129 on it is 128 and the number of a signal; 128 itself is containerd's."""

_NO_OBJECT = re.compile(r'(?P<kind>configmap|secret) "(?P<name>[^"]+)" not found')
_NO_KEY = re.compile(r"couldn't find key (?P<key>\S+) in (?P<kind>ConfigMap|Secret) [^/\s]+/(?P<name>\S+)")
_AS_ROOT = "container has runAsNonRoot"
"""What the kubelet says. Source: Kubernetes, pkg/kubelet/kubelet_pods.go and kuberuntime/security_context.go."""


_PERIOD, _FAILURES = 10, 3
"""Seconds between two probes, and failures that count, where nobody says otherwise. Source: Kubernetes, Probe."""


def is_own(seen: ContainerStatus) -> bool:
    """Tell whether a container is the one that the MyResource asks for."""
    return seen.name == CONTAINER


def image(seen: ContainerStatus) -> Words:
    """Return the words for an image that can't be pulled."""
    own = "check spec.image, and spec.imagePullSecrets if its registry is private"
    return {"who": _who(seen), "remedy": own if is_own(seen) else _ASK}


def config(seen: ContainerStatus, message: str, spec: MyResourceSpec) -> Words:
    """Return the words for a container that can't be created, of which the kubelet says *message*."""
    why = _why(message, spec) if is_own(seen) else None
    return {"who": _who(seen), "why": why or "the node refuses its configuration"}


def memory(seen: ContainerStatus, spec: MyResourceSpec) -> Words:
    """Return the words for a container that took too much memory."""
    if not is_own(seen):
        return {"where": f"in container {seen.name}, which is not this MyResource's own", "remedy": _ASK}
    given = spec.resources or Resources()
    limits = given.limits or {}
    if "memory" not in {**(given.requests or {}), **limits}:
        return {"where": f"at {spec.memory}", "remedy": "raise spec.memory"}
    if "memory" not in limits:
        return {"where": "without a limit of its own", "remedy": "set spec.resources.limits.memory"}
    return {"where": f"at {limits['memory']}", "remedy": "raise spec.resources.limits.memory"}


def crash(seen: ContainerStatus, code: int) -> Words:
    """Return the words for a container that ends again and again with this exit *code*."""
    hint = f" ({_HINTS[code]})" if code in _HINTS else ""
    return {"who": _who(seen), "container": seen.name, "code": str(code), "hint": hint}


def probe(seen: ContainerStatus) -> Words:
    """Return the words for a container that runs and is not ready."""
    own = "check spec.readinessProbe, and what the application answers to it"
    return {"who": _who(seen), "remedy": own if is_own(seen) else _ASK}


def probe_takes(seen: ContainerStatus, spec: MyResourceSpec) -> int | None:
    """Return how many seconds after its start a container is ready at the latest; None if no probe says so.

    Others' probes are not known: they get what Kubernetes gives a probe by default.
    """
    if not is_own(seen):
        return _PERIOD * _FAILURES
    if spec.readiness_probe is None:
        return None
    return _takes(spec.startup_probe) + _takes(spec.readiness_probe, spec.readiness_probe.success_threshold or 1)


def _takes(asked: Probe | None, successes: int = 1) -> int:
    """Return how many seconds a probe takes to fail, or to succeed so many times, whichever is longer."""
    if asked is None:
        return 0
    each = max(asked.period_seconds or _PERIOD, asked.timeout_seconds or 1)
    return (asked.initial_delay_seconds or 0) + each * max(asked.failure_threshold or _FAILURES, successes)


def _who(seen: ContainerStatus) -> str:
    return f"Container {seen.name}" + ("" if is_own(seen) else ", which is not this MyResource's own,")


def _why(message: str, spec: MyResourceSpec) -> str | None:
    """Return what the kubelet's *message* says, in words of ours; None if it is about nothing in *spec*."""
    if _AS_ROOT in message and spec.security_profile == "Restricted":
        return "its image runs as root: use an image with a user, by number, or set spec.securityProfile to Baseline"
    missing = _missing(message, spec)
    return f"{missing} does not exist: create it, or mark its use in the spec as optional" if missing else None


def _missing(message: str, spec: MyResourceSpec) -> Reference | None:
    """Return what of all that *spec* uses the kubelet's *message* calls missing."""
    found = _NO_KEY.search(message) or _NO_OBJECT.search(message)
    if found is None:
        return None
    said = {"key": None, **found.groupdict()}
    used = (replace(used, key=said["key"]) for used in references(spec) if said["key"] in (None, used.key))
    asked = (str(said["kind"]).lower(), said["name"])
    return next((use for use in used if (use.kind.__name__.lower(), use.name) == asked and not use.optional), None)
