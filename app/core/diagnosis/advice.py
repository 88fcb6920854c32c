"""Advice: what is wrong with a Pod or a container of it, and what to change.

For the container of the MyResource, a remedy names fields of the spec, and only those that can be the cause in *this*
spec. Other containers are added to the Pods by a sidecar injector or an admission policy: the message names them, and
says that they are not part of the MyResource.
"""

import re
from dataclasses import replace
from functools import cached_property

from app.api.probe import Probe
from app.api.resources import Resources
from app.api.spec import MyResourceSpec
from app.core.child_metadata import CONTAINER
from app.core.desired.references import Reference, references
from metahook import ContainerStatus

Words = dict[str, str]

_ASK = "check the sidecar injector or policy that adds this container"

_HINTS = {
    0: "it completed",
    126: "its command can't be executed",
    127: "its command was not found",
    137: "killed by SIGKILL",
    139: "segmentation fault",
    143: "stopped by SIGTERM",
}
"""What exit codes mean. From 129 on a code is 128 and the number of a signal."""

_STOPS = {
    0: "it completed, or {} failed",
    137: "killed by SIGKILL, perhaps because {} failed",
    143: "stopped by SIGTERM, perhaps because {} failed",
}
"""What those codes mean, with which the kubelet may have ended a container, where the spec has such a probe."""

_NO_OBJECT = re.compile(r'(?P<kind>configmap|secret) "(?P<name>[^"]+)" not found')
_NO_KEY = re.compile(r"couldn't find key (?P<key>\S+) in (?P<kind>ConfigMap|Secret) [^/\s]+/(?P<name>\S+)")
_AS_ROOT = "container has runAsNonRoot"
"""What the kubelet says. Source: Kubernetes, pkg/kubelet/kubelet_pods.go and kuberuntime/security_context.go."""

_REQUESTS = {"spec.cpu": "cpu", "spec.memory": "memory", "spec.resources": "resources"}
"""What a node must have free, by the fields of the spec."""

_CONSTRAINTS = {
    "spec.nodeSelector": "node_selector",
    "spec.affinity": "affinity",
    "spec.topologySpreadConstraints": "topology_spread_constraints",
}
"""What a node must match, by the fields of the spec."""

_PERIOD, _FAILURES = 10, 3
"""Seconds between two probes, and failures that count, where nobody says otherwise. Source: Kubernetes, Probe."""


def is_own(seen: ContainerStatus) -> bool:
    """Tell whether a container is the one that the MyResource asks for."""
    return seen.name == CONTAINER


