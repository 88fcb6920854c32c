"""What the Deployment remembers of its Pod templates, in annotations, because the status of a MyResource can be old.

What the status of a Deployment says is about the template that its controller has observed last. Two records tell
whether that is the one it has. Each is made from what one version of the Deployment shows, and is repeated from it.
"""

import hashlib
import re

import msgspec

from app.core.child_metadata import EARLIER_FAILURE, REVISION, ROLLED_OUT_TEMPLATE
from app.core.desired.desired_state import DesiredState
from app.core.rollout import Rollout
from metahook import Children, Deployment, drifted_field

_LENGTH = 16
"""Hexadecimal digits."""

_FAILURE = re.compile(f"(?P<time>[^/]{{20,35}})/(?P<template>[0-9a-f]{{{_LENGTH}}})")


class TemplateRecords:
    """The records of the observed Deployment, if there is one, for the *desired* state; empty ones are None."""

    def __init__(self, desired: DesiredState, rollout: Rollout, children: Children, *, is_drifted: bool) -> None:
        self.rolled_out: str | None = None
        """The hash of the template and its revision, once it was rolled out, for an autoscaled Deployment.

        The response drops it with the first change of the template, because a later one can bring the same template
        back. If that change is not observed, as by server-side apply of an old one, the revision differs.
        """
        self.is_rolled_out = False
        """Whether the Deployment has this record of the template that it has."""
        self.earlier_failure: str | None = None
        """When the Deployment, while it was to be changed, reported a failure, and of which template.

        The Deployment controller reports it until the new template makes progress, which takes a while if a ReplicaSet
        is used again. A later failure has another time.
        """
        self.is_failure_earlier = False
        """Whether the failure that the Deployment reports is that of another template than the one that it has."""
        deployment = rollout.deployment
        if deployment is None:
            return
        if desired.replicas.is_autoscaled:
            self._read_rolled_out(deployment, desired, rollout, children)
        if desired.rollback is not None:
            self._read_failure(deployment, rollout.late_since, is_drifted=is_drifted)

    def _read_rolled_out(
        self, deployment: Deployment, desired: DesiredState, rollout: Rollout, children: Children
    ) -> None:
        observed = template_hash(deployment)
        self.is_rolled_out = deployment.metadata.annotation(ROLLED_OUT_TEMPLATE) == observed
        is_done = rollout.is_sound and not rollout.is_not_yet_observed
        if (self.is_rolled_out or is_done) and _has_template(desired, children):
            self.rolled_out = observed

    def _read_failure(self, deployment: Deployment, late_since: str | None, *, is_drifted: bool) -> None:
        record = _FAILURE.fullmatch(deployment.metadata.annotation(EARLIER_FAILURE) or "")
        is_recorded = record is not None and record["time"] == late_since
        if late_since and is_drifted and not is_recorded:
            self.earlier_failure = f"{late_since}/{template_hash(deployment)}"
        elif record:
            self.earlier_failure = record[0]
            self.is_failure_earlier = is_recorded and record["template"] != template_hash(deployment)

    @property
    def annotations(self) -> dict[str, str]:
        """The annotations of the Deployment."""
        values = {ROLLED_OUT_TEMPLATE: self.rolled_out, EARLIER_FAILURE: self.earlier_failure}
        return {name: value for name, value in values.items() if value}


def template_hash(deployment: Deployment) -> str:
    """Return the hash of the Pod template of an observed *deployment* and its revision. Scaling changes neither."""
    template, revision = (deployment.spec or {}).get("template"), deployment.metadata.annotation(REVISION)
    return hashlib.sha256(msgspec.json.encode([template, revision], order="sorted")).hexdigest()[:_LENGTH]


def _has_template(desired: DesiredState, children: Children) -> bool:
    """Tell whether the observed Deployment has the desired Pod template."""
    manifests = (child for child in desired.children if child["kind"] == Deployment.KIND.kind)
    only = ({**each, "spec": {"template": each["spec"]["template"]}} for each in manifests)
    return not any(drifted_field(each, children) for each in only)
