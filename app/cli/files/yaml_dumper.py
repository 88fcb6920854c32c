"""Writes objects as YAML documents, for kubectl. Needs PyYAML, so other modules import it where they use it."""

import re
from typing import Any

import yaml

Json = dict[str, Any]

_TAG = "tag:yaml.org,2002:"


class _Dumper(yaml.SafeDumper):
    """PyYAML's safe dumper, which also quotes strings that kubectl would read as numbers or booleans."""


_NUMBER = r"[-+]?(0[bBoOxX][0-9a-fA-F_]+|[0-9][0-9_]*|([0-9][0-9_]*[.]?[0-9_]*|[.][0-9_]+)([eE][-+]?[0-9]+)?)$"
# Source: go-yaml v2, resolve.go: it reads these as numbers and booleans, and PyYAML reads them as strings.
_Dumper.add_implicit_resolver(f"{_TAG}float", re.compile(_NUMBER), list("-+.0123456789"))
_Dumper.add_implicit_resolver(f"{_TAG}bool", re.compile("[yYnN]$"), list("yYnN"))


def as_yaml(objects: list[Json]) -> str:
    """Return *objects* as YAML, one document for each."""
    return "".join(
        "---\n" + yaml.dump(item, Dumper=_Dumper, sort_keys=False, width=120, allow_unicode=True) for item in objects
    )
