"""A patch: an edit as people read it, a unified diff of each child, and one sentence about the Pods."""

import difflib
from collections.abc import Iterator

import yaml

from app.cli.comparison.edit import Edit
from app.cli.comparison.pods import has_pods
from app.cli.files.parents import Json
from app.cli.files.recordings import Identity
from app.core.child_metadata import GENERATION_STAMP, REPAIR_ANNOTATION
from metahook.simulator.metacontroller.dynamic_apply import LAST_APPLIED

_MOVING = {GENERATION_STAMP, REPAIR_ANNOTATION, LAST_APPLIED}
"""Annotations that say when and how a child was written, not what it is."""


class _Dumper(yaml.SafeDumper):
    """YAML without anchors: equal values of one child are no reference to each other."""

    def ignore_aliases(self, data: object) -> bool:
        return True


def lines(edit: Edit) -> list[str]:
    """Return the unified diff of each child that differs."""
    return [line for key in sorted({*edit.before, *edit.after}) for line in _of_child(key, edit)]


def sentence(edit: Edit) -> str:
    """Return what becomes of the Pods."""
    deployments = [{key for key in children if key[0] == "Deployment"} for children in (edit.before, edit.after)]
    if deployments[0] - deployments[1]:
        return "Pods end: the Deployment would be removed."
    if deployments[1] - deployments[0] or not edit.running:
        return "No Pods run yet: the Deployment would be made anew."
    if edit.restarts and not all(has_pods(child) for key, child in edit.before.items() if key[0] == "Deployment"):
        return "No Pods run: the Deployment has 0 replicas."
    if edit.restarts:
        return f"Pods restart: {', '.join(edit.restarts)}"
    return "Pods keep running." if lines(edit) else "Nothing changes. Pods keep running."


def _of_child(key: Identity, edit: Edit) -> Iterator[str]:
    before, after = (_text(children.get(key)) for children in (edit.before, edit.after))
    name = " ".join(key)
    return difflib.unified_diff(before, after, f"{name} (old)", f"{name} (new)", lineterm="")


def _text(child: Json | None) -> list[str]:
    if child is None:
        return []
    shown = {field: value for field, value in child.items() if field != "status"} | {"metadata": _metadata(child)}
    text = yaml.dump(_ordered(shown), Dumper=_Dumper, sort_keys=False, width=float("inf"), allow_unicode=True)
    return text.splitlines()


def _ordered(value: object) -> object:
    """Return *value* with its fields by name, and the field ``name`` first: it says which item of a list one reads."""
    if isinstance(value, dict):
        return {name: _ordered(value[name]) for name in sorted(value, key=lambda name: (name != "name", name))}
    return [_ordered(item) for item in value] if isinstance(value, list) else value


def _metadata(child: Json) -> Json:
    """Return of the metadata what is written: the name, labels and annotations."""
    metadata = child["metadata"]
    annotations = {key: value for key, value in (metadata.get("annotations") or {}).items() if key not in _MOVING}
    shown = {field: metadata[field] for field in ("name", "namespace", "labels") if field in metadata}
    return {**shown, **({"annotations": annotations} if annotations else {})}
