"""Specs with an odd string in one place: as long as can be, or of signs that some field or other can't take."""

from collections.abc import Callable, Iterator
from copy import deepcopy
from functools import partial
from itertools import islice
from typing import Any

import yaml

from app.api.spec import MyResourceSpec
from tests.api.apiserver import read_stored, refusals, stored
from tests.api.examples.keys import LONGEST_PREFIX, SUBDOMAIN
from tests.docs.documents import ROOT
from tests.requests.builders import Json, my_resource

FULL: Json = yaml.safe_load((ROOT / "examples/full.yaml").read_text())["spec"]
_BESIDE = {"livenessProbe": "ports", "service": "ports", "volumeMounts": "volumes"}
"""What a field needs beside it to be accepted, or to be seen in a child."""

_MAPS = {"labels", "annotations", "nodeSelector", "matchLabels", "requests", "limits"}
_LENGTHS = (15, 63, 64, 253, 254, 316, 317, 512, 1024)
ODD = [
    *("a" * length for length in _LENGTHS),
    *(f"{SUBDOMAIN}/{'a' * length}" for length in (61, 62, 63)),
    *(f"{LONGEST_PREFIX}/a", f"{LONGEST_PREFIX}a/a", f"metadata.labels['{LONGEST_PREFIX}/{'a' * 63}']"),
    *(f"metadata.annotations['{prefix}/a']" for prefix in (LONGEST_PREFIX, f"{LONGEST_PREFIX}a", "A.b")),
    "", ".", "..", "..a", ".a", "a.", "a..b", "-", "-a", "a-", "_a", "1", "1a", "A", "A.b/c", "a/b", "a//b", "a/",
    "/", "/" + "a" * 1023, "a/" * 500, "a b", " a", "a\n", "\t", "\x01", "é" * 20, "😀" * 20, "$(A)", ":", "a=b", "*",
    "<>&",
    *("kubernetes.io/a", "requests.a.b/c", "system-x", "9" * 19, "tcp-80", "v1"),
]  # fmt: skip


Path = tuple[Any, ...]
Place = Callable[[str], Json]
"""Puts a string into its place in a copy of some fields, and returns them."""


def accepted(every: int) -> Iterator[Json]:
    """Of *every* so many MyResources with an odd string, yield one, as stored, if the CRD and the hook accept it."""
    tried = ((place, text) for field in FULL for place in _places(field) for text in ODD)
    for place, text in islice(tried, 0, None, every):
        resource = stored(my_resource(**place(text)))
        if not refusals(resource) and isinstance(read_stored(resource), MyResourceSpec):
            yield resource


def _places(field: str) -> Iterator[Place]:
    fields = {name: FULL[name] for name in (field, _BESIDE.get(field, field))}
    for path in _paths(fields[field], (field,)):
        yield partial(_with_value, fields, path)
        if isinstance(path[-1], str) and path[-2:-1] and path[-2] in _MAPS:  # labels can be a list of keys, too
            yield partial(_with_key, fields, path)


def _with_value(fields: Json, path: Path, text: str) -> Json:
    copy = deepcopy(fields)
    _node(copy, path[:-1])[path[-1]] = text
    return copy


def _with_key(fields: Json, path: Path, text: str) -> Json:
    copy = deepcopy(fields)
    entries = _node(copy, path[:-1])
    entries[text] = entries.pop(path[-1])
    return copy


def _node(node: Any, path: Path) -> Any:
    for step in path:
        node = node[step]
    return node


def _paths(node: Any, path: Path) -> Iterator[Path]:
    """Yield the path of every string, and of every value of a map."""
    if isinstance(node, str) or (path[-2:-1] and path[-2] in _MAPS):
        yield path
    for key, inner in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from _paths(inner, (*path, key))
