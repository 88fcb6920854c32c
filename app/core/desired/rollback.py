"""Rollbacks: the last image that was Ready comes back in place of the one in the spec, which stays as it is.

Two annotations of the Deployment hold what the image depends on. One is the last image that was Ready. The other is the
decision: for which spec it was made, and why. It is written together with the image, it is in each response for as long
as it holds, and it holds until the spec changes. Neither is in the Pod template, so neither restarts Pods.
"""

import hashlib
import re
from typing import NamedTuple

import msgspec

from app.api.scalars import is_image
from app.api.spec import MyResourceSpec
from app.core.child_metadata import READY_IMAGE, ROLLBACK
from app.core.reasons import PROGRESS_DEADLINE_EXCEEDED
from metahook import Deployment, Parent

_DECISION = re.compile("(?P<stamp>[0-9]{1,18}-[^/]{1,8})/(?P<spec_hash>[0-9a-f]{16})/(?P<failure>[A-Za-z]{0,64})")

_HARMLESS = ("autoscaling", "replicas", "schedule", "suspend")
"""Fields whose change makes no image better: the number of Pods, and whether the children are left as they are."""


class PreviousReadiness(NamedTuple):
    """What the previous status says, which can be old or lost."""

    was_ever_ready: bool
    was_available: bool
    """Whether this generation was Ready because its Pods were available, and not because there were none."""
    was_rolled_back: bool
    """Whether this generation was rolled back."""


class Rollback(NamedTuple):
    """What the Deployment remembers, if there is anything: each is the value of an annotation."""

    ready_image: str | None = None
    decision: str | None = None

    @property
    def image(self) -> str | None:
        """The image that comes back, if that was decided."""
        return self.ready_image if self.decision else None

    @property
    def failure(self) -> str:
        """The reason of Ready for which it was decided, if that is known."""
        decision = _DECISION.fullmatch(self.decision or "")
        return decision["failure"] if decision else ""

    @property
    def annotations(self) -> dict[str, str]:
        values = {READY_IMAGE: self.ready_image, ROLLBACK: self.decision}
        return {name: value for name, value in values.items() if value}


def observed_rollback(
    parent: Parent, spec: MyResourceSpec, deployment: Deployment | None, previous: PreviousReadiness
) -> Rollback | None:
    """Return what the observed *deployment* remembers that holds for *spec*; None if the spec asks for no rollbacks.

    The status was written after the annotations. So if they do not have what it says of this generation, the Deployment
    is an old one, from a cache that lags behind.
    """
    if spec.rollback is None or spec.rollback.mode == "Disabled":
        return None
    if previous.was_available:
        return Rollback(spec.image)
    image = deployment.metadata.annotation(READY_IMAGE) if deployment else None
    if deployment is None or image is None or not is_image(image):
        return Rollback()
    decision = deployment.metadata.annotation(ROLLBACK) or ""
    return Rollback(image, None if image == spec.image else _held(decision, parent, previous))


def _held(text: str, parent: Parent, previous: PreviousReadiness) -> str | None:
    """Return the observed decision *text* as it is written for this generation of *parent*, if it still holds."""
    decision = _DECISION.fullmatch(text)
    if decision and decision["stamp"] == _stamp(parent):
        return text
    if decision and decision["spec_hash"] == _spec_hash(parent):
        return decide_rollback(parent, decision["failure"])
    return decide_rollback(parent, PROGRESS_DEADLINE_EXCEEDED.name) if previous.was_rolled_back else None


def decide_rollback(parent: Parent, failure: str) -> str:
    """Return the decision to roll back the current spec of *parent* because of a *failure*, a reason of Ready."""
    return f"{_stamp(parent)}/{_spec_hash(parent)}/{failure}"


def _stamp(parent: Parent) -> str:
    return f"{parent.generation}-{parent.uid[:8]}"


def _spec_hash(parent: Parent) -> str:
    spec = {field: value for field, value in msgspec.json.decode(parent.spec).items() if field not in _HARMLESS}
    return hashlib.sha256(msgspec.json.encode([parent.uid, spec], order="sorted")).hexdigest()[:16]
