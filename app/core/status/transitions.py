"""Transitions: since when each condition has its status.

A request can be stale: Metacontroller's cache can lack the last status, or several. If the time of the sync counted,
each sync with an old status would give the same transition another time. So the time is that of what is observed,
where the request shows it: the API server and the Deployment controller set such times, and the same objects show the
same time. Where nothing shows it, as when an object is missing, the clock of the hook decides.
"""

from datetime import datetime, timedelta
from functools import cached_property

from app.core.status.conditions import ParentCondition
from app.core.status.facts.facts import Facts
from app.core.status.facts.scaling import may_have_scaled
from app.core.timers import after, format_time, parse_time
from metahook import last_change

_OF_ROLLOUT = {"Ready", "Available", "Progressing", "Reconciling", "Stalled"}
"""The conditions whose transitions the parent and its Deployment show."""

_AHEAD = timedelta(hours=1)
"""A time that is further in the future is a mistake, and not another clock."""


class Transitions:
    """Since when the conditions of the parent have their status, as *facts* show it."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._previous = facts.previous_status
        self._latest = facts.now + _AHEAD
        self._times = {name: time for name, time in self._previous.times.items() if time and time <= self._latest}
        """When the conditions got the status that they had, whatever it was."""
        self._is_updated = self._previous.is_of_other_generation and not facts.desired.is_kept

    def since(self, condition: ParentCondition) -> str:
        """Return the ``lastTransitionTime`` of *condition*, which is never earlier than the previous one."""
        before = self._times.get(condition.type)
        is_same = self._previous.has(condition.type, condition.status)
        shown = self._shown_since(condition, before if is_same else None)
        # It can have changed away from this status and back, in statuses that the request lacks.
        has_changed = (self._is_updated and _follows_update(condition)) or (before and shown and shown > before)
        if is_same and not has_changed:
            return self._previous.conditions[condition.type].last_transition_time
        began = self._began(condition, before or self._times.get("Ready"))
        return format_time(max([time for time in (began, before, shown) if time]))

    def _shown_since(self, condition: ParentCondition, unchanged: datetime | None) -> datetime | None:
        """Return the last time at which *condition* had another status, as far as an object shows it.

        It has been *unchanged* since then, according to the previous status.
        """
        facts = self._facts
        if condition.type == "Progressing":
            is_waking = facts.is_changing_state and condition.status == "True"
            return self._credible(facts.rollout.changed_at) if is_waking else None
        if condition.type == "Available" and condition.status == "False":
            is_shown = not (facts.has_unstable_pods or facts.rollout.was_never_available)
            return self._available_since("False") if is_shown else None
        if condition.status != "True" or condition.type not in {"Ready", "Available"}:
            return None
        is_scaled = facts.desired.replicas.is_autoscaled and self._may_have_scaled(unchanged)
        times = [] if is_scaled else [self._available_since("True")]
        if condition.type == "Ready" and facts.rollout.is_complete:
            # A child that is missing, or that has another template, is a drift.
            created = [self._time(child.metadata.creation_timestamp) for child in facts.children]
            times += [self._credible(facts.rollout.reported_at), *created]
        return max([time for time in times if time], default=None)

    def _may_have_scaled(self, since: datetime | None) -> bool:
        """Tell whether the Deployment can have been unavailable *since* then only because it was scaled up."""
        facts = self._facts
        deployment = facts.rollout.deployment
        if facts.is_changing_state or deployment is None:
            return False
        return may_have_scaled(deployment, facts.children, since)

    def _began(self, condition: ParentCondition, last: datetime | None) -> datetime:
        """Return when the status of *condition* changed, after the *last* change that the request has."""
        facts = self._facts
        if condition.type not in _OF_ROLLOUT:
            return self._now()
        since = self._available_since(condition.status) if condition.type == "Available" else None
        if since and (last or condition.status == "True"):  # a new MyResource was never available
            return since
        if self._previous.is_of_other_generation and not _follows_update(condition):
            return self._spec_changed or self._now()
        if condition.type == "Progressing" and (updated := self._deployment_updated()):
            return updated
        deadline = None if facts.wait.has_skewed_clock else self._passed_deadline(condition)
        shown = deadline or (None if self._is_hidden(condition) else self._rollout_changed(condition, last))
        return shown or self._now()

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
        facts = self._facts
        if not facts.wait.has_skewed_clock:
            return facts.now
        written = [last_change(facts.parent.managed_fields, of_status=of_status) for of_status in (True, False)]
        shown = [self._time(text) for text in (facts.parent.created, *written, *facts.rollout.times)]
        return max([time for time in shown if time], default=facts.now)

    def _available_since(self, status: str) -> datetime | None:
        """Return since when the Deployment's own condition Available has this *status*; None if it has not."""
        available = self._facts.rollout.availability
        return self._time(available.last_transition_time) if available and available.status == status else None

    @cached_property
    def _spec_changed(self) -> datetime | None:
        parent = self._facts.parent
        if parent.deleting:  # which is a new generation, too
            return None
        created = parent.created if parent.generation == 1 else None
        return self._time(last_change(parent.managed_fields, of_status=False)) or self._time(created)

    def _deployment_updated(self) -> datetime | None:
        """Return when the Deployment was updated to this generation, if that is what it waited for."""
        was_waiting = self._previous.is_of_other_generation or self._previous.has("Progressing", "Unknown")
        if not was_waiting or self._facts.deployment_drift:
            return None
        return self._credible(self._facts.rollout.changed_at)

    def _rollout_changed(self, condition: ParentCondition, last: datetime | None) -> datetime | None:
        """Return when the rollout changed, after *last*: as its conditions say, or else as the Deployment was written.

        Not each write is about what the conditions of the parent are about: Pods that stop are counted in later ones.
        """
        rollout = self._facts.rollout
        is_well = condition.status == "True" and condition.type not in {"Reconciling", "Stalled"}
        fields = rollout.deployment.metadata.managed_fields if rollout.deployment else b"[]"
        times_of_conditions = rollout.times if is_well else rollout.times_of_trouble
        for texts in (times_of_conditions, [last_change(fields, of_status=True)]):
            times = [*map(self._time, texts), self._facts.diagnosis.changed_at]
            if later := [time for time in times if time and (last is None or time > last)]:
                return max(later)
        return None

    def _time(self, text: str | None) -> datetime | None:
        time = parse_time(text)
        return time if time and time <= self._latest else None

    def _credible(self, time: datetime | None) -> datetime | None:
        return time if time and time <= self._latest else None


def _follows_update(condition: ParentCondition) -> bool:
    """Tell whether *condition* can have this status only after the Deployment was updated to the generation."""
    if condition.type == "Progressing":
        return condition.status != "Unknown"
    return (condition.type, condition.status) == ("Ready", "True")