class Advice:
    """Advice for the Pods of one *spec*. Make one for a sync: it reads the spec's references only once."""

    def __init__(self, spec: MyResourceSpec) -> None:
        self._spec = spec

    @property
    def min_ready_seconds(self) -> int:
        """Seconds that a Pod is ready before it counts as available."""
        return self._spec.min_ready_seconds or 0

    def image(self, seen: ContainerStatus) -> Words:
        """Return the words for an image that can't be pulled."""
        return {"who": _who(seen), "problem": "can't pull its image", "remedy": self._pull() if is_own(seen) else _ASK}

    def absent_image(self, seen: ContainerStatus) -> Words:
        """Return the words for an image that is not on the node and that the pull policy keeps from being pulled."""
        own = "load the image onto every node, or set spec.imagePullPolicy to IfNotPresent"
        problem = "has no image on its node, and its imagePullPolicy is Never"
        return {"who": _who(seen), "problem": problem, "remedy": own if is_own(seen) else _ASK}

    def _pull(self) -> str:
        if self._spec.image_pull_secrets:
            return "check spec.image, and the Secrets in spec.imagePullSecrets"
        return "check spec.image, and set spec.imagePullSecrets if the registry is private"

    def config(self, seen: ContainerStatus, message: str) -> Words:
        """Return the words for a container that can't be created, of which the kubelet says *message*."""
        why = self._why(message) if is_own(seen) else None
        return {"who": _who(seen), "why": why or "the node refuses its configuration"}

    def start(self, seen: ContainerStatus) -> Words:
        """Return the words for a container whose command can't be started."""
        own = "check spec.command" if self._spec.command else "its image has no working command: set spec.command"
        return {"who": _who(seen), "remedy": own if is_own(seen) else _ASK}

    def memory(self, seen: ContainerStatus) -> Words:
        """Return the words for a container that took too much memory."""
        if not is_own(seen):
            return {"who": _who(seen), "where": "", "remedy": _ASK}
        given = self._spec.resources or Resources()
        limits = given.limits or {}
        if "memory" not in {**(given.requests or {}), **limits}:
            return {"who": _who(seen), "where": f" at its {self._spec.memory} limit", "remedy": "raise spec.memory"}
        if "memory" not in limits:
            remedy = "set spec.resources.limits.memory"
            return {"who": _who(seen), "where": " without a memory limit", "remedy": remedy}
        remedy = "raise spec.resources.limits.memory"
        return {"who": _who(seen), "where": f" at its {limits['memory']} limit", "remedy": remedy}

    def crash(self, seen: ContainerStatus, code: int) -> Words:
        """Return the words for a container that keeps exiting with this *code*.

        A failed probe is in the events of the Pod, and not in the logs.
        """
        probes = self._restarting_probes() if is_own(seen) and code in _STOPS else ""
        hint = _STOPS[code].format(probes) if probes else _HINTS.get(code)
        logs = {"command": "logs", "options": f" -c {seen.name} --previous --ignore-errors"}
        look = {"command": "describe pods", "options": ""} if probes else logs
        return {"who": _who(seen), "code": str(code), "hint": f" ({hint})" if hint else "", **look}

    def _restarting_probes(self) -> str:
        """Return the fields of the probes whose failure restarts the container; nothing if there are none."""
        probes = {"livenessProbe": self._spec.liveness_probe, "startupProbe": self._spec.startup_probe}
        return " or ".join(f"spec.{name}" for name, probe in probes.items() if probe)

    def probe(self, seen: ContainerStatus) -> Words:
        """Return the words for a container that runs and is not ready."""
        own = "check spec.readinessProbe, and how the application answers it"
        return {"who": _who(seen), "remedy": own if is_own(seen) else _ASK}

    def scheduling(self) -> Words:
        """Return the words for a Pod that fits no node."""
        fields = [field for field, name in _CONSTRAINTS.items() if getattr(self._spec, name)]
        claims = any(volume.persistent_volume_claim for volume in self._spec.volumes or [])
        return {
            "requests": _listed([field for field, name in _REQUESTS.items() if getattr(self._spec, name)]),
            "constraints": f", no node matches {_listed(fields)}" if fields else "",
            "claims": ", no node can mount the claims in spec.volumes" if claims else "",
        }

    def probe_takes(self, seen: ContainerStatus) -> int | None:
        """Return how many seconds after its start a container is ready at the latest; None if no probe says so.

        Others' probes are not known: they get what Kubernetes gives a probe by default.
        """
        if not is_own(seen):
            return _PERIOD * _FAILURES
        if self._spec.readiness_probe is None:
            return None
        successes = self._spec.readiness_probe.success_threshold or 1
        return _takes(self._spec.startup_probe) + _takes(self._spec.readiness_probe, successes)

    def _why(self, message: str) -> str | None:
        """Return what the kubelet's *message* says, in words of ours; None if it is about nothing in the spec."""
        if _AS_ROOT in message and self._spec.security_profile == "Restricted":
            return "its image runs as root: use a numeric non-root user, or set spec.securityProfile to Baseline"
        missing = self._missing(message)
        return f"{missing} does not exist: create it, or mark its use in the spec as optional" if missing else None

    def _missing(self, message: str) -> Reference | None:
        """Return what of all that the spec uses the kubelet's *message* calls missing: an object, or a key of one."""
        found = _NO_KEY.search(message) or _NO_OBJECT.search(message)
        if found is None:
            return None
        said = {"key": None, **found.groupdict()}
        return self._required.get((str(said["kind"]).lower(), str(said["name"]), said["key"]))

    @cached_property
    def _required(self) -> dict[tuple[str, str, str | None], Reference]:
        """All that the spec can't do without: each object, and each key of one."""
        needed = [use for use in references(self._spec) if not use.optional]
        uses = [*(replace(use, key=None) for use in needed), *(use for use in needed if use.key is not None)]
        return {(use.kind.KIND.kind.lower(), use.name, use.key): use for use in uses}


def _takes(asked: Probe | None, successes: int = 1) -> int:
    """Return how many seconds a probe takes to fail, or to succeed so many times, whichever is longer."""
    if asked is None:
        return 0
    each = max(asked.period_seconds or _PERIOD, asked.timeout_seconds or 1)
    return (asked.initial_delay_seconds or 0) + each * max(asked.failure_threshold or _FAILURES, successes)


def _listed(fields: list[str]) -> str:
    *first, last = fields
    return f"{', '.join(first)} and {last}" if first else last


def _who(seen: ContainerStatus) -> str:
    return f"Container {seen.name}" + ("" if is_own(seen) else ", which is not part of this MyResource,")
