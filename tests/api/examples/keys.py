"""Examples of the rules of labels, annotations and other maps by key."""

from collections.abc import Callable

from app.api.names import GROUP
from tests.api.examples.case import Example
from tests.requests.builders import Json

SUBDOMAIN = ".".join(["a" * 63] * 3)
GOOD_KEYS = ["a", "A1", "a_b.c-d", "a" * 63, "example.com/a", "a.b-c.d/E_f.g", f"{SUBDOMAIN}/" + "b" * 61, "1/1"]
BAD_KEYS = [
    *("", "-a", "a-", "a b", "a/", "/a", "a/b/c", "a" * 64, "a..b/c", ".a/b", "a-/b", "a_b/c", "a" * 64 + "/b"),
    *("é", "a\n", "example.com/ a", "a:b", "example.com/" + "b" * 64, f"{SUBDOMAIN}/" + "b" * 62),
]
LONGEST_PREFIX = f"{SUBDOMAIN}." + "a" * 61
"""253 characters."""
CAPITAL = "Example.com/a"
FOLDED = "\u212aey"
"""Begins with the sign for Kelvin, which Unicode lowers to the letter k."""
RESERVED_ANYWHERE = ["mygroup.example.com/a", "sub.mygroup.example.com/a"]
RESERVED_IN_PODS = [
    *RESERVED_ANYWHERE,
    *("kubernetes.io/a", "app.kubernetes.io/name", "k8s.io/a", "x.y.k8s.io/a", "container.apparmor.kubernetes.io/main"),
    *("controller-uid", "myresource", "pod-template-hash"),
]
RESERVED_IN_SERVICE = [
    *RESERVED_ANYWHERE,
    *("metacontroller.k8s.io/last-applied-configuration", "kubectl.kubernetes.io/restartedAt"),
]
FREE = ["mykubernetes.io/a", "kubernetes.io.example.com/a", "example.com/kubernetes.io", "kubernetes.io", "myresources"]

HINTS, MODE = "service.kubernetes.io/topology-aware-hints", "service.kubernetes.io/topology-mode"

Place = Callable[[Json], Json]


def _labels(entries: Json) -> Json:
    return {"podMetadata": {"labels": entries}}


def _annotations(entries: Json) -> Json:
    return {"podMetadata": {"annotations": entries}}


def _copied_labels(entries: Json) -> Json:
    return {"propagate": {"labels": [*entries]}}


def _copied_annotations(entries: Json) -> Json:
    return {"propagate": {"annotations": [*entries]}}


def _service(entries: Json) -> Json:
    return {"service": {"annotations": entries}}


def _service_with_port(entries: Json) -> Json:
    return {"ports": [{"containerPort": 80}], **_service(entries)}


def label_keys(path: str, place: Place) -> Example:
    """Return the examples of the rule for label keys at *path*."""
    return _label_keys(path, place, GOOD_KEYS, [*BAD_KEYS, CAPITAL, FOLDED])


def few_label_keys(path: str, place: Place) -> Example:
    """Return some of them, for one more place of the same rule."""
    return _label_keys(path, place, GOOD_KEYS[-2:], [CAPITAL, "", "a b"])


def _label_keys(path: str, place: Place, good: list[str], bad: list[str]) -> Example:
    return Example(
        path=path,
        says="each key must be a valid label key",
        good=[place({key: "x"}) for key in good],
        bad=[place({key: "x"}) for key in bad] + [place({"a": "x", "b ": "x"})],
    )


def _annotation_keys(path: str, place: Place, longest: int = 999) -> Example:
    return Example(
        path=path,
        says="each key must be a valid annotation key",
        good=[place({}), *(place({key: "any value: é\n"}) for key in [*GOOD_KEYS, CAPITAL])],
        bad=[place({key: "x"}) for key in [*BAD_KEYS, FOLDED] if len(key) <= longest],
    )


def _unreserved(path: str, place: Place, reserved: list[str]) -> Example:
    return Example(
        path=path,
        says="keys with the prefix ",
        good=[place({}), *(place({key: "x"}) for key in FREE)],
        bad=[place({key: "x"}) for key in reserved] + [place({"a": "x", reserved[-1]: "x"})],
    )


def _short(path: str, place: Place) -> Example:
    def filled(last: int) -> Json:
        return place({f"k{index}": "é" * (last if index == 0 else 4096) for index in range(16)})

    return Example(
        path=path,
        says="all values together must have at most 65536 characters",
        good=[place({}), filled(4096)],
        bad=[place({f"k{index}": "x" * 4096 for index in range(16)} | {"last": "x"})],
    )


def _prefixes(path: str, place: Callable[[str], Json]) -> Example:
    return Example(
        path=path,
        says="the prefix of the key",
        good=[
            place("metadata.labels['a']"),
            place(f"metadata.labels['{LONGEST_PREFIX}/x']"),
            place(f"metadata.annotations['{LONGEST_PREFIX}/x']"),
        ],
        bad=[
            place(f"metadata.labels['{LONGEST_PREFIX}a/x']"),
            place(f"metadata.labels['{LONGEST_PREFIX}.a.b.c/x']"),  # 259 characters
            place(f"metadata.annotations['{LONGEST_PREFIX}a/x']"),
        ],
        crd_only=True,
    )


def _variable(field: str) -> Json:
    return {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": field}}}]}


def _file(field: str) -> Json:
    part = {"downwardAPI": {"items": [{"path": "a", "fieldRef": {"fieldPath": field}}]}}
    return {"volumes": [{"name": "v", "projected": {"sources": [part]}}]}


EXAMPLES = [
    _prefixes("spec.env[].valueFrom.fieldRef.fieldPath", _variable),
    _prefixes("spec.volumes[].projected.sources[].downwardAPI.items[].fieldRef.fieldPath", _file),
    label_keys("spec.nodeSelector", lambda entries: {"nodeSelector": entries}),
    label_keys("spec.podMetadata.labels", _labels),
    _unreserved("spec.podMetadata.labels", _labels, RESERVED_IN_PODS),
    _annotation_keys("spec.podMetadata.annotations", _annotations),
    _unreserved("spec.podMetadata.annotations", _annotations, [*RESERVED_IN_PODS, "Sub.Kubernetes.IO/a"]),
    _short("spec.podMetadata.annotations", _annotations),
    few_label_keys("spec.propagate.labels", _copied_labels),
    _unreserved("spec.propagate.labels", _copied_labels, RESERVED_IN_PODS),
    _annotation_keys("spec.propagate.annotations", _copied_annotations, longest=253),
    _unreserved("spec.propagate.annotations", _copied_annotations, RESERVED_IN_PODS),
    _annotation_keys("spec.service.annotations", _service),
    _unreserved("spec.service.annotations", _service, [*RESERVED_IN_SERVICE, f"{GROUP.title()}/a"]),
    _short("spec.service.annotations", _service),
    Example(
        path="spec.service.annotations",
        says="service.kubernetes.io/topology-aware-hints",
        good=[
            _service_with_port({}),
            _service_with_port({HINTS: "Auto"}),
            _service_with_port({MODE: "Disabled"}),
            _service_with_port({HINTS: "Auto", MODE: "Auto"}),
        ],
        bad=[_service_with_port({HINTS: "Auto", MODE: "Disabled"}), _service_with_port({HINTS: "", MODE: "auto"})],
        crd_only=True,
    ),
]
