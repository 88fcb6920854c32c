"""The diagnosis: what the Pods of the current rollout say of why it does not end, or why it will not last.

It gives a reason another name and message. It never makes Ready true, and no child depends on it. It makes Ready false
only for Pods that are unstable: ones that are ready for a moment now and then.
"""

from dataclasses import dataclass
from datetime import datetime

from app.api.spec import MyResourceSpec
from app.core.diagnosis.advice import Advice
from app.core.diagnosis.causes import Cause, causes
from app.core.diagnosis.disruptions import Disruptions, disruptions, ready_since
from app.core.diagnosis.revision import Revision, current, is_live
from app.core.timers import moment
from metahook import Deployment, Pod, Related


@dataclass(frozen=True)
class Diagnosis:
    """The cause that holds now, and when time alone may bring another."""

    cause: Cause | None = None
    changes_at: datetime | None = None
    stable: int | None = None
    """How many Pods are ready and stay so, as far as is known; None if that is all that are ready."""
    unstable_since: datetime | None = None
    """When the first Pod was created that is unstable, if one is."""
    failed_at: datetime | None = None
    """When one that is unstable failed last, as far as is known."""
    failed: int = 0
    """Pods that failed as a whole of late, and are being replaced."""


def diagnosis(related: Related, deployment: Deployment, spec: MyResourceSpec, now: datetime) -> Diagnosis:
    """Return what the Pods of *deployment*, which carries *spec*, say *now*.

    Of several causes the one with the lowest rank is reported, whatever the order of Pods.
    """
    found, advice = current(related, deployment), Advice(spec)
    by_pod = [(pod, list(causes(pod, found.sidecars, advice))) for pod in found.live]
    disrupted = disruptions(found, spec, now)
    every = [*(cause for _, of_pod in by_pod for cause in of_pod), *disrupted.causes]
    holding = [cause for cause in every if cause.holds(now)]
    said = min(holding, key=lambda cause: cause.rank, default=None)
    rivals = [cause for cause in every if said is None or cause.rank <= said.rank or cause.unstable]
    ahead = [each for cause in rivals for each in (cause.since, cause.until) if each and each > now]
    changes_at = min(ahead, default=None)
    if not any(cause.unstable for cause in holding):
        return Diagnosis(said, changes_at, failed=disrupted.failed)
    unstable = [pod for pod, of_pod in by_pod if any(each.unstable and each.holds(now) for each in of_pod)]
    unstable += [pod for pod in found.live if _is_suspect(pod, disrupted)]
    created = [moment(pod.metadata.creation_timestamp) for pod in unstable]
    since = min([each for each in (*created, disrupted.suspects_since) if each], default=None)
    failed_at = max((cause.failed_at for cause in holding if cause.unstable and cause.failed_at), default=None)
    return Diagnosis(said, changes_at, _stable(found, unstable), since, failed_at, disrupted.failed)


def _stable(found: Revision, unstable: list[Pod]) -> int:
    """Return how many of all Pods of the Deployment are ready, and not *unstable*."""
    without = {id(pod) for pod in unstable}
    ready = (pod for pod in found.deployment_pods if is_live(pod) and ready_since(pod))
    return sum(id(pod) not in without for pod in ready)


def _is_suspect(pod: Pod, disrupted: Disruptions) -> bool:
    """Tell whether *pod* was created since the disruptions that are repeated began."""
    created, since = moment(pod.metadata.creation_timestamp), disrupted.suspects_since
    return created is not None and since is not None and created >= since
