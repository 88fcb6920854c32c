"""An edit as text: a unified diff of each child."""

import difflib
from collections.abc import Iterator

from metahook.cli.comparison.children import EditedChildren
from metahook.cli.files.documents import as_yaml
from metahook.cli.files.recordings import Identity
from metahook.protocol.objects import Json
from metahook.protocol.observed import LAST_APPLIED
from metahook.simulator.controllers.deployments import REVISION


def diff_lines(edit: EditedChildren) -> list[str]:
    """Return the unified diff of each child that differs."""
    return [line for key in sorted({*edit.before, *edit.after}) for line in _child_lines(key, edit)]


def _child_lines(key: Identity, edit: EditedChildren) -> Iterator[str]:
    before, after = (_text(children.get(key), edit.hidden) for children in (edit.before, edit.after))
    name = " ".join(key)
    return difflib.unified_diff(before, after, f"{name} (old)", f"{name} (new)", lineterm="")


def _text(child: Json | None, hidden: frozenset[str]) -> list[str]:
    if child is None:
        return []
    return as_yaml(_ordered(shown_fields(child, hidden)), width=float("inf")).splitlines()


def shown_fields(child: Json, hidden: frozenset[str] = frozenset()) -> Json:
    """Return *child* without its status, the metadata that changes with each write, and *hidden* annotations."""
    return {
        **{field: value for field, value in child.items() if field != "status"},
        "metadata": _metadata(child, hidden),
    }


def _ordered(value: object) -> object:
    """Return *value* with its fields sorted, but ``name`` first: it identifies an item of a list."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value, key=lambda name: (name != "name", name))}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _metadata(child: Json, hidden: frozenset[str]) -> Json:
    """Return the metadata that is shown: name, namespace, labels and annotations."""
    metadata = child["metadata"]
    annotations = {
        key: value
        for key, value in (metadata.get("annotations") or {}).items()
        if key not in hidden and key not in (LAST_APPLIED, REVISION)
    }
    shown = {field: metadata[field] for field in ("name", "namespace", "labels") if field in metadata}
    return {**shown, **({"annotations": annotations} if annotations else {})}
