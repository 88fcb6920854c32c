"""The report of a check: text, JSON, or JUnit's XML, in which each check is a test case."""

import dataclasses
import json
from collections.abc import Iterator
from xml.etree import ElementTree as ET

from metahook.cli.checking.results import CheckResult, Results
from metahook.protocol.objects import counted, printable

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
    """Return *results* as one object of JSON."""
    content = {
        "findings": [dataclasses.asdict(finding) for finding in results.findings],
        "checks": [name for name, _ in results.checks],
        "notes": results.notes,
        "calls": calls,
        **({"stopped": results.stopped} if results.stopped else {}),
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def as_junit(results: Results, calls: int) -> str:
    """Return *results* as JUnit's XML."""
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
