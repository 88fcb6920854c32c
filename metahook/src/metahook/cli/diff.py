"""``metahook diff``: shows what an edit of a parent changes in the cluster, and whether Pods restart."""

import json
from collections.abc import Iterator
from contextlib import suppress

import click

from metahook.cli.comparison.children import Children, EditedChildren, has_pods, restart_paths
from metahook.cli.comparison.unified_diff import diff_lines, shown_fields
from metahook.cli.errors import EXIT_DIFFERENT, InputError, input_errors
from metahook.cli.files.documents import FILE
from metahook.cli.objects import Objects, apply
from metahook.cli.options import Subject, with_output, with_subject
from metahook.cli.render import WATCHED, failures
from metahook.protocol.changes import changed_paths
from metahook.simulator.metacontroller.claims import NAME
from metahook.simulator.objects import Json
from metahook.simulator.world import NeverQuiet, World

_ROLLED = ("DaemonSet", "Deployment", "StatefulSet")
"""Kinds whose controllers replace Pods if the Pod template changes."""


@click.command("diff")
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@with_subject
@with_output
@input_errors()
def command(old: str, new: str, subject: Subject, output: str) -> int:
    """Show what an edit of a parent changes in the cluster, and whether it restarts Pods.

    OLD and NEW are files with the parent before and after the edit, and with other objects in the cluster. Both are
    applied in a simulated cluster, each until nothing is left to do, and the objects that the hook made are compared.

    \b
    Exit status:
      0  no differences were found
      1  differences were found
      2  an error occurred
    """  # noqa: D301 - click keeps the line breaks after this control character
    if old == new == "-":
        message = "OLD and NEW are both standard input; name a file for one of them"
        raise click.UsageError(message)
    world = subject.world()
    before = _after(world, Objects.read((old,), world.settings), old)
    after = _after(world, Objects.read((new,), world.settings), new)
    kept = [key for key in before if key in after and key[0] in _ROLLED and has_pods(before[key])]
    restarts = [path for key in kept for path in restart_paths(before[key], after[key])]
    edit = EditedChildren(before, after, restarts)
    lines = diff_lines(edit)
    with suppress(BrokenPipeError):  # the exit code still tells whether something differs
        print(json.dumps(_as_json(edit), indent=2) if output == "json" else "\n".join([*lines, _sentence(edit)]))
    return EXIT_DIFFERENT if lines else 0


def _after(world: World, objects: Objects, file: str) -> Children:
    """Return what Metacontroller has made in *world* once *objects* are applied; raise InputError."""
    start = world.clock.now
    for manifest in (*objects.others, *objects.parents):
        apply(manifest, world)
    try:
        is_quiet = world.until_quiet()
    except NeverQuiet as error:
        message = f"{file}: {error}; see what happens with: metahook simulate"
        raise InputError(message) from error
    if not is_quiet:
        message = f"{file}: the cluster does not become quiet; see what happens with: metahook simulate"
        raise InputError(message)
    quiet = world.clock.now
    if failures(world, start):
        world.run(WATCHED)  # it may have passed
        for failure in failures(world, quiet):
            message = f"{file}: {failure}; see what happens with: metahook simulate"
            raise InputError(message)
    kinds = {kind.kind for kind in world.settings.children}
    made = {write.key for write in world.history.writes(NAME) if write.changed and write.key.kind in kinds}
    children = {key: item for key in sorted(made) if (item := world.api.get(key))}
    several = len({key.namespace for key in children}) > 1
    return {(key.kind, f"{key.namespace}/{key.name}" if several else key.name): children[key] for key in children}


def _sentence(edit: EditedChildren) -> str:
    """Return what happens to the Pods."""
    ended = [f"{kind} {name}" for kind, name in edit.before.keys() - edit.after.keys() if kind in _ROLLED]
    parts = [
        *([f"Pods are deleted, with {', '.join(sorted(ended))}."] if ended else []),
        *([f"Pods restart: {', '.join(edit.restart_paths)}"] if edit.restart_paths else []),
    ]
    if parts:
        return " ".join(parts)
    return "Pods keep running." if edit.before != edit.after else "Nothing changes."


def _as_json(edit: EditedChildren) -> Json:
    """Return the changes, with the path of each field that changes."""
    keys = sorted({*edit.before, *edit.after})
    changes = [(key, edit.before.get(key), edit.after.get(key)) for key in keys]
    return {
        "children": [
            {"change": change, "kind": kind, "name": name, "paths": paths}
            for (kind, name), old, new in changes
            for change, paths in _change(old, new)
        ],
        "restart": edit.restart_paths,
    }


def _change(old: Json | None, new: Json | None) -> Iterator[tuple[str, list[str]]]:
    if old is None or new is None:
        yield "added" if new else "removed", []
    elif paths := changed_paths(shown_fields(old), shown_fields(new), ""):
        yield "changed", paths
