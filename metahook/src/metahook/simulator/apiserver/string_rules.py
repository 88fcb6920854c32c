"""Strings by the schemas of CRDs: patterns of RE2, and formats.

Source: Kubernetes 1.36, kube-openapi, pkg/validation/strfmt.
"""

import ipaddress
import re
from collections.abc import Callable
from datetime import date
from functools import cache


def matches(text: str, pattern: str) -> bool:
    """Tell whether *text* has a part that *pattern*, of RE2, matches."""
    try:
        return re.search(python_pattern(pattern), text, re.ASCII) is not None
    except re.error:
        return True  # Python can't read it, RE2 may


@cache
def python_pattern(pattern: str) -> str:
    """Return *pattern*, of RE2, as Python says it: characters by number, classes by name, and the end of the text."""
    named = re.sub(r"\\x\{([0-9A-Fa-f]+)\}|\[:(\w+):\]|\\.", _character, pattern, flags=re.DOTALL)
    return re.sub(r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\$", _token, named, flags=re.DOTALL)


_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "digit": "0-9",
    "lower": "a-z",
    "space": r"\t\n\v\f\r ",
    "upper": "A-Z",
    "word": r"\w",
    "xdigit": "0-9A-Fa-f",
}


def _character(found: re.Match[str]) -> str:
    if found[1]:
        return f"\\U{int(found[1], 16):08x}"
    return _CLASSES.get(found[2], found[0]) if found[2] else found[0]


def _token(found: re.Match[str]) -> str:
    r"""Return what a token is in RE2: ``$`` is the end of the text alone, and ``\s`` no vertical tab."""
    text = found[0]
    return text.replace(r"\s", _SPACE) if text[0] == "[" else _TOKENS.get(text, text)


_SPACE = r"\t\n\f\r "
_TOKENS = {"$": r"\Z", r"\z": r"\Z", r"\s": f"[{_SPACE}]", r"\S": f"[^{_SPACE}]"}


def _is_date_time(text: str) -> bool:
    parts = re.fullmatch(
        r"(.{10})T(\d{2}):(\d{2}):(\d{2})([.,]\d+)?(Z|[+-]\d{2}:\d{2})", text, re.ASCII | re.IGNORECASE
    )
    return parts is not None and _is_date(parts[1]) and parts[2] < "24" and parts[3] < "60" and parts[4] < "60"


def _is_date(text: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d", text, re.ASCII) is not None and _reads(date.fromisoformat, text)


def _reads(read: Callable[[str], object], text: str) -> bool:
    try:
        read(text)
    except ValueError:
        return False
    return True


def _format(pattern: str) -> Callable[[str], bool]:
    return lambda text: re.fullmatch(pattern, text, re.ASCII | re.IGNORECASE) is not None


_DURATION = r"\d+(\.\d*)?|\.\d+"
FORMATS: dict[str, tuple[str, Callable[[str], bool]]] = {
    "byte": ("aGk=", _format("([a-z0-9+/]{4})*([a-z0-9+/]{2}==|[a-z0-9+/]{3}=|[a-z0-9+/]{4})")),
    "cidr": ("10.0.0.0/8", lambda text: "/" in text and _reads(ipaddress.ip_interface, text)),
    "date": ("2026-01-31", _is_date),
    "date-time": ("2026-01-31T12:00:00Z", _is_date_time),
    "datetime": ("2026-01-31T12:00:00Z", _is_date_time),
    "duration": ("1h30m", _format(rf"[+-]?(0|(({_DURATION})(ns|us|µs|μs|ms|s|m|h))+|\d+ *[a-zµ]+)")),
    "ipv4": ("192.0.2.1", lambda text: _reads(ipaddress.IPv4Address, text)),
    "ipv6": ("2001:db8::1", lambda text: _reads(ipaddress.IPv6Address, text)),
    "mac": ("00:00:5e:00:53:01", _format("([0-9a-f]{2}[:-]){5}[0-9a-f]{2}|([0-9a-f]{4}[.]){2}[0-9a-f]{4}")),
    "uuid": ("00000000-0000-0000-0000-000000000000", _format("[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}")),
}
"""The formats of strings that are checked, each with an example. An empty string fits none of them."""
