"""The difference between two responses of a hook to one parent, in lines: ``+`` new, ``-`` gone, ``~`` changed.

Values are shown for the status, and what a decorator sets on its object: a spec may hold what its author wants nobody
to read over their shoulder.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain

import msgspec
from msgspec import UNSET

from metahook.protocol.objects import Change, Json, changed_paths, changes, object_or_empty, printable

Identity = tuple[str, str, str, str]
"""Kind, namespace, name and API version of a child; the namespace is empty if the response names none."""

LONGEST = 240
"""Characters of a value that are shown."""

LONGEST_LINE = 600
"""Characters of a line: the name of a field can have any length."""

_KEYS = ("type", "name", "containerPort", "port", "mountPath")
"""What identifies an item of a list of objects, to a reader."""

_SHOWN = {"labels": "object.labels", "annotations": "object.annotations", "status": "status"}
"""The fields of a response whose values are shown, with their paths."""


def difference_lines(old: Json, new: Json) -> list[str]:
    """Return what differs in the response *new*, of sync or of customize; *old* is empty if there is none.

    The time of the next sync is left out: it differs in every response that counts down to a moment.
    """
    shown = (
        changes(object_or_empty(old.get(name)), object_or_empty(new.get(name)), path, keys=_KEYS)
        for name, path in _SHOWN.items()
    )
    lines = [
        *_child_lines(_children(old), _children(new)),
        *_rule_lines(old.get("relatedResources", []), new.get("relatedResources", [])),
        *map(_value_line, chain.from_iterable(shown)),
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


def _child_lines(old: dict[Identity, Json], new: dict[Identity, Json]) -> Iterator[str]:
    names = Counter((kind, name) for kind, _, name, _ in {*old, *new})
    ambiguous = {name for name, count in names.items() if count > 1}
    for identity in sorted({*old, *new}):
        kind, namespace, name, _ = identity
        name = f"{namespace}/{name}" if namespace and (kind, name) in ambiguous else name
        if identity not in old or identity not in new:
            yield f"{'+' if identity in new else '-'} {kind} {name}"
        else:
            before, after = (_comparable(children[identity]) for children in (old, new))
            yield from (f"~ {kind} {name}: {path}" for path in changed_paths(before, after, "", keys=_KEYS))


def _comparable(child: Json) -> Json:
    """Return *child*; of a Secret with each field in one piece, so that a path does not name what is in it."""
    if child["kind"] != "Secret":
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
