"""How a setting is given, and what its value must be: its option, its variable, its bounds."""

import difflib
import inspect
import os
import re
from collections.abc import Iterator, Mapping
from typing import Any, Literal, TypeVar, get_args, get_origin

from msgspec import Struct
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.fields import FieldInfo

from app.api.descriptions import descriptions
from metahook import Kind

PREFIX = "MYRESOURCE_"


class Settings(BaseModel):
    """Settings that have options and variables."""

    model_config = ConfigDict(frozen=True, defer_build=True)


S = TypeVar("S", bound=Settings)


class Option(Struct, frozen=True):
    """The option of a setting, where it is not made from the name and the type alone."""

    metavar: str
    """What the help calls the value."""
    flag: str = ""


class InvalidSetting(Exception):
    """Raised for a wrong value of the setting *name*. The text says what the value must be, and never what it is."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name


def read(kind: type[S], **given: Any) -> S:  # noqa: ANN401 - each setting has a type of its own
    """Return the settings: those that are *given*, and the others from the environment; raise InvalidSetting."""
    variables = {name: os.environ.get(variable_of(name)) for name in kind.model_fields}
    try:
        return kind(**{**{name: value for name, value in variables.items() if value}, **given})
    except ValidationError as error:
        detail = error.errors(include_url=False, include_input=False)[0]
        name = str(detail["loc"][0])
        problem = str(detail["ctx"]["error"]) if detail["type"] == "value_error" else _must_be(kind.model_fields[name])
        raise InvalidSetting(name, problem) from None


def _must_be(field: FieldInfo) -> str:
    if field.annotation is bool:
        return "must be true or false"
    if get_origin(field.annotation) is Literal:
        return f"must be one of {', '.join(get_args(field.annotation))}"
    if field.annotation is int:
        return f"must be a whole number {bounds(field)}".rstrip()
    return "must not be empty"


def bounds(field: FieldInfo) -> str:
    """Return the bounds of a setting that is a number, such as "from 1 to 256"; "" if it has none."""
    least, most = range_of(field)
    return "" if least is None else f"from {least} to {most}"


def range_of(field: FieldInfo) -> tuple[int | None, int | None]:
    """Return the least and the most of a setting that is a number."""
    least = next((bound.ge for bound in field.metadata if hasattr(bound, "ge")), None)
    return least, next((bound.le for bound in field.metadata if hasattr(bound, "le")), None)


def option_of(name: str, field: FieldInfo) -> Option:
    """Return the option of the setting *name*."""
    option = next((item for item in field.metadata if isinstance(item, Option)), Option("INTEGER"))
    return Option(option.metavar, option.flag or "--" + name.replace("_", "-"))


def variable_of(name: str) -> str:
    """Return the variable of the setting *name*."""
    return PREFIX + name.upper()


def camel_case(name: str) -> str:
    """Return the *name* of a setting as the chart writes it: max_body is maxBody."""
    return re.sub("_(.)", lambda found: found[1].upper(), name)


def meaning_of(kind: type[Settings], name: str) -> str:
    """Return the description of the setting *name*, with its bounds."""
    text, of_number = " ".join(descriptions(kind).get(name, "").split()), bounds(kind.model_fields[name])
    return f"{text} A number {of_number}." if of_number else text


_OF_SERVICE = re.compile("(.*_)?(SERVICE_(HOST|PORT(_.*)?)|PORT(_[0-9]+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)?)")
"""What follows PREFIX in the variables that Kubernetes sets for a Service called myresource, or myresource-..., if the
Pod does not set ``enableServiceLinks: false``. Source: Kubernetes, pkg/kubelet/envvars."""


def unknown_variables(kind: type[Settings], environment: Mapping[str, str]) -> Iterator[str]:
    """Yield a sentence for each variable that begins as one of a setting of *kind* does, and is of none."""
    known = [name.upper() for name in kind.model_fields]
    for variable in sorted(each for each, value in environment.items() if each.startswith(PREFIX) and value):
        name = variable.removeprefix(PREFIX)
        if name not in known and not _OF_SERVICE.fullmatch(name):
            close = difflib.get_close_matches(name, known, n=1)
            remedy = f"did you mean {PREFIX}{close[0]}?" if close else "remove it, or see: myresource serve --help"
            yield f"{variable} is ignored: no setting has this variable; {remedy}"


def changed(settings: Settings) -> dict[str, str]:
    """Return the settings that differ from their defaults, as text. None of them is a secret: those are in files."""
    defaults = {name: field.default for name, field in type(settings).model_fields.items()}
    return {name: _text(value) for name, value in settings if value != defaults[name]}


def _text(value: object) -> str:
    if isinstance(value, Kind):
        return f"{value.api_version}/{value.plural}/{value.kind}"
    return ",".join(map(_text, value)) if isinstance(value, tuple) else str(value)


def names(kind: type[Settings]) -> list[str]:
    """Return the names of the settings of *kind* in the order of the help: its own, then those of its bases."""
    return [name for base in kind.__mro__ for name in inspect.get_annotations(base) if name in kind.model_fields]
