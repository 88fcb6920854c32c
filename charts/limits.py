"""Generates the group ``limits`` of the chart's values, and of their schema, from the settings: ``make generate``."""

import re
from collections.abc import Iterator

from app.api.crd import descriptions
from app.settings.option import camel_case, range_of
from app.settings.serve import LimitSettings
from charts.rendering import CHART

VALUES, SCHEMA = CHART / "values.yaml", CHART / "values.schema.json"
ALONE = "max_body"
"""A value of its own, because it is the limit that users have a reason to change."""


def limits() -> list[str]:
    """Return the names of the settings in the group."""
    return [name for name in LimitSettings.model_fields if name != ALONE]


def with_values(text: str) -> str:
    """Return the values in *text* with those of the group: each with its description and its default."""
    texts = descriptions(LimitSettings)
    made = "".join(
        f"  # {' '.join(texts[name].split())}\n  {camel_case(name)}: {LimitSettings.model_fields[name].default}\n"
        for name in limits()
    )
    return re.sub(r"(?<=\nlimits:\n)(?:  .*\n)+", lambda _: made, text)


def with_schema(text: str) -> str:
    """Return the schema in *text* with that of the group: each value with its bounds."""
    made = ",\n".join(f"        {line}" for line in _schemas())
    return re.sub(
        r'(?<=\n    "limits": \{\n)(.*?"properties": \{\n).*?(?=\n      \})', rf"\g<1>{made}", text, flags=re.DOTALL
    )


def _schemas() -> Iterator[str]:
    for name in limits():
        least, most = range_of(LimitSettings.model_fields[name])
        yield f'"{camel_case(name)}": {{"type": "integer", "minimum": {least}, "maximum": {most}}}'


def main() -> None:
    """Write the values and the schema."""
    VALUES.write_text(with_values(VALUES.read_text()))
    SCHEMA.write_text(with_schema(SCHEMA.read_text()))
    print(f"{CHART.name}: the limits of values.yaml and values.schema.json")


if __name__ == "__main__":
    main()
