"""``diff``: shows what an edit of a parent changes in the cluster, and whether Pods restart."""

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import click
from msgspec.structs import replace

from metahook.cli.binding import traits
from metahook.cli.commands.options import with_output, with_subject
from metahook.cli.commands.render import WATCHED, failures
from metahook.cli.comparison.edits import (
    ROLLED,
    ChildrenByName,
    EditedChildren,
    check_same,
    diff_lines,
    edit_of_recording,
    has_pods,
    name_file_in_errors,
    restart_paths,
    shown_fields,
)
from metahook.cli.errors import EXIT_DIFFERENT, InputError, Refused, input_errors, program_name
from metahook.cli.files.documents import FILE, documents_in, read_text
from metahook.cli.files.manifests import FileManifest, manifests_in
from metahook.cli.files.metadata import present_fields
from metahook.cli.files.objects import Objects, apply, place, problem_of, refusal
from metahook.cli.files.recordings import is_recording, read_recording
from metahook.cli.hooks.requests import Requests
from metahook.cli.hooks.subject import HookUnderTest
from metahook.clock import utc_now
from metahook.protocol.objects import changed_paths
from metahook.simulator.metacontroller.children import NAME
from metahook.simulator.objects import Json
from metahook.simulator.world import LONGEST_TIMER, NeverQuiet, World

SETTLED_BUSY = 300.0
"""Virtual seconds after which all is made of a parent that always has something left to do."""


@click.command("diff")
@click.argument("old", type=FILE)
@click.argument("new", type=FILE)
@with_subject
@with_output
@input_errors()
def command(old: str, new: str, subject: HookUnderTest, output: str) -> int:
    """Show what an edit of a parent changes in the cluster, and whether it restarts Pods.

    OLD and NEW are files with the parent before and after the edit, and with other objects in the cluster. Both are
    applied in a simulated cluster, each until nothing is left to do, and the objects that the hook made are compared.
    OLD may also be a recorded sync request, which contains the children in the cluster.

    OLD is what the cluster has stored. Of NEW, all is refused that a cluster would refuse of such an update: also what
    became invalid since OLD was stored is accepted if it does not change.

    \b
    Exit status:
      0  no differences were found
      1  differences were found
      2  an error occurred, or a cluster would refuse NEW
    """  # noqa: D301 - click keeps the line breaks after this control character
    if old == new == "-":
        message = "OLD and NEW are both standard input; name a file for one of them"
        raise click.UsageError(message)
    try:
        edit = replace(_edit(old, new, subject), hidden=traits().hidden)
    except Refused as error:
        # As from kubectl, 1 would say that there are differences to read.
        raise InputError(*error.lines) from error
    lines = diff_lines(edit)
    with suppress(BrokenPipeError):  # the exit code still tells whether something differs
        if output == "json":
            print(json.dumps(_as_json(edit), indent=2))
        else:
            _print([*lines, _sentence(edit, is_changed=bool(lines))])
    return EXIT_DIFFERENT if lines else 0


def _edit(old: str, new: str, subject: HookUnderTest) -> EditedChildren:
    text = "" if Path(old).is_dir() else read_text(old)
    read = [document.value for document in documents_in(text, old)]
    if len(read) == 1 and is_recording(read[0]):
        requests = Requests(subject.hook, subject.settings)
        objects = Objects.found((new,), subject.settings).with_one_parent(new)
        with name_file_in_errors(old):
            recorded = read_recording(read[0], old)
            return edit_of_recording(recorded, objects, requests, utc_now(), traits().invalid_reason)
    settings = subject.settings
    one = Objects.of(manifests_in(text, old), old, settings) if text else Objects.found((old,), settings)
    other = Objects.found((new,), settings)
    if len(one.parents) == len(other.parents) == 1:
        one, other = _of_same_parent(one, other)
    one.accepted(settings, one)
    other.accepted(settings, one)
    return _simulated(one, other, (old, new), subject.world())


def _of_same_parent(one: Objects, other: Objects) -> tuple[Objects, Objects]:
    """Return both in the namespace that only one file may name; raise InputError unless they are of one parent."""
    before, after = (objects.parents[0] for objects in (one, other))
    check_same(before, after)
    metadata = {**present_fields(after.content["metadata"]), **present_fields(before.content["metadata"])}
    namespace = metadata.get("namespace")
    return one.in_namespace(namespace), other.in_namespace(namespace)


def _simulated(one: Objects, other: Objects, files: tuple[str, str], world: World) -> EditedChildren:
    """Return what changes in *world* when *other* is applied after *one*; both are of *files*."""
    old, new = files
    before, after = _after(world, one, old, place), _after(world, other, new, apply)
    rolled = [key for key in before if key[0] in ROLLED]
    kept = [key for key in rolled if key in after]
    restarts = [path for key in kept for path in restart_paths(before[key], after[key])]
    return EditedChildren(before, after, restarts, running=frozenset(rolled))


