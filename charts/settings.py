"""Generates what the chart has of each setting that is a number, a switch or a word: ``make generate``.

That is its value in ``values.yaml``, the type of that in ``values.schema.json``, and its variable in ``_helpers.tpl``.
The comment of a value stays as it is, because it can say more than the setting does, except in the group ``limits``.
"""

import json
import re
from collections.abc import Mapping
from typing import Literal, get_args, get_origin

from app.api.descriptions import descriptions
from app.settings.option import camel_case, names, range_of, variable_of
from app.settings.serve import CallerSettings, LimitSettings, ServeSettings
from app.settings.watch import WatchSettings
from charts.rendering import CHART

FIXED = {"port", "health_port"}
"""The chart's Services and probes have these ports."""
FILES = set(CallerSettings.model_fields)
"""They follow from the values of tls."""
NOT_IN_A_CLUSTER = {"dev"}
"""Development mode logs the status."""
BY_HAND = FIXED | FILES | NOT_IN_A_CLUSTER | {"max_body"}
"""The last one also decides how much memory the hook needs."""


def _is_made(name: str) -> bool:
    kind = ServeSettings.model_fields[name].annotation
    return name not in BY_HAND and (kind in {bool, int} or get_origin(kind) is Literal)


MADE = [name for name in names(ServeSettings) if _is_made(name)]
LIMITS = [name for name in MADE if name in LimitSettings.model_fields]
WATCHED = [name for name in MADE if name.startswith("watch_")]
GROUPS = {"limits.": LIMITS, "watch.": WATCHED, "": [name for name in MADE if name not in {*LIMITS, *WATCHED}]}
"""The settings by the beginning of the paths of their values."""


def value_of(name: str) -> str:
    """Return the path of the value that sets the setting *name*, such as watch.pods, limits.maxInFlight and maxBody."""
    group = "limits." if name in LIMITS else "watch." if name.startswith("watch_") else ""
    return group + camel_case(name.removeprefix("watch_"))


def with_values(text: str) -> str:
    """Return the values in *text* with those of the settings: each with a comment and its default."""
    texts = descriptions(ServeSettings)
    for group, settings in GROUPS.items():
        indent, end = ("  ", "") if group else ("", "\n")
        entries = {}
        for name in settings:
            key = value_of(name).removeprefix(group)
            comment, found = " ".join(texts[name].split()), re.search(rf"# (.*)\n{indent}{key}: ", text)
            if found and group != "limits.":
                comment = found[1]
            default = json.dumps(ServeSettings.model_fields[name].default).strip('"')
            entries[key] = f"{indent}# {comment}\n{indent}{key}: {default}\n{end}"
        text = _replaced(text, rf"{indent}#.*\n{indent}(?:KEY): .*\n{end}", entries)
    return text


def with_schema(text: str) -> str:
    """Return the schema in *text* with the types of the values, which have the bounds and the words of the settings."""
    for group, settings in GROUPS.items():
        indent = " " * (8 if group else 4)
        keys = {value_of(name).removeprefix(group): name for name in settings}
        entries = {key: f'{indent}"{key}": {json.dumps(_type(name))}' for key, name in keys.items()}
        text = _replaced(text, rf'{indent}"(?:KEY)": {{.*}}', entries, ",\n")
    return text


def _type(name: str) -> dict[str, object]:
    field = ServeSettings.model_fields[name]
    if field.annotation is int:
        least, most = range_of(field)
        return {"type": "integer", "minimum": least, "maximum": most}
    return {"type": "boolean"} if field.annotation is bool else {"enum": [*get_args(field.annotation)]}


def with_variables(text: str) -> str:
    """Return the templates in *text* with the variables of the values; one loop has all limits."""
    decides = {name: _variable(name) for name in MADE if name in WatchSettings.model_fields}
    others = {name: _variable(name) for name in GROUPS[""] if name not in decides}
    for entries in (decides, others):
        by_variable = {variable_of(name): entry for name, entry in entries.items()}
        text = _replaced(text, r"- \{name: (?:KEY), .*\n", by_variable)
    return text


def _variable(name: str) -> str:
    kind, value = ServeSettings.model_fields[name].annotation, f".Values.{value_of(name)}"
    text = {bool: f"{value} | toString | quote", int: f"int64 {value} | quote"}.get(kind, value)
    return f"- {{name: {variable_of(name)}, value: {{{{ {text} }}}}}}\n"


def _replaced(text: str, entry: str, entries: Mapping[str, str], separator: str = "") -> str:
    """Return *text* with *entries* in place of those that it has of their keys, which are in one row."""
    one = entry.replace("KEY", "|".join(entries))
    longest = max(re.finditer(f"{one}(?:{separator}{one})*", text), key=lambda found: len(found[0]))
    return text[: longest.start()] + separator.join(entries.values()) + text[longest.end() :]


def main() -> None:
    """Write the values, their schema and their variables."""
    files = {"values.yaml": with_values, "values.schema.json": with_schema, "templates/_helpers.tpl": with_variables}
    for name, made in files.items():
        file = CHART / name
        file.write_text(made(file.read_text()))
        print(f"{CHART.name}: the settings in {name}")


if __name__ == "__main__":
    main()
