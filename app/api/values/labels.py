"""Maps of labels and annotations: valid keys, reserved keys, and the size of all values together."""

from typing import Annotated

from pydantic import Field

from app.api.values.model import Omitted, Rule
from app.api.values.names import GROUP
from app.api.values.scalar import KEY, MAX_KEY, MAX_TEXT, TEXT, LabelValue, matches

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
