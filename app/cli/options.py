"""The operator's settings as options of a command."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

import click
from click.core import ParameterSource

from app.settings.option import InvalidSetting, meaning_of, names, option_of, read, unknown_variables, variable_of
from app.settings.watch import PageSettings, WatchSettings

T = TypeVar("T")
S = TypeVar("S", bound=PageSettings)


class _Option(click.Option):
    """The option for a setting of *kind*."""

    def __init__(self, declarations: Sequence[str], kind: type[PageSettings], **attributes: Any) -> None:  # noqa: ANN401 - click's
        self._kind = kind
        super().__init__(declarations, **attributes)

    @property
    def help(self) -> str:
        """What the setting means, read when it is asked for: that takes a twentieth of the time to start."""
        return meaning_of(self._kind, str(self.name))

    @help.setter  # noqa: A003 - as click calls it
    def help(self, _: str | None) -> None:
        """Do nothing: click sets what the option is given."""

    def resolve_envvar_value(self, ctx: click.Context) -> None:
        """Return no value: the settings class reads the variable, so that a wrong value has one message."""


def with_docs_url(command: Callable[..., T]) -> Callable[..., T]:
    """Give *command* the address of the pages as its argument ``docs_url``, and the option for it."""
    return with_options(PageSettings, command, lambda settings: {"docs_url": settings.docs_url})


def with_watch(command: Callable[..., T]) -> Callable[..., T]:
    """Give *command* what is watched as its argument ``own``, and the options for it."""
    return with_options(WatchSettings, command, lambda settings: {"own": settings.watch})


def with_options(
    kind: type[S], command: Callable[..., T], argument: Callable[[S], dict[str, object]], *, names_unknown: bool = False
) -> Callable[..., T]:
    """Give *command* the options of the settings of *kind*, and what *argument* makes of these settings.

    With *names_unknown*, it warns of variables of no setting, for which *kind* must be all settings: to refuse them
    would keep an earlier version from starting where the variables of a later one are set.
    """

    @wraps(command)
    def run(**values: object) -> T:
        for sentence in unknown_variables(kind, os.environ) if names_unknown else ():
            click.echo(f"myresource: warning: {sentence}", err=True)
        others = {name: value for name, value in values.items() if name not in kind.model_fields}
        return command(**argument(_read(kind)), **others)

    decorated: Callable[..., T] = run
    for name in reversed(names(kind)):
        decorated = _option(kind, name)(decorated)
    return decorated


def _option(kind: type[PageSettings], name: str) -> Callable[[Callable[..., T]], Callable[..., T]]:
    field = kind.model_fields[name]
    option = option_of(name, field)
    is_switch = field.annotation is bool
    return click.option(
        f"{option.flag}/--no-{option.flag.removeprefix('--')}" if is_switch else option.flag,
        name,
        cls=_Option,
        kind=kind,
        type=None if is_switch else str,
        metavar=None if is_switch else option.metavar,
        multiple=isinstance(field.default, tuple),
        default=field.default,
        show_default=True,
        envvar=variable_of(name),
        show_envvar=True,
    )


def _read(kind: type[S]) -> S:
    """Return the settings of the command that runs; raise click.BadParameter."""
    context = click.get_current_context()
    from_options = [name for name in names(kind) if context.get_parameter_source(name) is ParameterSource.COMMANDLINE]
    try:
        return read(kind, **{name: context.params[name] for name in from_options})
    except InvalidSetting as error:
        is_option = error.name in from_options
        hint = option_of(error.name, kind.model_fields[error.name]).flag if is_option else variable_of(error.name)
        raise click.BadParameter(str(error), context, param_hint=hint) from error
