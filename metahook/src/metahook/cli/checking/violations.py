"""The findings of a run: failed calls, the simulator's findings with their reasons, and what an API server drops.

Single responses have rules, too: what the API server refuses or stores otherwise, and what is copied or shown.
"""

import base64
import json
import re
from collections.abc import Iterator

from msgspec import UNSET, Struct
from msgspec.structs import replace

from metahook.cli.checking.calls import CheckedHook
from metahook.cli.checking.results import CheckResult
from metahook.cli.checking.runs import Run
from metahook.cli.files.manifests import FileManifest, property_of, schema_of
from metahook.protocol.objects import MERGE_KEYS, Change, changes
from metahook.simulator.apiserver.built_in_kinds import undeclared_field
from metahook.simulator.apiserver.custom_rules import Path, dropped, problems, written
from metahook.simulator.apiserver.validation import ApiError
from metahook.simulator.controllers.deployments import KUBECTL_APPLIED
from metahook.simulator.findings import Violation, findings
from metahook.simulator.findings.evidence import AnsweredSync, Evidence
from metahook.simulator.history import History
from metahook.simulator.metacontroller.children import NAME, merge
from metahook.simulator.metacontroller.settings import Settings
from metahook.simulator.objects import Json, Key, to_json

_MOST = 60
"""Characters of a value in a message."""

_NO_ACCIDENT = 8
"""Characters of a password that is in no text by accident."""

_SECRET = re.compile("(password|passwd|token)$", re.IGNORECASE)
"""The name of a value in a Secret that nobody else may see."""

_COPIED = ("uid", "resourceVersion", "managedFields")
"""What an object that was read has in its metadata, and one that is written from scratch has not."""


def dropped_status(sync: AnsweredSync, schema: Json | None) -> Iterator[tuple[str, str]]:
    """Yield rule and sentence for each field of the status that the *schema* of the CRD drops or refuses."""
    status = sync.response.status
    if not status or schema is None:
        return
    of_status = property_of(schema, "status")
    if of_status is None:
        yield "PrunedStatus", "the CRD's schema has no status, so the API server drops it; add it"
        return
    for path in dropped(status, of_status, ("status",)):
        yield "PrunedStatus", f"{written(path)} is not in the CRD's schema, so the API server drops it; add it"
    for problem in problems(status, of_status, ("status",)):
        yield "InvalidStatus", f"{problem}, as the CRD's schema says; the API server refuses the whole status"


def undeclared_children(sync: AnsweredSync) -> Iterator[tuple[str, str]]:
    """Yield rule and sentence for each child with a field that its kind does not have."""
    for index, child in enumerate(sync.response.children):
        try:
            path = undeclared_field(child)
        except ApiError:
            continue  # the write is refused, which is a finding by itself
        if path:
            named = _named(index, child)
            yield "UnknownField", f"{named}: {path.removeprefix('.')} is not a field, so the API server drops it"


def copied_fields(sync: AnsweredSync) -> Iterator[tuple[str, str]]:
    """Yield rule and sentence for each child that is a copy of an object that was read, or has parts of one."""
    for index, child in enumerate(sync.response.children):
        metadata, named = child.get("metadata") or {}, _named(index, child)
        if field := next((field for field in _COPIED if field in metadata), None):
            message = f"metadata.{field} shows that it is a copy, so the values that others set are applied, too"
            yield "CopiedChild", f"{named}: {message}; list only the fields that the hook decides"
        elif KUBECTL_APPLIED in (metadata.get("annotations") or {}):
            message = f"{KUBECTL_APPLIED} is copied from another object, and misleads kubectl apply"
            yield "CopiedAnnotation", f"{named}: {message}; copy only the annotations that the child needs"


def shown_secrets(sync: AnsweredSync) -> Iterator[tuple[str, str]]:
    """Yield rule and sentence for each password or token of a Secret that the status shows."""
    status = to_json(sync.response.status or {})
    for index, child in enumerate(sync.response.children):
        for name, value in ((child.get("data") or {}) if child.get("kind") == "Secret" else {}).items():
            if _SECRET.search(name) and _decoded(value) and _decoded(value) in status:
                yield "ShownSecret", f"{_named(index, child)}: the status shows its data.{name}; name the Secret there"


def _decoded(value: object) -> str:
    """Return the text of a *value* in Base64, or nothing if it is too short to be told from other texts."""
    try:
        text = base64.b64decode(str(value)).decode()
    except ValueError:
        return ""
    return text if len(text) >= _NO_ACCIDENT else ""


def stored_otherwise(sync: AnsweredSync, key: Key) -> str | None:
    """Return the first value of the child *key* that the API server stores as another one, as a sentence, or None."""
    for index, child in enumerate(sync.response.children):
        if (child.get("kind"), (child.get("metadata") or {}).get("name")) == (key.kind, key.name):
            observed = sync.observed.get(key)
            differing = changes(merge(observed, {}, child), observed, "", keys=MERGE_KEYS) if observed else ()
            found = next(iter(differing), None)
            if found:
                return f"{_named(index, child)}: {_rewritten(found, is_secret=key.kind == 'Secret')}"
    return None


def _rewritten(change: Change, *, is_secret: bool) -> str:
    """Return what the API server makes of a value, and the remedy; without the values of a Secret."""
    remedy = ""
    if change.path.startswith("stringData"):
        remedy = " (write data, in Base64)"
    elif isinstance(change.old, str) and isinstance(change.new, str) and "".join(change.old.split()) == change.new:
        remedy = " (write it in one line)"
    if is_secret:
        return f"{change.path} is stored otherwise{remedy}"
    return f"{change.path} {_short(change.old)} is stored as {_short(change.new)}{remedy}"


def finalized_at_once(history: History, *, is_pure: bool) -> Iterator[str]:
    """Yield a sentence for each parent whose first response to finalize lets it go, so that nothing is waited for.

    Metacontroller then neither creates nor changes a child. A hook that is not *is_pure* may have cleaned up elsewhere,
    and one that has related objects may wait for those.
    """
    seen = set[Key]()
    for sync in Evidence(history).syncs:
        if not sync.finalizing or sync.key in seen:
            continue
        seen.add(sync.key)
        new = [key for key in sync.children if key not in sync.observed]
        has_related = "customize" in (json.loads(sync.call.request).get("controller") or {})["spec"]["hooks"]
        left = new or ([*sync.observed] if is_pure and not has_related else [])
        if sync.response.finalized and left:
            what = "is not created any more" if new else "still exists"
            remedy = "respond with finalized: false until the children are as they should be"
            yield f"{sync.key}: finalized: true in the first response, and {left[0]} {what}; {remedy}"


def _named(index: int, child: Json) -> str:
    return f"children[{index}] {child.get('kind')} {(child.get('metadata') or {}).get('name')}"


def _short(value: object) -> str:
    text = "nothing" if value is UNSET else to_json(value)
    return text if len(text) <= _MOST else f"{text[:_MOST]}..."


_MANY = 2
"""Writes of a quiet cluster that are a loop, although it is slow."""


class Violations(Struct, frozen=True):
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
