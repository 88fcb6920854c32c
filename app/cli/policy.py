"""The operator's settings: what is followed, as options and variables of every command that answers as a hook does."""

import re
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

import click
from pydantic import ValidationError

from app.api.dependencies import Dependency
from app.core.watch import Watch
from metahook import ConfigMap, Kind, Pod, Secret, Service

T = TypeVar("T")

MOST_KINDS = 32
"""Each costs Metacontroller a cache of all objects of its kind."""

_OWN = {(kind.KIND.api_version, kind.KIND.plural) for kind in (ConfigMap, Pod, Secret, Service)}
"""Two related rules of one kind would cost Metacontroller the square of their number of objects."""

_KIND = re.compile("[A-Z][A-Za-z0-9]{0,62}")
_FORM = "not a kind; write it as apiVersion/resource/Kind, such as example.com/v1/mybackups/MyBackup"


def dependency_kind(text: str) -> Kind | None:
    """Return the kind that *text* names, such as ``example.com/v1/mybackups/MyBackup``; None if it names none."""
    version, *words = text.rsplit("/", 2)
    if len(words) != 2 or not _KIND.fullmatch(words[1]) or not _can_be_asked_for(version, words[0]):  # noqa: PLR2004
        return None
    return Kind(version, words[1], words[0])


def _can_be_asked_for(api_version: str, resource: str) -> bool:
    try:
        Dependency.model_validate({"apiVersion": api_version, "resource": resource, "name": "any"})
    except ValidationError:
        return False
    return True


def _kinds(_: click.Context, __: click.Parameter, given: tuple[str, ...]) -> tuple[Kind, ...]:
    words = dict.fromkeys(word for text in given for word in text.replace(",", " ").split())
    found = [dependency_kind(word) for word in words]
    kinds = tuple(kind for kind in found if kind)
    if len(kinds) < len(found):
        raise click.BadParameter(_FORM)
    if own := next((kind for kind in kinds if (kind.api_version, kind.plural) in _OWN), None):
        message = f"{own.plural} can't be waited for: what the operator looks at of them, it follows by itself"
        raise click.BadParameter(message)
    if len(kinds) > MOST_KINDS:
        message = f"{len(kinds)} kinds; name at most {MOST_KINDS}, as Metacontroller keeps all objects of each"
        raise click.BadParameter(message)
    if len({(kind.api_version, kind.plural) for kind in kinds}) < len(kinds):
        message = "the same resource twice, with two kinds; leave out the one that is not its kind"
        raise click.BadParameter(message)
    return kinds


_OPTIONS = (
    click.option(
        "--pods/--no-pods",
        default=True,
        envvar="MYRESOURCE_PODS",
        show_default=True,
        show_envvar=True,
        help="Let Pods explain why a MyResource is not Ready.",
    ),
    click.option(
        "--secrets/--no-secrets",
        default=False,
        envvar="MYRESOURCE_SECRETS",
        show_default=True,
        show_envvar=True,
        help="Replace Pods when a Secret that they use changes, as with ConfigMaps.",
    ),
    click.option(
        "--dependency-kind",
        "dependencies",
        multiple=True,
        default=(),
        callback=_kinds,
        metavar="KIND",
        envvar="MYRESOURCE_DEPENDENCY_KINDS",
        show_envvar=True,
        help="Kind that MyResources may wait for, such as example.com/v1/mybackups/MyBackup. May be repeated.",
    ),
)


def with_policy(command: Callable[..., T]) -> Callable[..., T]:
    """Give *command* the policy that the options say."""

    @wraps(command)
    def run(*, pods: bool, secrets: bool, dependencies: tuple[Kind, ...], **given: object) -> T:
        return command(watch=Watch(pods, secrets, dependencies), **given)

    for option in reversed(_OPTIONS):
        option(run)
    return run
