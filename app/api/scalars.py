"""The kinds of strings in a spec, as strict as Kubernetes or stricter: names, keys, paths, labels, references.

The API server reads patterns as RE2, pydantic as Rust's regex: the ones below use only what both read alike.
What a user is likely to get wrong is a rule with a message; the rest is a pattern.
"""

import ipaddress
import re
from typing import Annotated

from pydantic import Field

from app.api.model import Omitted, Rule
from app.api.names import GROUP

DNS_LABEL = "[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_DNS_SUBDOMAIN = f"{DNS_LABEL}([.]{DNS_LABEL})*"
_QUALIFIED = "[A-Za-z0-9]([-A-Za-z0-9_.]{0,61}[A-Za-z0-9])?"
_SHORT_LABEL = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"

KEY = f"({_SHORT_LABEL}([.]{_SHORT_LABEL})*/)?{_QUALIFIED}"
"""Regular expression of a label key: ``name`` or ``prefix/name``."""

MAX_KEY = 253

_MAX_PREFIX = 253
_END_IN_LABELS = len("metadata.labels['") + _MAX_PREFIX
_END_IN_ANNOTATIONS = len("metadata.annotations['") + _MAX_PREFIX

SHORT_PREFIX = Rule(
    f"the prefix of the key, before the slash, must have at most {_MAX_PREFIX} characters",
    lambda path: path.find("/") <= (_END_IN_LABELS if path.startswith("metadata.labels") else _END_IN_ANNOTATIONS),
    cel=f"self.indexOf('/') <= (self.startsWith('metadata.labels') ? {_END_IN_LABELS} : {_END_IN_ANNOTATIONS})",
    judges="new values",
)
"""Of a path such as ``metadata.labels['example.com/team']``. (In nested lists a regular expression is too costly.)"""


def matches(pattern: str, text: str) -> bool:
    """Tell whether the whole of *text* matches *pattern*."""
    return re.fullmatch(pattern, text) is not None


def format_rule(pattern: str, message: str) -> Rule:
    """Return the rule that the whole of a text matches *pattern*."""
    return Rule(message, lambda text: matches(pattern, text), cel=f"self.matches('^{pattern}$')")


LabelName = Annotated[str, Field(pattern=f"^{DNS_LABEL}$", max_length=63)]
"""The name of a namespace, a volume or a container: a DNS label."""

ObjectName = Annotated[str, Field(pattern=f"^{_DNS_SUBDOMAIN}$", max_length=253)]

EnvName = Annotated[str, Field(pattern="^([-_a-zA-Z]|[.][-_a-zA-Z0-9])[-._a-zA-Z0-9]*$", max_length=253)]
ConfigKey = Annotated[str, Field(pattern="^[.]?[-_a-zA-Z0-9][-._a-zA-Z0-9]*$", max_length=253)]

Key = Annotated[str, Field(pattern=f"^{KEY}$", max_length=MAX_KEY)]
LABEL_VALUE = "^([A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?)?$"
"""Regular expression of the value of a label."""

LabelValue = Annotated[str, Field(pattern=LABEL_VALUE, max_length=63)]

_UNWRITABLE = r"\x7f-\x9f\x{fffe}\x{ffff}"
"""Characters that are stored, but that the API server refuses or changes in a server-side apply."""


def is_writable(text: str) -> bool:
    """Tell whether *text*, which no pattern has checked, has none of these characters."""
    return re.search("[\x7f-\x9f\ufffe\uffff]", text) is None


MAX_TEXT = 64 * 1024
"""Characters of free text in one place."""

MAX_MESSAGE = 1024
"""Characters of a message in the status."""

TEXT = f"^[^{_UNWRITABLE}]*$"
"""Regular expression of free text."""

_MOUNT_PATH = f"^/[^:{_UNWRITABLE}]+$"
MountPath = Annotated[str, Field(pattern=_MOUNT_PATH, max_length=1024)]

_ANY = f"[^/{_UNWRITABLE}]"
_NO_DOT = f"[^./{_UNWRITABLE}]"
_RELATIVE_PATH = f"^([.]?{_NO_DOT}{_ANY}*|[.])(/({_NO_DOT}{_ANY}*|[.]{_NO_DOT}{_ANY}*|[.][.]{_ANY}+|[.])?)*$"
RelativePath = Annotated[str, Field(pattern=_RELATIVE_PATH, max_length=1024)]
"""A path inside a volume: not absolute, no ``..`` segment."""

PATHS = (_MOUNT_PATH, _RELATIVE_PATH)
"""Regular expressions of paths, which may have any other character."""

SearchDomain = Annotated[str, Field(pattern=f"^{_DNS_SUBDOMAIN}[.]?$", max_length=253)]


_HOST_NAME = f"{_SHORT_LABEL}([.]{_SHORT_LABEL})*"
_ENDS_IN_NUMBER = "(.*[.])?[0-9]+"

HostName = Annotated[
    str,
    Field(max_length=253),
    Rule(
        "must be a host name in lowercase, such as web.example.com, without a wildcard, and no IP address",
        lambda host: matches(_HOST_NAME, host) and not matches(_ENDS_IN_NUMBER, host),
        cel=f"self.matches('^{_HOST_NAME}$') && !self.matches('^{_ENDS_IN_NUMBER}$')",
    ),
]

UrlPath = Annotated[
    str,
    Field(max_length=256),
    format_rule(
        "(/|(/[.]*[-A-Za-z0-9_~][-A-Za-z0-9._~]*)+)",
        "must be / or a path such as /shop, of letters, digits and -._~, without a slash at its end",
    ),
]


