"""What a value set changes in the rendered chart, as lines that a reviewer can read.

A field is a line: its path, and its value. So a line says which field it is about, and stays as it is when the default
of another field changes.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import yaml

from charts.version import VERSION

Templates = dict[str, str]
"""The text of each rendered template, by its path."""

REVISION = re.compile(re.escape(f"{VERSION}-") + "[0-9a-f]{8}")


def differences(before: Templates, after: Templates) -> str:
    """Return what changed in each object: fields as lines with ``-`` and ``+``, and an added object in full."""
    old, new = _objects(before), _objects(after)
    sections = [f"# Removed: {key}\n" for key in old.keys() - new.keys()]
    sections += [f"# Added: {key}\n{new[key]}\n" for key in new.keys() - old.keys()]
    for key in old.keys() & new.keys():
        was, becomes = (list(fields(yaml.safe_load(objects[key]))) for objects in (old, new))
        changed = [f"- {line}\n" for line in was if line not in becomes]
        changed += [f"+ {line}\n" for line in becomes if line not in was]
        # The old value of a field comes right before its new one.
        changed.sort(key=lambda line: (line[2:].partition(": ")[0], line.startswith("+")))
        sections += ["".join([f"# Changed: {key}\n", *changed])] if changed else []
    return "\n".join(sorted(sections, key=lambda section: section.partition("\n")[0].partition(": ")[2]))


def fields(value: Any, path: str = "") -> Iterator[str]:
    """Yield a line for each field of *value*: its path, and its value as JSON."""
    if value and isinstance(value, dict):
        for key, inner in value.items():
            yield from fields(inner, f"{path}.{key}" if path else key)
    elif value and isinstance(value, list):
        for place, inner in enumerate(value):
            name = inner.get("name") if isinstance(inner, dict) else None
            yield from fields(inner, f"{path}[{place if name is None else name}]")
    else:
        yield f"{path}: {json.dumps(value, ensure_ascii=False)}"


def _objects(templates: Templates) -> dict[str, str]:
    """Return the text of each object by its template, and by its place in it if it is not the first.

    Names are no keys, because values change them. What changes with each release has the same word in all.
    """
    found = {}
    for template, text in templates.items():
        normalised = REVISION.sub("REVISION", text).replace(VERSION, "VERSION")
        documents = [document.strip() for document in re.split(r"^---$", normalised, flags=re.MULTILINE)]
        for place, document in enumerate(filter(None, documents)):
            found[f"{template} {place + 1}" if place else template] = document
    return found
