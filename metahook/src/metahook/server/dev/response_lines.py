"""The difference between two responses of a hook to one parent, in lines: ``+`` new, ``-`` gone, ``~`` changed.

Values are shown for the status alone: a spec may hold what its author wants nobody to read over their shoulder. The
items of a list have their index, because a name can be a value, too; those of a Pod template have their name.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET

from metahook.protocol.changes import Change, changed_paths, changes
from metahook.protocol.objects import object_or_empty
from metahook.protocol.printable import printable
from metahook.protocol.plain_json import Json

Identity = tuple[str, str, str, str]
"""Kind, namespace, name and API version of a child; the namespace is empty if the response names none."""

LONGEST = 240
"""Characters of a value that are shown."""

LONGEST_LINE = 600
"""Characters of a line: the name of a field can have any length."""

_KEYS = ("name", "type", "containerPort", "port", "mountPath")
"""What identifies an item of a list of objects, to a reader."""

_WITH_POD_TEMPLATE = {
    ("apps/v1", "DaemonSet"),
    ("apps/v1", "Deployment"),
    ("apps/v1", "ReplicaSet"),
    ("apps/v1", "StatefulSet"),
    ("batch/v1", "Job"),
}

_SECRET = "Secret"  # noqa: S105 - a kind


def difference_lines(old: Json, new: Json) -> list[str]:
    """Return what differs in the response *new*, of sync or of customize; *old* is empty if there is none.

    The time of the next sync is left out: it differs in every response that counts down to a moment.
    """
    lines = [
        *_child_lines(_children(old), _children(new)),
        *(_value_line(change) for name in ("labels", "annotations") for change in _set_texts(old, new, name)),
        *_rule_lines(old.get("relatedResources", []), new.get("relatedResources", [])),
        *_status_lines(old.get("status", {}), new.get("status", {})),
    ]
    return [printable(_cut(line, LONGEST_LINE)) for line in lines]


def listed_children(response: Json) -> list[Json]:
    """Return the children in a response of a controller, or the attachments in one of a decorator."""
    children: list[Json] = response.get("children") or response.get("attachments") or []
    return children


def _children(response: Json) -> dict[Identity, Json]:
    return {
        (child["kind"], child["metadata"].get("namespace") or "", child["metadata"]["name"], child["apiVersion"]): child
        for child in listed_children(response)
    }


def _set_texts(old: Json, new: Json, name: str) -> Iterator[Change]:
    """Yield the changes of the labels or annotations that a decorator sets on its object."""
    return changes(object_or_empty(old.get(name)), object_or_empty(new.get(name)), f"object.{name}")


def _child_lines(old: dict[Identity, Json], new: dict[Identity, Json]) -> Iterator[str]:
    names = Counter((kind, name) for kind, _, name, _ in {*old, *new})
    ambiguous = {name for name, count in names.items() if count > 1}
    for identity in sorted({*old, *new}):
        kind, namespace, name, _ = identity
        name = f"{namespace}/{name}" if namespace and (kind, name) in ambiguous else name
        if identity not in old or identity not in new:
            yield f"{'+' if identity in new else '-'} {kind} {name}"
        else:
            yield from (f"~ {kind} {name}: {path}" for path in _changed_fields(old[identity], new[identity]))


def _changed_fields(old: Json, new: Json) -> list[str]:
    """Return the paths of what differs in a child; items of lists have a name below the Pod template alone."""
    (old, old_template), (new, new_template) = (_split(_comparable(child)) for child in (old, new))
    return [*changed_paths(old, new, ""), *changed_paths(old_template, new_template, "spec.template", keys=_KEYS)]


def _split(child: Json) -> tuple[Json, object]:
    """Return *child* without its Pod template, and the template; UNSET if it has none."""
    if (child["apiVersion"], child["kind"]) not in _WITH_POD_TEMPLATE:
        return child, UNSET
    spec = dict(object_or_empty(child.get("spec")))
    template = spec.pop("template", UNSET)
    return {**child, "spec": spec}, template


def _comparable(child: Json) -> Json:
    """Return *child*; of a Secret with each field in one piece, so that a path does not name what is in it."""
    if child["kind"] != _SECRET:
        return child
    return {field: msgspec.json.encode(value, order="sorted") for field, value in child.items()}


def _rule_lines(old: Iterable[Json], new: Iterable[Json]) -> Iterator[str]:
    before, after = ({msgspec.json.encode(rule, order="sorted"): rule for rule in rules} for rules in (old, new))
    yield from (f"- rule {_rule(before[key])}" for key in before if key not in after)
    yield from (f"+ rule {_rule(after[key])}" for key in after if key not in before)


def _rule(rule: Json) -> str:
    """Return a related rule in short, such as ``configmaps settings`` or ``pods by labels``."""
    selected = ", ".join(rule["names"]) if rule.get("names") else "by labels" if "labelSelector" in rule else "all"
    return f"{rule['resource']} {selected}"


def _status_lines(old: Json, new: Json) -> Iterator[str]:
    before, after = _conditions(old), _conditions(new)
    if before is None or after is None:
        yield from map(_value_line, changes(old, new, "status", keys=_KEYS))
        return
    old, new = ({name: status[name] for name in status if name != "conditions"} for status in (old, new))
    yield from map(_value_line, changes(old, new, "status", keys=_KEYS))
    for name in dict.fromkeys([*before, *after]):
        path = f"status.conditions[{name}]"
        yield from map(_value_line, _condition_changes(before.get(name), after.get(name), path))


def _conditions(status: Json) -> dict[str, Json] | None:
    """Return the conditions by type, or None if ``conditions`` holds something else."""
    conditions = status.get("conditions", [])
    items = [object_or_empty(item) for item in conditions] if isinstance(conditions, list) else [{}]
    is_conditions = all(isinstance(item.get("type"), str) for item in items)
    return {item["type"]: item for item in items} if is_conditions else None


def _condition_changes(old: Json | None, new: Json | None, path: str) -> Iterator[Change]:
    """Yield status and reason as one change, and the message. Other fields only if these stay: they follow them."""
    summary = Change(path, _summary(old), _summary(new))
    if summary.old == summary.new:
        yield from changes(old, new, path)
        return
    yield summary
    if new is not None:
        yield from changes((old or {}).get("message", UNSET), new.get("message", UNSET), f"{path}.message")


def _summary(condition: Json | None) -> object:
    """Return such as ``False RollingOut``, or UNSET for no condition."""
    if condition is None:
        return UNSET
    return " ".join(str(condition[field]) for field in ("status", "reason") if field in condition)


def _value_line(change: Change) -> str:
    if change.new is UNSET:
        return f"- {change.path}"
    if change.old is UNSET:
        return f"+ {change.path}: {_text(change.new)}"
    return f"~ {change.path}: {_text(change.old)} -> {_text(change.new)}"


def _text(value: object) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value, order="sorted").decode()
    return _cut(text, LONGEST)


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}..."