def _is_ip_address(text: str) -> bool:
    """Tell whether *text* is an IP address as CEL's isIP does: without a zone, and no IPv4 address mapped to IPv6."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return address.version == 4 or (address.ipv4_mapped is None and address.scope_id is None)


IpAddress = Annotated[
    str, Field(max_length=45), Rule("must be an IPv4 or IPv6 address", _is_ip_address, cel="isIP(self)")
]

PORT_NAME = "([a-z0-9]+-)*[0-9]*[a-z][a-z0-9]*(-[a-z0-9]+)*"
PortName = Annotated[
    str,
    Field(max_length=15),
    format_rule(PORT_NAME, "must consist of lowercase letters, digits and single dashes, with at least one letter"),
]

_HOST = "([a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?([.][a-zA-Z0-9]([-a-zA-Z0-9]*[a-zA-Z0-9])?)*(:[0-9]{1,5})?/)?"
_PATH = "[a-z0-9]+(([.]|_|__|-+)[a-z0-9]+)*"
_TAG = "(:[A-Za-z0-9_][-A-Za-z0-9_.]{0,127})?"
_DIGEST = "(@(sha256:[a-f0-9]{64}|sha512:[a-f0-9]{128}))?"
_IMAGE = f"{_HOST}{_PATH}(/{_PATH})*{_TAG}{_DIGEST}"

_MAX_IMAGE = 512

Image = Annotated[
    str,
    Field(max_length=_MAX_IMAGE),
    format_rule(_IMAGE, "must be an image reference such as nginx:1.27 or registry.example.com/team/app:2.1"),
]


def is_image(text: str) -> bool:
    return len(text) <= _MAX_IMAGE and matches(_IMAGE, text)


Timestamp = Annotated[str, Field(max_length=64, json_schema_extra={"format": "date-time"})]
"""A date and time as in RFC 3339; kept as text, never parsed."""

NAME = Rule(
    "must have at most 52 characters, consist of lowercase letters, digits and dashes, "
    "start with a letter and not end with a dash",
    lambda name: len(name) <= 52 and matches("[a-z]([-a-z0-9]*[a-z0-9])?", name),
    cel="self.size() <= 52 && self.matches('^[a-z]([-a-z0-9]*[a-z0-9])?$')",
)
"""Of metadata.name: children are called ``<name>-deployment``, and no name is ever cut."""


_GROUP = GROUP.replace(".", "[.]")


def reserved(domains: str, message: str, keys: tuple[str, ...] = ()) -> Rule:
    """Return the rule that no key has a prefix in *domains* (a regular expression), nor is one of *keys*."""
    pattern = f"([^/]*[.])?({domains})/.*"
    named = f" && !(k in {list(keys)!r})" if keys else ""
    return Rule(
        message,
        lambda entries: not any(matches(pattern, key.lower()) or key in keys for key in entries),
        cel=f"self.all(k, !k.lowerAscii().matches('^{pattern}$'){named})",
    )


LABEL_KEYS = Rule(
    "each key must be a valid label key: name or prefix/name",
    lambda entries: all(len(key) <= MAX_KEY and matches(KEY, key) for key in entries),
    cel=f"self.all(k, k.size() <= {MAX_KEY} && k.matches('^{KEY}$'))",
)
ANNOTATION_KEYS = Rule(
    "each key must be a valid annotation key: name or prefix/name",
    lambda entries: all(len(key) <= MAX_KEY and key.isascii() and matches(KEY, key.lower()) for key in entries),
    cel=f"self.all(k, k.size() <= {MAX_KEY} && k.lowerAscii().matches('^{KEY}$'))",
)
_SHORT_TOGETHER = Rule(
    "all values together must have at most 65536 characters",
    lambda entries: sum(map(len, entries.values())) <= MAX_TEXT,
    cel=f"self.map(k, self[k].size()).sum() <= {MAX_TEXT}",
)
NOT_THE_PODS = reserved(
    f"kubernetes[.]io|k8s[.]io|{_GROUP}",
    f"keys with the prefix kubernetes.io, k8s.io or {GROUP}, or a subdomain of these, "
    "and the keys myresource, controller-uid and pod-template-hash, are reserved",
    ("controller-uid", "myresource", "pod-template-hash"),
)
_NOT_THE_SERVICES = reserved(
    f"{_GROUP}|metacontroller[.]k8s[.]io|kubectl[.]kubernetes[.]io",
    f"keys with the prefix {GROUP}, metacontroller.k8s.io or kubectl.kubernetes.io, or a subdomain of these, "
    "are reserved",
)

_HINTS, _MODE = "service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"
_ONE_TOPOLOGY = Rule(
    f"{_HINTS} and {_MODE} must have the same value",
    lambda entries: len({entries[key] for key in (_HINTS, _MODE) if key in entries}) < 2,
    cel=f"!('{_HINTS}' in self && '{_MODE}' in self) || self['{_HINTS}'] == self['{_MODE}']",
    judges="new values",
)
"""The API server refuses a Service in which these two annotations, which mean the same, have different values."""

_Labels = Annotated[dict[str, LabelValue], Field(max_length=64), LABEL_KEYS]
_Annotations = Annotated[
    dict[str, Annotated[str, Field(pattern=TEXT, max_length=4096)]],
    Field(max_length=64),
    ANNOTATION_KEYS,
    _SHORT_TOGETHER,
]

Labels = Annotated[_Labels, Omitted]
"""Labels of other objects, for selecting them."""

PodLabels = Annotated[_Labels, NOT_THE_PODS, Omitted]
PodAnnotations = Annotated[_Annotations, NOT_THE_PODS, Omitted]
ServiceAnnotations = Annotated[_Annotations, _NOT_THE_SERVICES, _ONE_TOPOLOGY, Omitted]
