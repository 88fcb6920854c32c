"""The findings of a run: failed calls, the simulator's findings with their reasons, and what an API server drops."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from metahook.cli.checking.calls import CheckedHook
from metahook.cli.checking.responses import (
    copied_fields,
    dropped_status,
    shown_secrets,
    stored_otherwise,
    undeclared_children,
)
from metahook.cli.checking.results import CheckResult
from metahook.cli.checking.runs import Run
from metahook.cli.files.manifest import FileManifest
from metahook.cli.files.manifests import schema_of
from metahook.simulator.apiserver.custom_rules import Path
from metahook.simulator.findings import Violation, findings
from metahook.simulator.findings.evidence import Evidence
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json

_MANY = 2
"""Writes of a quiet cluster that are a loop, although it is slow."""


@dataclass(frozen=True)
class Violations:
    """Reads the findings of runs with a *hook*; *crds* are those of its parents."""

    hook: CheckedHook
    settings: Settings
    crds: tuple[FileManifest, ...]

    def of(self, run: Run, command: str, *, fault: bool = False) -> Iterator[CheckResult]:
        """Yield the findings of *run*, which *command* repeats; without those that a *fault* itself causes."""
        failed = self.failures(command)
        run.has_failures = run.has_failures or bool(failed)
        yield from failed
        evidence = Evidence(run.world.history)
        for sync in evidence.syncs:
            found = self.crd_of(sync.call.parent)
            dropped = dropped_status(sync, found and found[2])
            for rule, message in (*dropped, *undeclared_children(sync), *copied_fields(sync), *shown_secrets(sync)):
                yield CheckResult(rule, f"/{sync.call.hook}", message, command)
        violations = [_explained(run, violation, evidence) for violation in findings(run.world.history)]
        for violation in violations:
            if (
                not _is_known(run, violation, violations)
                and not _is_progress(run, violation)
                and not (fault and _is_of_the_fault(run, violation))
            ):
                yield CheckResult(violation.rule, "/sync", violation.message, command)
        if run.loop and not violations and not run.has_failures:
            yield CheckResult("NeverQuiet", "/sync", run.loop, command)

    def failures(self, command: str) -> list[CheckResult]:
        """Return the failures of calls since the last time."""
        failures, self.hook.failures[:] = list(self.hook.failures), []
        found: dict[tuple[str, str, str], CheckResult] = {}
        for each in failures:
            place = each.place or f"/{each.hook}"
            finding = CheckResult(each.name, place, f"{each.parent}: {each.message}", command)
            found.setdefault((each.name, place, each.message), finding)
        return list(found.values())

    def crd_of(self, parent: Json) -> tuple[FileManifest, Path, Json] | None:
        """Return the CRD of *parent*, and the path and the value of its schema; None if it has none."""
        kind = self.settings.kind(parent["apiVersion"], parent["kind"])
        return schema_of(kind, self.crds) if kind else None


def _explained(run: Run, violation: Violation, evidence: Evidence) -> Violation:
    """Return *violation* with its object in the message, and why syncs fail, or a child is refused or rewritten."""
    history = run.world.history
    if violation.rule == "NoOpWrites":
        otherwise = next(filter(None, (stored_otherwise(sync, violation.key) for sync in evidence.syncs)), None)
        if otherwise:
            return replace(violation, rule="StoredOtherwise", message=f"{otherwise}: a write in every sync")
    if violation.rule == "FailingSync":
        errors = [event.message for event in history.events("SyncError") if event.key == violation.key]
        return replace(violation, message=f"{violation.key}: every sync fails: {errors[0]}")
    if violation.rule == "UnreportedRefusal":
        refused = [write.refused for write in history.writes(NAME) if write.key == violation.key and write.refused]
        return replace(violation, message=f"{violation.key}: {violation.message}: {refused[0]}")
    return replace(violation, message=f"{violation.key}: {violation.message}")


def _is_known(run: Run, violation: Violation, violations: list[Violation]) -> bool:
    """Tell whether *violation* is a failed call, another finding again, or the finalizer before the first call."""
    is_failure = violation.rule == "FailingSync" and run.has_failures
    is_same = violation.rule == "GrowingChildren" and any(
        (each.rule, each.key) == ("WrongDelete", violation.key) for each in violations
    )
    is_unknown_field = "field not declared in schema" in violation.message
    return (
        is_failure
        or is_same
        or is_unknown_field
        or (violation.rule == "OverwrittenObject" and violation.key in run.keys)
    )


def _is_progress(run: Run, violation: Violation) -> bool:
    """Tell whether *violation* is about writes that ended, as those of a status that waits for child after child."""
    writes = (write for write in run.world.history.writes(NAME) if write.key == violation.key and write.changed)
    return (
        violation.rule == "RepeatedWrites" and not run.loop and sum(write.at > run.quiet_at for write in writes) < _MANY
    )


def _is_of_the_fault(run: Run, violation: Violation) -> bool:
    """Tell whether *violation* is the fault itself: a crash, or what Metacontroller sees late because of it."""
    is_unseen = violation.rule == "UnreportedRefusal" and "AlreadyExists" in violation.message
    is_late = violation.rule in ("CallStorm", "NoOpWrites", "RepeatedWrites") and not run.loop
    return violation.rule == "MetacontrollerCrash" or is_unseen or is_late
