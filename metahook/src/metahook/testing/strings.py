"""Strategies for strings: with a pattern, or in one of the formats that an API server checks."""

import re
from base64 import b64encode
from datetime import UTC, datetime
from typing import Any

from hypothesis import strategies as st

from metahook.simulator.apiserver.custom_rules import Schema, fits, python_pattern

_LONGEST = 20
"""Characters more than the schema demands."""

TEXT = st.characters(exclude_categories=["Cs"])  # a surrogate is no character of UTF-8

_HEX = "[0-9a-f]"
_HOST = r"[a-z][a-z0-9]{0,10}(\.[a-z][a-z0-9]{0,10}){0,2}\.[a-z]{2,5}"


def _like(pattern: str) -> st.SearchStrategy[str]:
    return st.from_regex(pattern, fullmatch=True)


_FORMATS: dict[str, st.SearchStrategy[str]] = {
    "bsonobjectid": _like(f"{_HEX}{{24}}"),
    "byte": st.binary(min_size=1, max_size=_LONGEST).map(lambda data: b64encode(data).decode()),
    "cidr": st.builds("{}/{}".format, st.ip_addresses(v=4), st.integers(0, 32)),
    "date": st.dates().map(str),
    "date-time": st.datetimes(datetime(1970, 1, 1), datetime(2199, 1, 1), timezones=st.just(UTC)).map(  # noqa: DTZ001
        lambda time: time.isoformat().replace("+00:00", "Z")
    ),
    "duration": st.builds("{}{}".format, st.integers(0, 1000), st.sampled_from(["ms", "s", "m", "h"])),
    "email": _like(rf"[a-z]{{1,10}}@{_HOST}"),
    "hexcolor": _like(f"#{_HEX}{{6}}"),
    "hostname": _like(_HOST),
    "ipv4": st.ip_addresses(v=4).map(str),
    "ipv6": st.ip_addresses(v=6).map(str),
    "mac": _like(f"{_HEX}{{2}}(:{_HEX}{{2}}){{5}}"),
    "ssn": _like("[0-9]{3}-[0-9]{2}-[0-9]{4}"),
    "uri": _like(rf"https://{_HOST}(/[a-z0-9]{{1,10}}){{0,3}}"),
    "uuid": st.uuids(version=4).map(str),
    "uuid3": st.uuids(version=3).map(str),
    "uuid4": st.uuids(version=4).map(str),
    "uuid5": st.uuids(version=5).map(str),
}
_FORMATS["datetime"] = _FORMATS["date-time"]

_NOT_MADE = {"creditcard", "isbn", "isbn10", "isbn13", "k8s-long-name", "k8s-short-name", "rgbcolor"}
"""Formats that an API server checks, and that nothing here makes. Any other word is not checked."""


class NotGenerated(ValueError):
    """Raised for a schema whose values can't be generated. Its text names the field."""


def strings(schema: Schema, path: str) -> st.SearchStrategy[Any]:
    """Return the strategy for the strings of *schema*, which is at *path*; raise NotGenerated."""
    pattern, format_ = schema.get("pattern"), schema.get("format")
    if format_ in _NOT_MADE:
        message = f"{path}: can't generate strings of the format {format_}"
        raise NotGenerated(message)
    if pattern is not None:
        found: st.SearchStrategy[Any] = st.from_regex(_compiled(pattern, path), alphabet=TEXT)
    elif format_ in _FORMATS:
        found = _FORMATS[format_]
    else:
        least = schema.get("minLength", 0)
        return st.text(TEXT, min_size=least, max_size=min(schema.get("maxLength", least + _LONGEST), least + _LONGEST))
    return found.filter(lambda text: fits(text, schema))


def _compiled(pattern: str, path: str) -> re.Pattern[str]:
    try:
        return re.compile(python_pattern(pattern), re.ASCII)
    except re.error:
        message = f"{path}: can't generate strings of this pattern, which Python reads in another way than RE2"
        raise NotGenerated(message) from None
