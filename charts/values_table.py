"""Makes the table of values in the chart's README from ``values.yaml``: ``make manifests``.

The comment above a value documents it; a value that holds others is a heading, and gets no row.
"""

import json
import re
from typing import Any

import yaml

from charts.rendering import CHART

README = CHART / "README.md"
BEGIN, END = "<!-- values: made by make manifests -->\n", "<!-- end of values -->\n"
KEY = re.compile(r"( *)([A-Za-z][\w]*):(.*)")


def documented(text: str) -> dict[str, str]:
    """Return the comment above each key of the values in *text*, by the key's path."""
    comments: list[str] = []
    found: dict[str, str] = {}
    path: list[str] = []
    for line in text.splitlines():
        match = KEY.fullmatch(line)
        if match:
            path = [*path[: len(match[1]) // 2], match[2]]
            found |= {".".join(path): " ".join(comments)} if comments else {}
        comments = [*comments, line.strip("# ")] if line.lstrip().startswith("#") else []
    return found


def leaves(values: object, comments: dict[str, str], path: str = "") -> dict[str, Any]:
    """Return the values to set, by path: those that hold no documented ones."""
    below = {f"{path}.{key}".lstrip("."): value for key, value in values.items()} if isinstance(values, dict) else {}
    if path and not any(key in comments for key in below):
        return {path: values}
    return {key: leaf for at, value in below.items() for key, leaf in leaves(value, comments, at).items()}


def table() -> str:
    """Return the table of all values."""
    text = (CHART / "values.yaml").read_text()
    comments = documented(text)
    rows = [
        f"| `{path}` | `{json.dumps(value)}` | {comments.get(path, '').replace('|', '&#124;')} |\n"
        for path, value in leaves(yaml.safe_load(text), comments).items()
    ]
    return "| value | default | meaning |\n|---|---|---|\n" + "".join(rows)


def readme() -> str:
    """Return the README with the table in its place."""
    before, _, rest = README.read_text().partition(BEGIN)
    return before + BEGIN + "\n" + table() + "\n" + END + rest.partition(END)[2]


def main() -> None:
    """Write the README."""
    README.write_text(readme())
    print(f"{CHART.name}/README.md: the table of values")


if __name__ == "__main__":
    main()
