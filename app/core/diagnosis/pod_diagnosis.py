"""The diagnosis: what the Pods of the current rollout say of why it does not end, or why it will not last.

It gives a reason another name and message. It never makes Ready true, and no child depends on it, except that it tells
whether a rollback can help. It makes Ready false only for Pods that are unstable: ones that are ready for a moment now
and then.
"""

from datetime import datetime

from msgspec import Struct

from app.api.spec import MyResourceSpec
from app.core.diagnosis.advice import Advice
from app.core.diagnosis.causes import Cause, causes
from app.core.diagnosis.disruptions import Disruptions, disruptions
from app.core.diagnosis.revision import Revision, current, is_live, ready_since
from app.core.timers import parse_time
from metahook import Deployment, Pod


class Diagnosis(Struct, frozen=True):
    """The cause that holds now, and when time alone may bring another."""

    cause: Cause | None = None
    changes_at: datetime | None = None
    changed_at: datetime | None = None
    """When time alone last brought, or ended, a cause that makes Pods unstable."""
    stable_pods: int | None = None
    """How many Pods are ready and stay so, as far as is known; None if no Pod is unstable."""
    unstable_since: datetime | None = None
    """When the first Pod was created that is unstable, if one is."""
    last_failure_at: datetime | None = None
    """When one that is unstable failed last, as far as is known."""
    failed_pods: int = 0
    """Pods that failed as a whole recently; each of them is being replaced."""


NOTHING_KNOWN = Diagnosis()


def diagnose_pods(pods: list[Pod], deployment: Deployment, spec: MyResourceSpec, now: datetime) -> Diagnosis:
    """Return what the *pods* of *deployment* say *now*, in the words of *spec*; others are ignored.

    Of several causes the one with the lowest rank is reported, independently of the order of Pods.
    """
    revision = current(pods, deployment)
    if not revision.pods:
        return NOTHING_KNOWN
    advice = Advice(spec)
    by_pod = [(pod, list(causes(pod, revision.sidecars, advice))) for pod in revision.live]
    disrupted = disruptions(revision, spec, now)
    every = [*(cause for _, of_pod in by_pod for cause in of_pod), *disrupted.causes]
    holding = [cause for cause in every if cause.holds(now)]
    reported = min(holding, key=lambda cause: cause.rank, default=None)
    timed = [cause for cause in every if cause.since or cause.until]
    rivals = [cause for cause in timed if cause.is_unstable or reported is None or cause.rank <= reported.rank]
    ahead = [time for cause in rivals for time in (cause.since, cause.until) if time and time > now]
    changes_at = min(ahead, default=None)
    times = [time for cause in timed if cause.is_unstable for time in (cause.since, cause.until)]
    changed_at = max([time for time in times if time and time <= now], default=None)
    if not any(cause.is_unstable for cause in holding):
        return Diagnosis(reported, changes_at, changed_at, failed_pods=disrupted.failed)
    unstable = [pod for pod, of_pod in by_pod if any(cause.is_unstable and cause.holds(now) for cause in of_pod)]
    unstable += [pod for pod in revision.live if _is_suspect(pod, disrupted)]
    created = [parse_time(pod.metadata.creation_timestamp) for pod in unstable]
    failures = [cause.failed_at for cause in holding if cause.is_unstable and cause.failed_at]
    return Diagnosis(
        cause=reported,
        changes_at=changes_at,
        changed_at=changed_at,
        stable_pods=_stable_pods(revision, unstable),
        unstable_since=min([time for time in (*created, disrupted.suspects_since) if time], default=None),
        last_failure_at=max(failures, default=None),
        failed_pods=disrupted.failed,
    )


def _stable_pods(revision: Revision, unstable: list[Pod]) -> int:
    """Return how many of all Pods of the Deployment are ready, and not *unstable*."""
    unstable_ids = {id(pod) for pod in unstable}
    ready = (pod for pod in revision.deployment_pods if is_live(pod) and ready_since(pod))
    return sum(id(pod) not in unstable_ids for pod in ready)


def _is_suspect(pod: Pod, disrupted: Disruptions) -> bool:
    """Tell whether *pod* was created since the disruptions that are repeated began."""
    if disrupted.suspects_since is None:
        return False
    created = parse_time(pod.metadata.creation_timestamp)
    return created is not None and created >= disrupted.suspects_since
