"""The operator's settings. The options of the commands, their help and the README's table are made from them.

A setting has the value of its option, else that of its variable ``MYRESOURCE_<NAME>``, else its default. An empty
variable counts as not set. Tests compare the chart's values with the settings.
"""

import re
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

from pydantic import Field, PlainValidator, ValidationError
from pydantic.fields import FieldInfo
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from app.api.dependencies import Dependency
from app.core.watch import Watch
from metahook import ConfigMap, Kind, Pod, Secret, Service
from metahook.protocol.wire import MAX_BODY, MIB

PREFIX = "MYRESOURCE_"

MOST_KINDS = 32
"""Each costs Metacontroller a cache of all objects of its kind."""

_RESERVED = {(kind.KIND.api_version, kind.KIND.plural) for kind in (ConfigMap, Pod, Secret, Service)}
"""Kinds that have a related rule already: two rules cost Metacontroller the square of the number of objects."""

_KIND = re.compile("[A-Z][A-Za-z0-9]{0,62}")


@dataclass(frozen=True)
class Option:
    """The option of a setting, where it is not made from the name and the type alone."""

    metavar: str
    """What the help calls the value."""
    flag: str = ""


def dependency_kind(text: str) -> Kind:
    """Return the kind that *text* names, such as ``example.com/v1/mybackups/MyBackup``; raise ValueError."""
    api_version, *words = text.rsplit("/", 2)
    if len(words) == 2 and _KIND.fullmatch(words[1]) and _is_resource(api_version, words[0]):  # noqa: PLR2004
        return Kind(api_version, words[1], words[0])
    message = "write each kind as apiVersion/resource/Kind, such as example.com/v1/mybackups/MyBackup"
    raise ValueError(message)


def _is_resource(api_version: str, resource: str) -> bool:
    try:
        Dependency.model_validate({"apiVersion": api_version, "resource": resource, "name": "any"})
    except ValidationError:
        return False
    return True


def _dependency_kinds(given: str | tuple[str, ...]) -> tuple[Kind, ...]:
    """Return the kinds in the variable, or in the repeated option; commas or spaces separate them."""
    texts = (given,) if isinstance(given, str) else given
    kinds = tuple(dependency_kind(word) for word in dict.fromkeys(" ".join(texts).replace(",", " ").split()))
    resources = [(kind.api_version, kind.plural) for kind in kinds]
    problem = None
    if len(kinds) > MOST_KINDS:
        problem = f"name at most {MOST_KINDS} kinds, because Metacontroller keeps all objects of each in memory"
    elif not _RESERVED.isdisjoint(resources):
        problem = "leave out configmaps, pods, secrets and services: MyResources can't wait for them"
    elif len(set(resources)) < len(resources):
        problem = "a resource is named twice, with two kinds; leave out the wrong one"
    if problem:
        raise ValueError(problem)
    return kinds


class WatchSettings(BaseSettings):
    """What is watched: the settings of every command that answers as the hook does.

    Why a class of its own: a wrong MYRESOURCE_PORT must not keep ``myresource render`` from running.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="ignore", frozen=True, use_attribute_docstrings=True
    )

    watch_pods: bool = True
    """Watch Pods, so that the status explains why a MyResource is not Ready."""
    watch_secrets: bool = False
    """Watch Secrets, so that Pods are replaced when a Secret that they use changes, as for ConfigMaps."""
    watch_dependencies: Annotated[
        tuple[Kind, ...], NoDecode, PlainValidator(_dependency_kinds), Option("KIND", "--watch-dependency")
    ] = ()
    """Kind that MyResources can wait for, such as example.com/v1/mybackups/MyBackup. Repeat the option, or separate
    kinds with commas."""

    @property
    def watch(self) -> Watch:
        """Return what is watched."""
        return Watch(self.watch_pods, self.watch_secrets, self.watch_dependencies)


class Settings(WatchSettings):
    """All settings: those of ``myresource serve``."""

    host: Annotated[str, Field(min_length=1), Option("ADDRESS")] = "127.0.0.1"
    """Address to listen on."""
    port: Annotated[int, Field(ge=0, le=65535)] = 8080
    """Port of /sync, /customize and /openapi.json."""
    health_port: Annotated[int, Field(ge=0, le=65535)] = 8081
    """Port of /livez and /readyz."""
    max_body: Annotated[int, Field(ge=1, le=256), Option("MIB")] = MAX_BODY // MIB
    """Maximum size of a request, in MiB. Memory use grows with it: see docs/operate.md."""
    record: Annotated[str | None, Field(min_length=1), Option("DIR")] = None
    """Directory to record requests and responses in, for myresource replay. They contain users' data: keep them
    private."""
    record_limit: Annotated[int, Field(ge=1), Option("MIB")] = 100
    """Stop recording when the directory contains this much, in MiB."""
    dev: bool = False
    """Log what each call changes in the response, and serve the pages / and /docs, to try the hooks. Not for clusters:
    the log shows the status of MyResources."""


S = TypeVar("S", bound=WatchSettings)


class InvalidSetting(Exception):
    """Raised for a wrong value of the setting *name*. The text says what the value must be, and never what it is."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name


def read(kind: type[S], **given: Any) -> S:  # noqa: ANN401 - each setting has a type of its own
    """Return the settings: those that are *given*, and the others from the environment; raise InvalidSetting."""
    try:
        return kind(**given)
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        name = str(detail["loc"][0])
        problem = str(detail["ctx"]["error"]) if detail["type"] == "value_error" else _must_be(kind.model_fields[name])
        raise InvalidSetting(name, problem) from None


def _must_be(field: FieldInfo) -> str:
    if field.annotation is bool:
        return "must be true or false"
    if field.annotation is int:
        return f"must be a whole number {bounds(field)}".rstrip()
    return "must not be empty"


def bounds(field: FieldInfo) -> str:
    """Return the bounds of a setting that is a number, such as "from 1 to 256"; "" if it has none."""
    least = next((each.ge for each in field.metadata if hasattr(each, "ge")), None)
    most = next((each.le for each in field.metadata if hasattr(each, "le")), None)
    if least is None:
        return ""
    return f"of at least {least}" if most is None else f"from {least} to {most}"


def option_of(name: str, field: FieldInfo) -> Option:
    """Return the option of the setting *name*."""
    found = next((each for each in field.metadata if isinstance(each, Option)), Option("INTEGER"))
    return Option(found.metavar, found.flag or "--" + name.replace("_", "-"))


def variable_of(name: str) -> str:
    """Return the variable of the setting *name*."""
    return PREFIX + name.upper()


def meaning_of(field: FieldInfo) -> str:
    """Return the description of a setting, with its bounds."""
    text = " ".join((field.description or "").split())
    return f"{text} A number {bounds(field)}." if bounds(field) else text


def names(kind: type[WatchSettings]) -> list[str]:
    """Return the names of the settings of *kind* in the order of the help: what is watched comes last."""
    return sorted(kind.model_fields, key=WatchSettings.model_fields.__contains__)
