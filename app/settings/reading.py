"""Reads settings, and says in words what their values must be."""

import os
from typing import Any, Literal, TypeVar, get_args, get_origin

from pydantic import ValidationError
from pydantic.fields import FieldInfo

from app.api.descriptions import descriptions
from app.settings.callers import CallerSettings
from app.settings.limits import LimitSettings
from app.settings.logs import LogSettings
from app.settings.option import PREFIX, Option
from app.settings.watch import WatchSettings
from metahook import Kind

S = TypeVar("S", bound=WatchSettings)


LIMITS = LimitSettings.model_fields


class InvalidSetting(Exception):
    """Raised for a wrong value of the setting *name*. The text says what the value must be, and never what it is."""

    def __init__(self, name: str, problem: str) -> None:
        super().__init__(problem)
        self.name = name


def read(kind: type[S], **given: Any) -> S:  # noqa: ANN401 - each setting has a type of its own
    """Return the settings: those that are *given*, and the others from the environment; raise InvalidSetting."""
    for name, remedy in kind.REMOVED.items():
        if os.environ.get(variable_of(name)):
            raise InvalidSetting(name, remedy)
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
    if get_origin(field.annotation) is Literal:
        return f"must be one of {', '.join(get_args(field.annotation))}"
    if field.annotation is int:
        return f"must be a whole number {bounds(field)}".rstrip()
    return "must not be empty"


def bounds(field: FieldInfo) -> str:
    """Return the bounds of a setting that is a number, such as "from 1 to 256"; "" if it has none."""
    least = next((each.ge for each in field.metadata if hasattr(each, "ge")), None)
    most = next((each.le for each in field.metadata if hasattr(each, "le")), None)
    return "" if least is None else f"from {least} to {most}"


def option_of(name: str, field: FieldInfo) -> Option:
    """Return the option of the setting *name*."""
    found = next((each for each in field.metadata if isinstance(each, Option)), Option("INTEGER"))
    return Option(found.metavar, found.flag or flag_of(name))


def flag_of(name: str) -> str:
    """Return the option that is made from the *name* of a setting."""
    return "--" + name.replace("_", "-")


def variable_of(name: str) -> str:
    """Return the variable of the setting *name*."""
    return PREFIX + name.upper()


def meaning_of(kind: type[WatchSettings], name: str) -> str:
    """Return the description of the setting *name*, with its bounds."""
    text, of_number = " ".join(descriptions(kind).get(name, "").split()), bounds(kind.model_fields[name])
    return f"{text} A number {of_number}." if of_number else text


def changed(settings: WatchSettings) -> dict[str, str]:
    """Return the settings that differ from their defaults, as text. None of them is a secret: those are in files."""
    defaults = {name: field.default for name, field in type(settings).model_fields.items()}
    return {name: _text(value) for name, value in settings if value != defaults[name]}


def _text(value: object) -> str:
    if isinstance(value, Kind):
        return f"{value.api_version}/{value.plural}/{value.kind}"
    return ",".join(map(_text, value)) if isinstance(value, tuple) else str(value)


def names(kind: type[WatchSettings]) -> list[str]:
    """Return the names of the settings of *kind* in the order of the help, which ends with what is watched."""
    groups = (WatchSettings.model_fields, LIMITS, CallerSettings.model_fields, LogSettings.model_fields)
    return sorted(kind.model_fields, key=lambda name: [name in group for group in groups])
