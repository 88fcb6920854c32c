"""Transitions: since when each condition has its status.

A request can be stale: Metacontroller's cache can lack the last status, or several. If the time of the sync counted,
each sync with an old status would give the same transition another time. So the time is that of what is observed,
where the request shows it: the API server and the Deployment controller set such times, and the same objects show the
same time. Where nothing shows it, as when an object is missing, the clock of the hook decides.

The API server records when it stored the last status. What is not later than that is no evidence that a condition has
changed since: an object need not show yet what others show. A time in that status that is later is of a wrong clock.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from functools import cached_property
from itertools import chain

from app.core.facts import Facts, may_have_scaled
from app.core.status.condition_type import ParentCondition
from app.core.status.conditions import CONDITIONS
from app.core.timers import after, format_time, parse_time
from metahook import last_change

_OF_ROLLOUT = {each.TYPE.name for each in CONDITIONS if each.TYPE.is_of_rollout}

_AHEAD = timedelta(hours=1)
"""A time that is further in the future is a mistake, and not another clock."""


def transition_times(facts: Facts, conditions: Iterable[ParentCondition]) -> list[str]:
    """Return the ``lastTransitionTime`` of each of the *conditions*."""
    transitions = _Transitions(facts)
    return [transitions.since(condition) for condition in conditions]


class _Transitions:
    """Since when the conditions of the parent have their status, as *facts* show it."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._previous = facts.previous_status
        self._latest = facts.now + _AHEAD
        self._is_updated = self._previous.is_of_other_generation and not facts.desired.is_kept

    def since(self, condition: ParentCondition) -> str:
        """Return the ``lastTransitionTime`` of *condition*."""
        earlier, stored_at = self._previous.conditions.get(condition.type), self._previous.stored_at
        began = self._previous.times.get(condition.type)
        before = self._credible(began)
        is_ahead = before is not None and before > self._previous.latest
        if earlier is None or earlier.status != condition.status or began is None:
            last = [stored_at] if is_ahead else [before, stored_at]
            return self._changed(condition, max([time for time in last if time], default=None), self._lost(condition))
        # It can have changed away from this status and back, in statuses that the request lacks.
        lost = self._lost(condition, before)
        if (self._is_updated and _follows_update(condition)) or (before and lost and lost > before):
            return self._changed(condition, before, lost)
        if is_ahead and stored_at and lost != before:
            return format_time(stored_at)
        return earlier.last_transition_time

    def _changed(self, condition: ParentCondition, last: datetime | None, lost: datetime | None) -> str:
        """Return when *condition* got its status: the first evidence after *last*, when the status had another one.

        The first of all is when it *lost* the status last, as far as an object shows it.
        """
        # Times are in whole seconds. Of Pods the Deployment may not tell in the second in which it was written.
        first = last + timedelta(seconds=condition.type != "Progressing") if last else None
        for shown in chain([lost], self._evidence(condition, is_new=last is None)):
            if shown and shown <= self._latest and (first is None or shown >= first):
                return format_time(shown)
        return format_time(max(self._now(), last) if last else self._now())

    def _lost(self, condition: ParentCondition, unchanged: datetime | None = None) -> datetime | None:
        """Return when *condition* had another status last, as far as an object shows it.

        According to the previous status, it is *unchanged* since then.
        """
        facts = self._facts
        if condition.type == "Progressing":
            is_waking = facts.is_changing_state and condition.status == "True"
            return self._credible(facts.rollout.changed_at) if is_waking else None
        if condition.type == "Available" and condition.status == "False":
            is_shown = not (facts.has_unstable_pods or facts.rollout.was_never_available)
            return self._credible(self._available_since("False")) if is_shown else None
        if condition.status != "True" or condition.type not in {"Ready", "Available"}:
            return None
        deployment = None if facts.is_changing_state else facts.rollout.deployment
        # Then the Deployment can have been unavailable only because it was scaled up.
        is_scaled = (
            facts.desired.replicas.is_autoscaled
            and deployment
            and may_have_scaled(deployment, facts.children, unchanged)
        )
        times = [] if is_scaled else [self._available_since("True")]
        if condition.type == "Ready" and facts.rollout.is_complete:
            # A child that is missing, or that has another template, is a drift.
            created = [child.metadata.creation_timestamp for child in facts.children]
            times += [facts.rollout.reported_at, *map(parse_time, (*created, facts.desired.config.created_at))]
        return max([time for time in times if time and time <= self._latest], default=None)

    def _evidence(self, condition: ParentCondition, *, is_new: bool) -> Iterator[datetime | None]:
        """Yield when *condition* changed, as what it is about shows it: the most exact evidence first."""
        facts, rollout = self._facts, self._facts.rollout
        if condition.type not in _OF_ROLLOUT:
            return
        if condition.type == "Available" and not (is_new and condition.status == "False"):
            yield self._available_since(condition.status)  # a new MyResource was never available
        if self._previous.is_of_other_generation and not _follows_update(condition):
            yield self._spec_changed
            return
        if condition.type == "Progressing":
            was_waiting = self._previous.is_of_other_generation or self._previous.has("Progressing", "Unknown")
            yield rollout.changed_at if was_waiting and not facts.deployment_drift else None
        if not facts.wait.has_skewed_clock:
            yield self._passed_deadline(condition)
        if self._is_hidden(condition):
            return
        if facts.is_not_yet_observed:
            yield rollout.changed_at
            return
        is_well = condition.status == "True" and condition.type not in {"Reconciling", "Stalled"}
        yield max([time for time in self._times(condition, is_well=is_well) if time], default=None)
        # Not each write is about what the condition is about: Pods that stop are counted in later ones.
        if condition.type != "Available" and (is_well or rollout.is_incomplete):
            yield rollout.counted_at

    def _times(self, condition: ParentCondition, *, is_well: bool) -> Iterator[datetime | None]:
        facts, rollout = self._facts, self._facts.rollout
        yield facts.diagnosis.changed_at
        if not is_well:
            yield facts.diagnosis.last_failure_at
        if condition.type != "Available":  # its own condition of the Deployment came first
            yield from map(self._time, rollout.times if is_well else rollout.times_of_trouble)

    def _passed_deadline(self, condition: ParentCondition) -> datetime | None:
        """Return the time that made *condition* what it is, if time decided."""
        facts = self._facts
        if condition.type == "Progressing":  # the Deployment decides, unless its Pods are unstable
            return facts.deadlines.passed if facts.deadlines.is_stability_late else None
        return after(facts.wait.since, facts.wait.patience) if facts.wait.is_stuck else facts.deadlines.passed

    def _is_hidden(self, condition: ParentCondition) -> bool:
        """Tell whether nothing shows since when: what *condition* is about is not there, or not as desired."""
        facts = self._facts
        drift = facts.deployment_drift if condition.type == "Progressing" else facts.drift
        return bool(drift or facts.parent.deleting or not facts.rollout.deployment or facts.desired.config.missing)

    def _now(self) -> datetime:
        """Return the time, or the latest that anything shows if the clock of the hook is wrong."""
        facts, rollout = self._facts, self._facts.rollout
        if not facts.wait.has_skewed_clock:
            return facts.now
        written = [self._previous.stored_at, self._spec_changed, rollout.changed_at, rollout.counted_at]
        shown = [*map(self._time, (facts.parent.created, *rollout.times)), *map(self._credible, written)]
        return max([time for time in shown if time], default=facts.now)

    def _available_since(self, status: str) -> datetime | None:
        """Return since when the Deployment's own condition Available has this *status*; None if it has not."""
        available = self._facts.rollout.availability
        return parse_time(available.last_transition_time) if available and available.status == status else None

    @cached_property
    def _spec_changed(self) -> datetime | None:
        parent = self._facts.parent
        if parent.deleting:  # which is a new generation, too
            return None
        created = parent.created if parent.generation == 1 else None
        return self._time(last_change(parent.managed_fields, of_status=False)) or self._time(created)

    def _time(self, text: str | None) -> datetime | None:
        return self._credible(parse_time(text))

    def _credible(self, time: datetime | None) -> datetime | None:
        return time if time and time <= self._latest else None


def _follows_update(condition: ParentCondition) -> bool:
    """Tell whether *condition* can have this status only after the Deployment was updated to the generation."""
    if condition.type == "Progressing":
        return condition.status != "Unknown"
    return (condition.type, condition.status) == ("Ready", "True")
