"""The tables of the settings and of the limits in docs/reference/settings.md."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.settings.option import meaning_of, names, option_of, variable_of
from app.settings.serve import LimitSettings, ServeSettings

PAGE = Path(__file__).parents[1] / "docs/reference/settings.md"


def table(of: Iterable[str]) -> str:
    """Return a row for each of the settings."""
    rows = "".join(_row(name) for name in of)
    return "| option of `serve` | variable | default | meaning |\n|---|---|---|---|\n" + rows


def _row(name: str) -> str:
    field = ServeSettings.model_fields[name]
    option = option_of(name, field).flag
    return f"| `{option}` | `{variable_of(name)}` | {_shown(field.default)} | {meaning_of(ServeSettings, name)} |\n"


def _shown(default: Any) -> str:  # noqa: ANN401 - each setting has a type of its own
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default}`" if default else "not set"


def page() -> str:
    """Return the page with the table of the limits and that of the other settings."""
    others = [name for name in names(ServeSettings) if name not in LimitSettings.model_fields]
    text = _with_table(PAGE.read_text(), "settings", others)
    return _with_table(text, "limits", LimitSettings.model_fields)


def _with_table(text: str, name: str, of: Iterable[str]) -> str:
    begin, end = f"<!-- {name}: made by make generate -->\n", f"<!-- end of {name} -->\n"
    before, _, rest = text.partition(begin)
    return before + begin + "\n" + table(of) + "\n" + end + rest.partition(end)[2]
