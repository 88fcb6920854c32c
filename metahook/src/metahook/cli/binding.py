"""A program bound to one controller: what only that program knows, in the place of ``--manifests`` and ``--hook``.

The commands ask for it while they run, as they ask for the name of the program. ``metahook`` itself has none.
"""

import copy
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click
from msgspec import Struct, field

if TYPE_CHECKING:
    from metahook.protocol.controller import Controller
    from metahook.protocol.objects import Json
    from metahook.simulator.apiserver.custom_rules import Problem
    from metahook.simulator.metacontroller.settings import Mode, Settings

T = TypeVar("T")

_BINDING, _OWN = "metahook.cli.binding", "metahook.cli.own"


class Words(Struct, frozen=True):
    """What a user of the program reads. A sentence that is empty is left out."""

    parent: str = "parent"
    """What a parent is called: its kind."""
    example: str = ""
    """A file with a parent."""
    serve: str = ""
    """The command that serves the hook."""
    collect: str = ""
    """The commands that collect live objects from a cluster, for ``replay --from-cluster``."""
    bad_states: frozenset[str] = frozenset()
    """The values of ``status.state``, or ``status.phase``, with which a parent needs help."""
    wrap: Callable[[str, int, int], str] | None = None
    """Breaks a text into lines of a width, and indents all but the first."""


class Uncompared(Struct, frozen=True):
    """What of a response ``replay`` does not compare: it depends on the time, or on what a recording leaves out."""

    fields: frozenset[str] = frozenset()
    """Of the status."""
    times: Mapping[str, str] = field(default_factory=dict)
    """For a field of the status, the field in it that is a time."""
    conditions: frozenset[str] = frozenset()
    """Types of conditions."""
    annotations: frozenset[str] = frozenset()
    """Of children."""


class Traits(Struct, frozen=True, kw_only=True):
    """What the commands ask any program; that of one controller knows more than the defaults."""

    problems: "Callable[[Json, Json | None], list[Problem]] | None" = None
    """Returns what is wrong with a parent in a file that is new, or replaces a stored one. The settings need no CRD."""
    schema: "Callable[[], Json] | None" = None
    """Returns the schema of a parent, for a page that completes its fields. The settings need no CRD."""
    invalid_reason: str = ""
    """The reason of Ready with which the hook keeps the children of before, because the spec is invalid."""
    renders_status: bool = False
    """Whether ``render`` prints each parent with its status before its children."""
    started: "Json | None" = None
    """The status of a parent that has started, and waits for nothing; with it ``diff`` simulates parents in files."""
    stays_busy: "Callable[[Json], bool]" = lambda _: False
    """Tells whether a parent always has something left to do, so that a simulation ends after an hour."""
    scenarios: tuple[Path, ...] = ()
    """Folders with scenarios that have names."""
    examples: tuple[str, ...] = ()
    """Files with a parent and what else it needs, for a page to begin with."""
    until: tuple[str, ...] = ("quiet",)
    """When a simulation may stop, besides a time: ``ready`` is a parent whose state is Ready."""
    uncompared: Uncompared = field(default_factory=Uncompared)
    """What ``replay`` does not compare."""
    hidden: frozenset[str] = frozenset()
    """Annotations about the last write of a child, which ``diff`` does not show."""
    replays_redacted: bool = False
    """Whether recordings without values keep all that the responses depend on."""
    words: Words = field(default_factory=Words)


class Binding(Traits, frozen=True, kw_only=True):
    """A controller, its manifests and its words.

    *with_own* gives a command the options of the program, and what they say as its argument ``own``. That is given to
    *controller* and *settings*, which return the controller, and the settings of a cluster with an apply strategy.
    """

    controller: "Callable[[Any], Controller]"
    settings: "Callable[[Mode, Any], Settings]"
    with_own: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda command: command
    own_of: "Callable[[Json], Any] | None" = None
    """Returns what *with_own* would, for the field ``watch`` of a scenario; raise ValueError."""
    collected: Collection[str] = ()
    """Groups of related objects, such as ``Service.v1``, that the commands to collect live objects always collect."""


class NamesController(click.Option):
    """An option that names the controller or its manifests: a bound program has none."""


class NamesHook(click.Option):
    """An option that names the hook: in a bound program it may be left out."""


class CollectsObjects(click.Option):
    """An option about live objects. It is hidden, unless the words of the program say how to collect them."""


def binding() -> Binding | None:
    """Return the binding of the program that runs, or None."""
    context = click.get_current_context(silent=True)
    return context.meta.get(_BINDING) if context else None


def traits() -> Traits:
    """Return those of the program that runs; ``metahook`` itself prints the status of any parent."""
    return binding() or Traits(renders_status=True)


def words() -> Words:
    """Return the words of the program that runs."""
    return traits().words


def own() -> Any:  # noqa: ANN401 - only the program knows
    """Return what the options of the program say."""
    return click.get_current_context().meta.get(_OWN)


def bind(bound: Binding, own: object) -> None:
    """Let the command that runs be one of a program that is *bound*, with what its options say."""
    click.get_current_context().meta.update({_BINDING: bound, _OWN: own})


def bound_command(context: click.Context, command: click.Command, bound: Binding) -> click.Command:
    """Return the toolkit's *command* for the program in *context*, which is *bound*."""
    context.meta[_BINDING] = bound
    changed = copy.copy(command)
    changed.help = _in_words(command.help or "", str(context.find_root().info_name), bound.words)
    if not any(isinstance(parameter, NamesHook) for parameter in command.params):
        return changed
    inner = command.callback

    def run(*, own: object = None, **given: object) -> object:
        click.get_current_context().meta[_OWN] = own
        return inner(**given) if inner else None

    added = click.command()(bound.with_own(run))
    kept = [_of_program(each, bound) for each in command.params if not isinstance(each, NamesController)]
    changed.params = [*kept, *added.params]
    changed.callback = added.callback
    return changed


def _of_program(parameter: click.Parameter, bound: Binding) -> click.Parameter:
    changed = copy.copy(parameter)
    if isinstance(changed, NamesHook):
        changed.required = False
        changed.help = f"Call this hook instead of the built-in one. {changed.help}"
    if isinstance(changed, CollectsObjects):
        changed.hidden = not bound.words.collect
    return changed


def _in_words(text: str, program: str, chosen: Words) -> str:
    """Return the help *text* of the toolkit in the words of another program."""
    replaced: Mapping[str, str] = {"metahook ": f"{program} ", "a parent": f"a {chosen.parent}"}
    for old, new in replaced.items():
        text = text.replace(old, new)
    return text