def _after(world: World, objects: Objects, file: str, store: Callable[[FileManifest, World], None]) -> ChildrenByName:
    """Return what Metacontroller has made in *world* once *store* has stored the parents; raise InputError."""
    start = world.clock.now
    for manifest in objects.others:
        apply(manifest, world)
    for manifest in objects.parents:
        store(manifest, world)
    _start(objects, world)
    see = f"see what happens with: {program_name()} simulate"
    stays_busy = any(traits().stays_busy(each.content) for each in objects.parents)
    try:
        is_quiet = world.until_quiet(SETTLED_BUSY if stays_busy else LONGEST_TIMER)
    except NeverQuiet as error:
        message = f"{file}: {error}; {see}"
        raise InputError(message) from error
    if not is_quiet and not stays_busy:
        message = f"{file}: the cluster does not become quiet; {see}"
        raise InputError(message)
    quiet = world.clock.now
    if failures(world, start):
        world.run(WATCHED)  # it may have passed
        for failure in failures(world, quiet):
            message = f"{file}: {failure}; {see}"
            raise InputError(message)
    _check_valid(objects, world)
    kinds = {kind.kind for kind in world.settings.children}
    made = {write.key for write in world.history.writes(NAME) if write.changed and write.key.kind in kinds}
    children = {key: item for key in sorted(made) if (item := world.api.get(key))}
    several = len({key.namespace for key in children}) > 1
    return {(key.kind, f"{key.namespace}/{key.name}" if several else key.name): children[key] for key in children}


def _check_valid(objects: Objects, world: World) -> None:
    """Raise InputError for a parent whose children are those of before, because the hook refuses its spec."""
    reason = traits().invalid_reason
    for item, key in zip(objects.parents, objects.keys(world), strict=True):
        status = world.get(key).get("status") or {}
        for condition in status.get("conditions") or []:
            if reason and condition.get("reason") == reason:
                raise InputError(refusal(item, problem_of(str(condition.get("message")))))


def _start(objects: Objects, world: World) -> None:
    """Give the parents the status of one that has started, as the program that runs knows it."""
    started = traits().started
    for key in objects.keys(world) if started else ():
        if not world.get(key).get("status"):
            world.edit(key, lambda parent: parent.update(status=started))


def _sentence(edit: EditedChildren, *, is_changed: bool) -> str:
    ended = [f"{kind} {name}" for kind, name in edit.running - edit.after.keys()]
    started = [kind for kind, _ in edit.after.keys() - edit.running if kind in ROLLED]
    restarts = [key for key in edit.running & edit.after.keys() if restart_paths(edit.before[key], edit.after[key])]
    if ended:
        return f"Pods are deleted, with {', '.join(sorted(ended))}."
    if restarts and not any(has_pods(edit.before[key]) for key in restarts):
        return f"No Pods are running: the {restarts[0][0]} has 0 replicas."
    if restarts:
        return f"Pods restart: {', '.join(edit.restart_paths)}"
    if not edit.running and started:
        return f"No Pods are running: the {started[0]} would be created."
    if not edit.running and edit.ready and not edit.after.keys() & edit.before.keys():
        return f"No Pods are running. {edit.ready}"
    return "Pods keep running." if is_changed else "Nothing changes."


def _as_json(edit: EditedChildren) -> Json:
    """Return the changes, with the path of each field that changes."""
    keys = sorted({*edit.before, *edit.after})
    changes = [(key, edit.before.get(key), edit.after.get(key)) for key in keys]
    return {
        "children": [
            {"change": change, "kind": kind, "name": name, "paths": paths}
            for (kind, name), old, new in changes
            for change, paths in _change(old, new, edit.hidden)
        ],
        "restart": edit.restart_paths,
    }


def _change(old: Json | None, new: Json | None, hidden: frozenset[str]) -> Iterator[tuple[str, list[str]]]:
    if old is None or new is None:
        yield "added" if new else "removed", []
    elif paths := changed_paths(shown_fields(old, hidden), shown_fields(new, hidden), ""):
        yield "changed", paths


def _print(lines: list[str]) -> None:
    if sys.stdout.isatty():
        with suppress(ModuleNotFoundError):  # an image has no rich
            _print_coloured(lines)
            return
    print("\n".join(lines))


def _print_coloured(lines: list[str]) -> None:
    from rich.console import Console  # noqa: PLC0415 - importing it takes time, and only a terminal needs it
    from rich.text import Text  # noqa: PLC0415 - the same

    console = Console()
    for line in lines:
        console.print(Text(line, style=_style(line)), soft_wrap=True)


def _style(line: str) -> str:
    styles = {"---": "bold", "+++": "bold", "@@ ": "cyan", "-": "red", "+": "green"}
    return next((style for start, style in styles.items() if line.startswith(start)), "")
