"""The scalars of YAML as kubectl reads them, in one table. Source: go-yaml v2, resolve.go and decode.go."""

import base64
import binascii
import math
import re
from datetime import datetime
from typing import Any

import yaml

from metahook.cli.errors import DocumentError
from metahook.cli.files.documents import check_text

TAG = "tag:yaml.org,2002:"
STRING, _BOOL, _INT, _FLOAT = (f"{TAG}{name}" for name in ("str", "bool", "int", "float"))
_NULL, _TIMESTAMP, _BINARY = (f"{TAG}{name}" for name in ("null", "timestamp", "binary"))
PLAIN = "plain"
"""The tag here of a scalar without quotes and without a tag in the file."""

SCALARS: list[tuple[str, re.Pattern[str], Any]] = [
    (_NULL, re.compile(r"|~|null|Null|NULL"), None),
    (_BOOL, re.compile(r"y|Y|yes|Yes|YES|true|True|TRUE|on|On|ON"), True),
    (_BOOL, re.compile(r"n|N|no|No|NO|false|False|FALSE|off|Off|OFF"), False),
    (_FLOAT, re.compile(r"\.(nan|NaN|NAN)"), math.nan),
    (_FLOAT, re.compile(r"\+?\.(inf|Inf|INF)"), math.inf),
    (_FLOAT, re.compile(r"-\.(inf|Inf|INF)"), -math.inf),
    (_INT, re.compile(r"[-+]?0[xX][0-9a-fA-F]+"), 16),
    (_INT, re.compile(r"[-+]?0[bB][01]+"), 2),
    (_INT, re.compile(r"[-+]?0[oO]?[0-7]+"), 8),
    (_INT, re.compile(r"[-+]?(0|[1-9][0-9]{0,19})"), 10),
    (_FLOAT, re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?"), float),
]
"""The scalars without quotes that are no strings, after underscores have gone from numbers: the tag, all texts, and the
value; of integers, its base. What a base has no room for is the next row that fits, or a string."""

_MISPLACED = re.compile(r"_(?![0-9])|(?<![0-9])_")
_TIME = re.compile(r"([0-9]{4})-([0-9]{1,2})-([0-9]{1,2})(?:[Tt ]([0-9]{1,2}):([0-9]{1,2}):([0-9]{1,2})(?:[.Z+-].*)?)?")


def resolve(text: str) -> tuple[str, Any]:
    """Return the tag and the value of the scalar *text*, which has no quotes, and no tag in the file."""
    is_number = text[:1].isdigit() or text[:1] in ("+", "-") or (text[:1] == "." and not _MISPLACED.search(text))
    plain = text.replace("_", "") if is_number else text
    for tag, pattern, value in SCALARS:
        if not pattern.fullmatch(plain):
            continue
        if value is float:
            number = float(plain)
            return (tag, number) if math.isfinite(number) else (STRING, text)
        if tag != _INT:
            return (tag, value) if plain == text else (STRING, text)
        whole = int(re.sub("0[xXbBoO]", "", plain, count=1), value)
        if -(2**63) <= whole < (2**63 if plain[0] in "+-" else 2**64):
            return tag, whole
    return STRING, text


def scalar(node: yaml.Node) -> Any:  # noqa: ANN401 - a value of JSON, or NaN
    """Return the value of *node*; raise DocumentError if it is not of the type that its tag names."""
    tag, text = node.tag, check_text(node.value)
    found, value = resolve(text)
    if tag in (PLAIN, found):
        return value
    if tag == _FLOAT and found == _INT and value < 2**63:
        return float(value)
    if tag == _BINARY:
        return _decoded(text)
    if tag not in (_BOOL, _INT, _FLOAT, _NULL, _TIMESTAMP) or (tag == _TIMESTAMP and _is_time(text)):
        return text  # kubectl ignores other tags
    message = "a value that is not of its type; quote it, or remove its tag"
    raise DocumentError(message)


def _decoded(text: str) -> str:
    try:
        return base64.b64decode(text.replace("\n", ""), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError) as error:
        message = "a !!binary that is not text in Base64; remove the tag, and write it in the field for binary data"
        raise DocumentError(message) from error


def _is_time(text: str) -> bool:
    match = _TIME.fullmatch(text)
    try:
        return bool(match and datetime(*(int(part or 0) for part in match.groups())))  # type: ignore[arg-type] # six numbers # noqa: DTZ001 - is it one?
    except ValueError:
        return False
