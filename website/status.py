"""The pages about the status: their text is written by hand, their tables and the example come from the code."""

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from app.api.generated_schema import schema
from app.core.controller import controller
from app.core.status.conditions import ANSWERS
from app.core.status.parent_status import TERMS
from app.core.watch import Watch
from website.fields import below
from website.troubleshoot import plain

Json = dict[str, Any]

FOLDER = Path(__file__).parents[1] / "docs/reference"
REQUEST = Path(__file__).parent.parent / "examples/requests/5-new-image-not-yet-applied.json"
NOW = datetime(2026, 1, 31, 12, 5, tzinfo=UTC)
"""The request whose response is the example, and the time of its change."""

SCHEMA: Json = schema()["properties"]["status"]


class Use(NamedTuple):
    """When a field changes, and who reads it."""

    changes: str
    readers: str


_SEE = " See docs/apps/troubleshoot.md."
"""What a message says only if its page is at an address."""

_WITH_SPEC = "after each change of the spec"
_KSTATUS = "kstatus, which Flux and `kpt` use"

FIELDS = {
    "observedGeneration": Use(_WITH_SPEC, _KSTATUS),
    "state": Use("see [states](#states)", "people"),
    "conditions": Use("see [conditions](conditions.md)", "see its fields"),
    "conditions[].type": Use("Ready, Available and Progressing are always present", "all clients"),
    "conditions[].status": Use("see [conditions](conditions.md)", "all clients"),
    "conditions[].reason": Use("when the cause changes, while `status` can stay the same", "people, alerts"),
    "conditions[].message": Use("when the cause changes, while `status` can stay the same", "people"),
    "conditions[].observedGeneration": Use(_WITH_SPEC, "`kubectl wait`, which ignores an older generation"),
    "conditions[].lastTransitionTime": Use("only together with `status`", "people, alerts"),
    "replicas": Use("when a Pod is created or deleted", "autoscalers, through the scale subresource"),
    "readyReplicas": Use("at most once for [each Pod](#numbers-of-pods)", "people"),
    "updatedReplicas": Use("with `readyReplicas`", "people"),
    "countedAt": Use("with `readyReplicas`", "the operator, which does not write them too often"),
    "selector": Use("never", "autoscalers, through the scale subresource"),
    "image": Use("when the Deployment is updated", "people"),
    "url": Use("with the condition Exposed; absent unless that is True", "people, scripts"),
    "address": Use("when the Service is created, gets another first port, or is deleted", "people"),
    "readyGeneration": Use(
        "when Ready becomes True; it stays when Ready becomes False",
        "scripts; the operator, to tell Degraded from Building",
    ),
    "schedule": Use("absent without a schedule, and while the MyResource is suspended", "people"),
    "schedule.state": Use(
        "when Ready becomes True after a transition of the schedule",
        "people; the operator, to tell Building from Degraded",
    ),
    "schedule.replicas": Use("with `schedule.state`; absent while Awake", "people; the operator, as above"),
    "schedule.nextTransition": Use("at each transition of the schedule", "people"),
    "waiting": Use("when the operator waits for something else; absent if it waits for nothing", "the operator"),
    "waiting.what": Use("with `waiting`", "people"),
    "waiting.since": Use("with `waiting.what`", "the operator, which reports NotApplied after a minute"),
    "override": Use("when the operator reverts a change; absent after a change of the spec", "the operator"),
    "override.what": Use("with `override`", "people"),
    "override.manager": Use("with `override.what`", "people"),
    "override.count": Use("with `override.revertedAt`", "the operator, which reports Overridden at 3"),
    "override.revertedAt": Use("with `override`", "the operator, which reverts the next change only after ten minutes"),
    "override.childVersions": Use("with `override.revertedAt`", "the operator, to tell two changes apart"),
}
"""The fields of the status, in the order of the page."""


def pages() -> dict[str, str]:
    """Return the pages, by their names in docs/reference, with each part that is made in its place."""
    return {name: _page(name) for name in _PARTS}


def _page(name: str) -> str:
    text = (FOLDER / name).read_text()
    for part, make in _PARTS[name].items():
        begin, end = f"<!-- {part}: made by make generate -->\n", f"<!-- end of {part} -->\n"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}\n{make()}\n{end}{rest.partition(end)[2]}"
    return text


def example() -> Json:
    """Return the MyResource of REQUEST with the status that the hook answers, as the API server stores it."""
    body = REQUEST.read_bytes()
    parent = json.loads(body)["parent"]
    metadata = {key: parent["metadata"][key] for key in ("name", "namespace", "generation")}
    status = json.loads(controller(Watch()).handle_sync(body, NOW).body)["status"]
    status["observedGeneration"] = metadata["generation"]  # Metacontroller adds it
    return {key: parent[key] for key in ("apiVersion", "kind", "spec")} | {"metadata": metadata, "status": status}


def _example() -> str:
    return f"```yaml\n{yaml.safe_dump(example(), width=110)}```\n"


def _fields() -> str:
    nodes = dict(below(SCHEMA))
    rows = "".join(
        f"| `{path}` | {nodes[path]['description']} | {use.changes} | {use.readers} |\n" for path, use in FIELDS.items()
    )
    return f"| field | meaning | changes | read by |\n|---|---|---|---|\n{rows}"


def _states() -> str:
    rows = "".join(f"| `{term.name}` | {term.meaning} | {term.use} |\n" for term in TERMS if term.kind == "state")
    return f"| state | meaning | starts when |\n|---|---|---|\n{rows}"


def _conditions() -> str:
    rows = "".join(f"| {term.name} | {term.meaning} | {term.use} |\n" for term in TERMS if term.kind == "condition")
    return f"| condition | meaning | read by |\n|---|---|---|\n{rows}"


def _reasons() -> str:
    rows = "".join(
        f"| {each.type} | {each.status} | {each.reason} | {plain(each.example()).removesuffix(_SEE)} |\n"
        for each in ANSWERS
    )
    return f"| condition | status | reason | message |\n|---|---|---|---|\n{rows}"


_PARTS = {
    "status.md": {"example": _example, "fields": _fields, "states": _states},
    "conditions.md": {"conditions": _conditions, "reasons": _reasons},
}
"""The parts of each page that are made, by the name in their comments."""
