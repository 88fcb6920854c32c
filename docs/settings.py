"""The table of settings in the README, made from the settings class."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from app.settings import LimitSettings, Settings, meaning_of, names, option_of, variable_of

README = Path(__file__).parent.parent / "README.md"
BEGIN, END = "<!-- settings: made by make pages -->\n", "<!-- end of settings -->\n"


def table(of: Iterable[str]) -> str:
    """Return a row for each of the settings."""
    rows = "".join(_row(name) for name in of)
    return "| option of `serve` | variable | default | meaning |\n|---|---|---|---|\n" + rows


def _row(name: str) -> str:
    field = Settings.model_fields[name]
    option = option_of(name, field).flag
    return f"| `{option}` | `{variable_of(name)}` | {_shown(field.default)} | {meaning_of(field)} |\n"


def _shown(default: Any) -> str:  # noqa: ANN401 - each setting has a type of its own
    if isinstance(default, bool):
        return f"`{str(default).lower()}`"
    return f"`{default}`" if default else "not set"


def page() -> str:
    """Return the README with the table in its place."""
    before, _, rest = README.read_text().partition(BEGIN)
    shown = [name for name in names(Settings) if name not in LimitSettings.model_fields]
    return before + BEGIN + "\n" + table(shown) + "\n" + END + rest.partition(END)[2]
