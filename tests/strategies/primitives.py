"""The words that generated objects are made of, and how they are put together.

A draw costs a tenth of a millisecond, whatever is drawn. So small objects are not drawn field by field: all their
variants are made beforehand, and one is drawn.
"""

import random
from itertools import product
from typing import Any

from hypothesis import strategies as st

Json = dict[str, Any]
Strategy = st.SearchStrategy

ABSENT: Any = object()
"""Among the values of a field: the field is not there."""


def variants(**fields: list[Any]) -> list[Json]:
    """Return all objects whose fields have one of the values that are given for them."""
    made = (zip(fields, values, strict=True) for values in product(*fields.values()))
    return [{name: value for name, value in pairs if value is not ABSENT} for pairs in made]


def either(**fields: list[Any]) -> list[Json]:
    """Return all objects that have exactly one of *fields*, with one of its values; each field equally often."""
    most = max(map(len, fields.values()))
    return [{name: values[place % len(values)]} for place in range(most) for name, values in fields.items()]


def mixtures(**fields: list[Any]) -> list[Json]:
    """Return some thousand objects whose fields have any of the values that are given for them: the same each time."""
    chance = random.Random(len(fields))  # noqa: S311 - no secret
    return [{name: chance.choice(values) for name, values in fields.items()} for _ in range(4096)]


def lists(items: list[Json], *keys: str, most: int, least: int = 0) -> Strategy[list[Json]]:
    """Lists of *items* of which no two have the same *keys*."""
    unique = tuple((lambda item, key=key: str(item.get(key))) for key in keys)
    return st.lists(st.sampled_from(items), min_size=least, max_size=most, unique_by=unique or None)


FLAGS = [ABSENT, True, False]
OBJECT_NAMES = ["a", "app-config", "tls.example.com", "0", "x" * 253]
VOLUME_NAMES = ["a", "data", "tmp-1", "9", "v" * 63]
CONFIG_KEYS = ["a", "server.conf", ".hidden", "k" * 253]
ENV_NAMES = ["A", "B", "C", "PATH", "_x", ".a", "-", "a.b-c", "E" * 253]
PATHS = ["a", "b/c", ".hidden", "x/..y", "a/./b", "ä", "z" * 200]
MOUNT_PATHS = ["/a", "/var/run", "/a b", "/ä", "/..", "/m" * 100]
IMAGES = [
    "nginx",
    "nginx:1.27",
    "nginx:latest",
    "registry.example.com:5000/team/app:v1_2.3",
    f"localhost/a@sha256:{'0' * 64}",
    f"a/b__c/d-e.f:1@sha256:{'9' * 64}",
]
KEYS = ["app", "example.com/owner", "A.b_c-1", "a.b.c/d", "k" * 63, f"{'p' * 63}.com/k"]
NODE_KEYS = ["kubernetes.io/hostname", "topology.kubernetes.io/zone", "disk"]
LABEL_VALUES = ["", "a", "A-b_c.d", "1", "true", "v" * 63]
TEXTS = ["", "x", "$(A)", "$(B) and $(A)", "zwölf", "two\nlines", "\u0000", "0", "true", "{}", "\U0001f600"]

CONTROLS = [*map(chr, range(0x7F, 0xA0)), "\ufffe", "\uffff"]
"""Characters that YAML does not know, so that server-side apply refuses or changes them."""
_characters = st.characters(codec="utf-8", exclude_characters=CONTROLS)
texts = st.one_of(st.sampled_from(TEXTS), st.sampled_from(TEXTS), st.text(_characters, max_size=8))
labels = st.dictionaries(st.sampled_from(KEYS), st.sampled_from(LABEL_VALUES), max_size=2)
node_labels = st.dictionaries(st.sampled_from(NODE_KEYS), st.sampled_from(LABEL_VALUES), max_size=2)
annotations = st.dictionaries(st.sampled_from([*KEYS, "Example.COM/Note"]), texts, max_size=2)

_ROUND = [1, 2, 10, 64, 128, 512, 1000, 1023, 1024, 1536, 2048, 10_000, 65_536, 999_999]


def _sizes(fractions: list[str], units: list[str]) -> list[str]:
    return [f"{whole}{fraction}{unit}" for whole, fraction, unit in product(_ROUND, fractions, units)]


whole_bytes: Strategy[int | str] = st.one_of(
    st.integers(1, 10**15 - 1),
    st.sampled_from(_sizes(["", ".5", ".0", ".25", ".001"], ["k", "M", "G", "T"])),
    st.sampled_from(_sizes(["", ".5", ".0", ".25", ".125"], ["Ki", "Mi", "Gi", "Ti"])),
)
amounts: Strategy[int | str] = st.one_of(
    st.integers(0, 10**15 - 1),
    st.sampled_from(["0", "1", "500m", "1000m", "1500m", "0m", "0.5", "1.0", "0.1", "0.001", "000100m"]),
    st.sampled_from(_sizes(["", ".5", ".123", ".10"], ["", "k", "M", "Ki", "Mi", "Gi"])),
)

_ASKED = [
    *variants(key=KEYS[:3], operator=["In", "NotIn"], values=[["a"], ["", "b"]]),
    *variants(key=KEYS[3:], operator=["Exists", "DoesNotExist"], values=[ABSENT, []]),
]
LABEL_SELECTORS = [
    *variants(
        matchLabels=[{"app": "a"}, {"a.b.c/d": "", "x": "1"}], matchExpressions=[ABSENT, [], _ASKED[:1], _ASKED[-2:]]
    ),
    *variants(matchLabels=[ABSENT, {}], matchExpressions=[[asked] for asked in _ASKED]),
]
"""Selectors, each of which says something."""
