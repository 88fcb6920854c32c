"""Normalisation: what a recorded exchange is without chance, so that two recordings differ only where the product does.

Left out: ``version``, ``controller`` (its URL has the version and a free port), ``managedFields`` but for what was
applied to the children, ``override`` in a status, which depends on managers that are left out, and the annotation by
which the recorder causes a sync.

Replaced, everywhere, also in annotations that hold an object: uids by numbers in the order in which they appear, times
by the minute that belongs to their step, resourceVersions and cluster addresses by one that is the same for all.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

Json = dict[str, Any]

TOUCHED = "example.com/touched"
BEGINNING = datetime(2026, 1, 1, tzinfo=UTC)

_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|\+00:00)")
_VERSION = re.compile(r'"resourceVersion": "\d+"')
_ADDRESS = re.compile(r"\b10\.0\.\d+\.\d+\b")
_PORT = re.compile(r"127\.0\.0\.1:\d+")


class Normaliser:
    """Normalises the exchanges of one life, in order; *starts* are the whole seconds in which its steps began."""

    def __init__(self, starts: Sequence[int]) -> None:
        self._starts = starts
        self._uids: dict[str, str] = {}

    def __call__(self, exchange: Json) -> Json:
        """Return *exchange*, which ``myresource record`` kept, without chance."""
        kept: Json = json.loads(json.dumps({name: value for name, value in exchange.items() if name != "version"}))
        request = kept["request"]
        for status in (request["parent"].get("status", {}), kept.get("response", {}).get("status", {})):
            status.pop("override", None)
        self._numbered(request["parent"]["metadata"]["uid"])
        text = json.dumps({**kept, "request": {**request, **_essential(request)}}, sort_keys=True)
        text = _UID.sub(lambda found: self._numbered(found[0]), text)
        for uid, number in self._uids.items():
            text = re.sub(rf"\b{uid[:8]}\b", number[:8], text)
        text = _TIME.sub(lambda found: self._minute(found[0]), text)
        text = _VERSION.sub('"resourceVersion": "1"', text)
        normalised: Json = json.loads(_ADDRESS.sub("10.0.0.1", text))
        return normalised

    def _numbered(self, uid: str) -> str:
        if uid in self._uids.values():
            return uid
        return self._uids.setdefault(uid, f"{len(self._uids) + 1:08}-0000-4000-8000-000000000000")

    def _minute(self, time: str) -> str:
        step = bisect_right(self._starts, datetime.fromisoformat(time).timestamp())
        return (BEGINNING + timedelta(minutes=step)).isoformat().replace("+00:00", "Z")


def chance(text: str) -> list[str]:
    """Return the uids, times, versions and ports in *text* that are not normalised."""
    fixed = re.compile(r"0000\d{4}-0000-4000-8000-0{12}|2026-01-01T00:\d\d:00Z|\"resourceVersion\": \"1\"")
    found = [match[0] for pattern in (_UID, _TIME, _VERSION, _PORT) for match in pattern.finditer(text)]
    return [value for value in found if not fixed.fullmatch(value)]


def _essential(request: Json) -> Json:
    """Return the fields of *request* of which something is left out."""
    essential = {"controller": {}, "parent": _parent(request["parent"])}
    if "children" not in request:
        return essential
    groups = {kind: {name: _child(item) for name, item in group.items()} for kind, group in request["children"].items()}
    related = {
        kind: {name: _without(item, "managedFields") for name, item in group.items()}
        for kind, group in request["related"].items()
    }
    return {**essential, "children": groups, "related": related}


def _parent(parent: Json) -> Json:
    less = _without(parent, "managedFields", "annotations")
    left = {key: text for key, text in parent["metadata"].get("annotations", {}).items() if key != TOUCHED}
    return {**less, "metadata": {**less["metadata"], "annotations": left}} if left else less


def _child(child: Json) -> Json:
    applied = [entry for entry in child["metadata"].get("managedFields", []) if entry["operation"] == "Apply"]
    less = _without(child, "managedFields")
    return {**less, "metadata": {**less["metadata"], "managedFields": applied}} if applied else less


def _without(item: Json, *fields: str) -> Json:
    return {**item, "metadata": {name: value for name, value in item["metadata"].items() if name not in fields}}
