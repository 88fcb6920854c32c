"""An edit as text: a unified diff of each child, and one sentence about the Pods."""

import difflib
from collections.abc import Iterator
from typing import Any

from metahook.cli.comparison.children import EditedChildren, has_pods
from metahook.cli.files.recordings import Identity
from metahook.cli.files.yaml_documents import dump_yaml
from metahook.simulator.metacontroller.dynamic_apply import LAST_APPLIED
from metahook.protocol.plain_json import Json


def diff_lines(edit: EditedChildren) -> list[str]:
    """Return the unified diff of each child that differs."""
    return [line for key in sorted({*edit.before, *edit.after}) for line in _child_lines(key, edit)]


def pods_sentence(edit: EditedChildren) -> str:
    """Return what happens to the Pods."""
    before, after = ({key for key in children if key[0] == "Deployment"} for children in (edit.before, edit.after))
    if not edit.has_deployment:
        created = "No Pods are running: the Deployment would be created."
        return created if after else f"No Pods are running: the Deployment would not be created. {edit.ready}"
    if before - after:
        return "Pods are deleted: the Deployment would be removed."
    if edit.restart_paths and not all(has_pods(edit.before[key]) for key in before):
        return "No Pods are running: the Deployment has 0 replicas."
    if edit.restart_paths:
        return f"Pods restart: {', '.join(edit.restart_paths)}"
    return "Pods keep running." if diff_lines(edit) else "Nothing changes. Pods keep running."


def _child_lines(key: Identity, edit: EditedChildren) -> Iterator[str]:
    before, after = (_text(children.get(key), edit.hidden) for children in (edit.before, edit.after))
    name = " ".join(key)
    return difflib.unified_diff(before, after, f"{name} (old)", f"{name} (new)", lineterm="")


def _text(child: Json | None, hidden: frozenset[str]) -> list[str]:
    if child is None:
        return []
    shown = {field: value for field, value in child.items() if field != "status"} | {
        "metadata": _metadata(child, hidden)
    }
    return dump_yaml(_ordered(shown), width=float("inf")).splitlines()


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
        if key not in hidden and key != LAST_APPLIED
    }
    shown = {field: metadata[field] for field in ("name", "namespace", "labels") if field in metadata}
    return {**shown, **({"annotations": annotations} if annotations else {})}
