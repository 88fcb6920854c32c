"""The findings of a life: failed calls, the simulator's findings with their reasons, and what an API server drops."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from metahook.cli.checking.calls import CheckedHook
from metahook.cli.checking.lives import Life
from metahook.cli.checking.responses import (
    copied_fields,
    dropped_status,
    shown_secrets,
    stored_otherwise,
    undeclared_children,
)
from metahook.cli.checking.results import Finding
from metahook.cli.files.manifest import Manifest
from metahook.cli.manifests import schema_of
from metahook.simulator.apiserver.custom_rules import Path
from metahook.simulator.findings import HarmFinding, findings
from metahook.simulator.findings.evidence import Evidence
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json

_MANY = 2
"""Writes of a quiet cluster that are a loop, although it is slow."""


@dataclass(frozen=True)
class Harms:
    """Reads the findings of lives with a *hook*; *crds* are those of its parents."""

    hook: CheckedHook
    settings: Settings
    crds: tuple[Manifest, ...]

    def of(self, life: Life, command: str, *, fault: bool = False) -> Iterator[Finding]:
        """Yield the findings of *life*, which *command* repeats; without those that a *fault* itself causes."""
        failed = self.failures(command)
        life.has_failures = life.has_failures or bool(failed)
        yield from failed
        evidence = Evidence(life.world.history)
        for sync in evidence.syncs:
            found = self.crd_of(sync.call.parent)
            dropped = dropped_status(sync, found and found[2])
            for rule, message in (*dropped, *undeclared_children(sync), *copied_fields(sync), *shown_secrets(sync)):
                yield Finding(rule, f"/{sync.call.hook}", message, command)
        harms = [_explained(life, harm, evidence) for harm in findings(life.world.history)]
        for harm in harms:
            if (
                not _is_known(life, harm, harms)
                and not _is_progress(life, harm)
                and not (fault and _is_of_the_fault(life, harm))
            ):
                yield Finding(harm.rule, "/sync", harm.message, command)
        if life.loop and not harms and not life.has_failures:
            yield Finding("NeverQuiet", "/sync", life.loop, command)

    def failures(self, command: str) -> list[Finding]:
        """Return the failures of calls since the last time."""
        failures, self.hook.failures[:] = list(self.hook.failures), []
        found: dict[tuple[str, str, str], Finding] = {}
        for each in failures:
            place = each.place or f"/{each.hook}"
            finding = Finding(each.name, place, f"{each.parent}: {each.message}", command)
            found.setdefault((each.name, place, each.message), finding)
        return list(found.values())

    def crd_of(self, parent: Json) -> tuple[Manifest, Path, Json] | None:
        """Return the CRD of *parent*, and the path and the value of its schema; None if it has none."""
        kind = self.settings.kind(parent["apiVersion"], parent["kind"])
        return schema_of(kind, self.crds) if kind else None


def _explained(life: Life, harm: HarmFinding, evidence: Evidence) -> HarmFinding:
    """Return *harm* with its object in the message, and with why syncs fail, a child is refused, or written again."""
    history = life.world.history
    if harm.rule == "NoOpWrites":
        otherwise = next(filter(None, (stored_otherwise(sync, harm.key) for sync in evidence.syncs)), None)
        if otherwise:
            return replace(harm, rule="StoredOtherwise", message=f"{otherwise}: a write in every sync")
    if harm.rule == "FailingSync":
        errors = [event.message for event in history.events("SyncError") if event.key == harm.key]
        return replace(harm, message=f"{harm.key}: every sync fails: {errors[0]}")
    if harm.rule == "UnreportedRefusal":
        refused = [write.refused for write in history.writes(NAME) if write.key == harm.key and write.refused]
        return replace(harm, message=f"{harm.key}: {harm.message}: {refused[0]}")
    return replace(harm, message=f"{harm.key}: {harm.message}")


def _is_known(life: Life, harm: HarmFinding, harms: list[HarmFinding]) -> bool:
    """Tell whether *harm* is a failed call, one of *harms* again, or the finalizer, set before the first call."""
    is_failure = harm.rule == "FailingSync" and life.has_failures
    is_same = harm.rule == "GrowingChildren" and any(
        (each.rule, each.key) == ("WrongDelete", harm.key) for each in harms
    )
    return is_failure or is_same or (harm.rule == "OverwrittenObject" and harm.key in life.keys)


def _is_progress(life: Life, harm: HarmFinding) -> bool:
    """Tell whether *harm* is writes that ended, such as of a status that waits for one child after the other."""
    writes = (write for write in life.world.history.writes(NAME) if write.key == harm.key and write.changed)
    return harm.rule == "RepeatedWrites" and not life.loop and sum(write.at > life.quiet_at for write in writes) < _MANY


def _is_of_the_fault(life: Life, harm: HarmFinding) -> bool:
    """Tell whether *harm* is the fault itself: a crash, or what Metacontroller sees late because of it."""
    is_unseen = harm.rule == "UnreportedRefusal" and "AlreadyExists" in harm.message
    is_late = harm.rule in ("CallStorm", "NoOpWrites", "RepeatedWrites") and not life.loop
    return harm.rule == "MetacontrollerCrash" or is_unseen or is_late
