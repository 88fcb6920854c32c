"""The results of a check: what is wrong with a hook or its manifests, without what follows from other findings.

The report is text, JSON, or JUnit's XML, in which each check is a test case.
"""

import json
from collections.abc import Iterable, Iterator
from xml.etree import ElementTree as ET

from msgspec import Struct, field, structs

from metahook.protocol.objects import counted, printable

_CONSEQUENCES = {
    "EndsDifferently": {"CopiedAnnotation", "CopiedChild", "MixedParents", "NotPure", "WrongDelete"},
    "FailingSync": {"InvalidStatus", "UnreportedRefusal", "UnwatchedChild"},
    "NeedsResync": {"NotPure"},
    "NoOpWrites": {"NotPure", "PrunedStatus", "UnwatchedChild"},
    "NotFinalized": {"CustomizeHookMissing", "Exception", "FailedCall", "RefusedResponse"},
    "RemovedField": {"MixedParents", "NotPure"},
    "RepeatedWrites": {"GrowingChildren", "MixedParents", "NotPure", "PrunedStatus", "WrongDelete"},
    "StoredOtherwise": {"NotPure", "UnknownField"},
    "UnreportedRefusal": {"CopiedChild"},
    "WrongDelete": {"NotPure"},
    "GrowingChildren": {"UnwatchedChild"},
    "CallStorm": {"GrowingChildren", "NotPure", "RepeatedWrites", "WrongDelete"},
}
"""Rules that are also broken once one of these others is."""


class CheckResult(Struct, frozen=True):
    """*name* is that of the rule, *place* a file with a line, or a hook and a parent; *message* has the remedy.

    *command* repeats it; *example* has the objects that it needs, in YAML, for its standard input.
    """

    name: str
    place: str
    message: str
    command: str = ""
    example: str = ""


class Results(Struct):
    """The *checks* that ran, each with its findings, and why the others did not run: *stopped*."""

    checks: list[tuple[str, list[CheckResult]]] = field(default_factory=list)
    stopped: str = ""
    notes: list[str] = field(default_factory=list)
    """What was not checked."""

    @property
    def findings(self) -> list[CheckResult]:
        return [finding for _, found in self.checks for finding in found]

    def add(self, check: str, found: Iterable[CheckResult]) -> None:
        """Add what a *check* has *found*, without what was found before, and what follows from that or another finding.

        If an exception ends the check, what it has found by then is added.
        """
        new: list[CheckResult] = []
        known = {_kind(finding) for finding in self.findings}
        before = {finding.name for finding in self.findings}
        is_whole = False
        try:
            for finding in found:
                if _kind(finding) not in known:
                    known.add(_kind(finding))
                    new.append(finding)
            is_whole = True
        finally:
            names = before | {finding.name for finding in new}
            left = [finding for finding in new if not _CONSEQUENCES.get(finding.name, set()) & names]
            if left or is_whole:
                self.checks.append((check, left))


def _kind(finding: CheckResult) -> tuple[str, str, str]:
    """Return what is the same in findings of one reason: a finding of each rule and kind of object is enough."""
    return finding.name, finding.place, finding.message.partition(" ")[0]


WIDTH = 100
"""Columns, in which the name of a rule is at the end if it fits."""


def as_text(results: Results, calls: int) -> str:
    """Return *results* as lines; *calls* is the number of calls of the hook."""
    found = results.findings
    end = counted(len(found), "problem") if found else "not finished" if results.stopped else "no problems"
    count = f"{counted(len(results.checks), 'check')}, {counted(calls, 'call')} of the hook"
    lines = [line for finding in found for line in _lines(finding)]
    notes = [*results.notes, *([results.stopped] if results.stopped else [])]
    return "\n".join([*lines, *notes, f"{end} ({count})"]) + "\n"


def _lines(finding: CheckResult) -> Iterator[str]:
    yield f"{printable(f'{finding.place}  {finding.message}'):<{WIDTH - len(finding.name) - 2}}  {finding.name}"
    if finding.example:
        yield f"    {finding.command} <<'EOF'"
        yield from finding.example.rstrip().splitlines()
        yield "EOF"
    elif finding.command:
        yield f"    {finding.command}"


def as_json(results: Results, calls: int) -> str:
    content = {
        "findings": [structs.asdict(finding) for finding in results.findings],
        "checks": [name for name, _ in results.checks],
        "notes": results.notes,
        "calls": calls,
        **({"stopped": results.stopped} if results.stopped else {}),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def as_junit(results: Results, calls: int) -> str:
    del calls
    failed = sum(1 for _, found in results.checks if found)
    suite = ET.Element(
        "testsuite",
        name="metahook check",
        tests=str(len(results.checks)),
        failures=str(failed),
        errors="1" if results.stopped else "0",
        skipped="0",
    )
    for name, found in results.checks:
        case = ET.SubElement(suite, "testcase", classname="metahook.check", name=name)
        for finding in found:
            summary = printable(f"{finding.place}  {finding.message}")
            failure = ET.SubElement(case, "failure", type=finding.name, message=summary)
            failure.text = "\n".join(map(printable, _lines(finding)))
    if results.stopped:
        case = ET.SubElement(suite, "testcase", classname="metahook.check", name="the rest")
        ET.SubElement(case, "error", message=results.stopped)
    ET.indent(suite)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(suite, encoding="unicode") + "\n"


FORMATS = {"text": as_text, "json": as_json, "junit": as_junit}
