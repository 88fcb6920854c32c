"""What the Deployment remembers of its Pod templates, in annotations, because the status of a MyResource can be old.

What the status of a Deployment says is about the template that its controller has observed last. Two records tell
whether that is the one it has. Each is made from what one version of the Deployment shows, and is repeated from it.

A new annotation is a new generation of a Deployment, as a new template is. The record of the template that was rolled
out tells that a generation that was not observed yet is no news of the Pods.
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
        self._desired = desired
        self._rollout = rollout
        self._children = children
        self.is_kept = desired.replicas.is_autoscaled or desired.rollback is not None
        """Whether the Deployment is to remember its template, once that is rolled out, with the writes that follow."""
        self._record: str | None = None
        self.is_rolled_out = False
        """Whether the Deployment has the record that its template was rolled out."""
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
        self._record = deployment.metadata.annotation(ROLLED_OUT_TEMPLATE)
        self.is_rolled_out = self._record is not None and self._record == template_hash(deployment)
        if desired.rollback is not None:
            self._read_failure(deployment, rollout.late_since, is_drifted=is_drifted)

    def _read_failure(self, deployment: Deployment, late_since: str | None, *, is_drifted: bool) -> None:
        record = _FAILURE.fullmatch(deployment.metadata.annotation(EARLIER_FAILURE) or "")
        is_recorded = record is not None and record["time"] == late_since
        if late_since and is_drifted and not is_recorded:
            self.earlier_failure = f"{late_since}/{template_hash(deployment)}"
        elif record:
            self.earlier_failure = record[0]
            self.is_failure_earlier = is_recorded and record["template"] != template_hash(deployment)

    def annotations(self, *, is_written: bool) -> dict[str, str]:
        """Return the annotations of the Deployment, of which the response also *is_written* otherwise, or not.

        The hash of the template and its revision, once it was rolled out, is worth a write of its own only with an
        autoscaler, which changes the number of Pods, and is written with the image that rollbacks are for. The response
        drops it with a change of the template, because a later one can bring the same template back. Where another user
        or controller changed that, the revision differs.
        """
        values = {ROLLED_OUT_TEMPLATE: self._rolled_out(is_written=is_written), EARLIER_FAILURE: self.earlier_failure}
        return {name: value for name, value in values.items() if value}

    def _rolled_out(self, *, is_written: bool) -> str | None:
        deployment, rollout = self._rollout.deployment, self._rollout
        is_worth_it = self._desired.replicas.is_autoscaled or (is_written and self.is_kept)
        is_done = is_worth_it and rollout.is_sound and not rollout.is_not_yet_observed
        if deployment is None or not (is_done or self._record) or not _has_template(self._desired, self._children):
            return None
        return template_hash(deployment) if is_done else self._record


def template_hash(deployment: Deployment) -> str:
    """Return the hash of the Pod template of an observed *deployment* and its revision. Scaling changes neither."""
    template, revision = (deployment.spec or {}).get("template"), deployment.metadata.annotation(REVISION)
    return hashlib.sha256(msgspec.json.encode([template, revision], order="sorted")).hexdigest()[:_LENGTH]


def _has_template(desired: DesiredState, children: Children) -> bool:
    """Tell whether the observed Deployment has the desired Pod template."""
    manifests = (child for child in desired.children if child["kind"] == Deployment.KIND.kind)
    only = ({**each, "spec": {"template": each["spec"]["template"]}} for each in manifests)
    return not any(drifted_field(each, children) for each in only)
