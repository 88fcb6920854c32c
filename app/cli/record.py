"""``myresource record``: records the requests to the hook, without what users keep private."""

import re
from typing import Any

from app import __version__
from app.api.crd import schema
from app.api.scalar import LABEL_VALUE, PATHS, TEXT
from app.api.service import SOURCE_RANGES
from app.core.child_metadata import (
    ADDRESS_LABEL,
    ASLEEP,
    CONFIG_HASH_ANNOTATIONS,
    GENERATION_STAMP,
    READY_IMAGE,
    REPAIR_ANNOTATION,
    RESTARTED_AT,
    REVERTED,
    ROLLBACK,
    ROLLED_OUT_TEMPLATE,
    SELECTOR_LABEL,
)
from app.core.desired.children import CHILDREN, LATER_CHILDREN
from app.core.desired.config_hash import published_hashes
from app.core.diagnosis import advice, pod_failures, replica_failure
from app.core.status.facts.template_records import template_hash
from app.core.status.facts.wait import ROLLOUT
from app.core.watch import Watch
from metahook import (
    Body,
    Deployment,
    HorizontalPodAutoscaler,
    HTTPRoute,
    Ingress,
    Object,
    Pod,
    PodDisruptionBudget,
    Service,
    SyncRequest,
)
from metahook.protocol.request import Shape
from metahook.record.command import record_command
from metahook.record.kept_fields import ANY, CONDITIONS, MESSAGE, OBJECT, WORD, Fields, Form, form_of, merged, words
from metahook.record.redaction import Redaction

_WATCH = Watch(secrets=True)
"""A request without Secrets has their hashes of before, whatever is watched."""

_READ_MESSAGES = (*advice.READ_MESSAGES, *pod_failures.READ_MESSAGES, *replica_failure.READ_MESSAGES)


def _form(node: dict[str, Any]) -> Form:
    """Return what is kept of a value with the schema *node*: names, references and words, but no free text or label."""
    if "properties" in node:
        return {name: _form(inner) for name, inner in node["properties"].items()}
    if "items" in node:
        return _form(node["items"])
    if isinstance(node.get("additionalProperties"), dict):
        return {"*": _form(node["additionalProperties"])}
    if node.get("pattern") in (TEXT, LABEL_VALUE):
        return None
    return ANY if node.get("pattern") in PATHS else WORD


_LABELS = words(
    SELECTOR_LABEL, ADDRESS_LABEL, *(f"app.kubernetes.io/{name}" for name in ("instance", "managed-by", "name"))
)
_METADATA: Fields = {
    "labels": _LABELS,
    "annotations": words(ASLEEP, GENERATION_STAMP, READY_IMAGE, REPAIR_ANNOTATION, RESTARTED_AT, REVERTED, ROLLBACK),
}
_NUMBERS: Fields = {"matchExpressions": {"values": re.compile("-?[0-9]+")}}

_HTTP_GET: Fields = {"httpGet": {"path": re.compile("/")}}
"""The default of Kubernetes: a field that has it is not left over."""

_RANGES: Fields = {"annotations": {SOURCE_RANGES: re.compile("[0-9a-fA-F.:/, ]*")}}
"""A spec with other values of this annotation is invalid."""

_CALLS: Fields = {
    **dict.fromkeys(("livenessProbe", "readinessProbe", "startupProbe"), _HTTP_GET),
    "lifecycle": dict.fromkeys(("postStart", "preStop"), _HTTP_GET),
}

_SPEC: Fields = merged(
    _form(schema()["properties"]["spec"]),
    {
        **_CALLS,
        "initContainers": _CALLS,
        "service": _RANGES,
        "affinity": {
            "nodeAffinity": {
                "requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": _NUMBERS},
                "preferredDuringSchedulingIgnoredDuringExecution": {"preference": _NUMBERS},
            },
        },
    },
)
_FIELD: Fields = {"fieldRef": words("apiVersion"), "resourceFieldRef": words("containerName", "divisor")}
_CONTAINER: Fields = merged(
    _SPEC,
    {
        **words("name", "restartPolicy"),
        "env": {"valueFrom": _FIELD},
        "securityContext": {"capabilities": words("drop")},
    },
)
_POD_SPEC: Fields = merged(
    _SPEC,
    {
        **words("dnsPolicy", "restartPolicy", "schedulerName", "serviceAccount"),
        **dict.fromkeys(("containers", "initContainers"), _CONTAINER),
        "securityContext": {"seccompProfile": words("type")},
        "volumes": {"projected": {"sources": {"downwardAPI": {"items": _FIELD}}}},
    },
)
"""Its fields have the names of the fields of the spec that they come from."""

_STATE: Fields = {
    "waiting": {**words("reason"), "message": MESSAGE},
    "running": words("startedAt"),
    "terminated": words("reason", "startedAt", "finishedAt"),
}
_CONTAINER_STATUS: Fields = {**words("name"), "state": _STATE, "lastState": _STATE}
_WAITED_FOR = re.compile(rf"{ROLLOUT}|(\S+ of )?({'|'.join(kind.KIND.kind for kind in CHILDREN)}) [-a-z0-9]+")
_STATUS: Fields = {
    **words("state", "image", "countedAt", "url"),
    "address": re.compile("[-a-z0-9]+[.][-a-z0-9]+[.]svc:[0-9]+"),
    "conditions": CONDITIONS,
    "selector": re.compile(f"{SELECTOR_LABEL}=[-a-z0-9]*"),
    "schedule": words("state", "nextTransition"),
    "waiting": {"what": _WAITED_FOR, **words("since")},
}
_SERVICE: Fields = {
    **words("type", "sessionAffinity"),
    "clusterIP": re.compile("None"),
    "ports": words("name", "protocol", "targetPort"),
    "selector": _LABELS,
}
_BACKEND: Fields = {"service": words("name")}
_INGRESS: Fields = {
    **words("ingressClassName"),
    "rules": {**words("host"), "http": {"paths": {**words("path", "pathType"), "backend": _BACKEND}}},
    "tls": words("hosts", "secretName"),
}
_GATEWAY: Fields = words("group", "kind", "name", "namespace", "sectionName")
_HTTP_ROUTE: Fields = {
    **words("hostnames"),
    "parentRefs": _GATEWAY,
    "rules": {"matches": {"path": words("type", "value")}, "backendRefs": words("group", "kind", "name")},
}
_KINDS: dict[type[Object], Fields] = {
    Deployment: {
        "spec": {
            "selector": {"matchLabels": _LABELS},
            "strategy": _SPEC["strategy"],
            "template": {"metadata": _METADATA, "spec": _POD_SPEC},
        },
    },
    Pod: {
        "spec": _POD_SPEC,
        "status": {
            **words("phase", "reason"),
            "message": MESSAGE,
            "containerStatuses": _CONTAINER_STATUS,
            "initContainerStatuses": _CONTAINER_STATUS,
        },
    },
    PodDisruptionBudget: {"spec": {**words("unhealthyPodEvictionPolicy"), "selector": {"matchLabels": _LABELS}}},
    HorizontalPodAutoscaler: {
        "spec": {
            "scaleTargetRef": words("apiVersion", "kind", "name"),
            "metrics": {
                **words("type"),
                "containerResource": {**words("name", "container"), "target": words("type")},
            },
            "behavior": form_of(_SPEC["autoscaling"], "behavior"),
        },
    },
    Service: {"metadata": _RANGES, "spec": _SERVICE},
    Ingress: {"spec": _INGRESS},
    HTTPRoute: {"spec": _HTTP_ROUTE, "status": {"parents": {"parentRef": _GATEWAY, "conditions": CONDITIONS}}},
}
FIELDS: Fields = {
    **{kind.KIND.group_key: merged(merged(OBJECT, {"metadata": _METADATA}), fields) for kind, fields in _KINDS.items()},
    "parent": {"spec": _SPEC, "status": _STATUS},
    # Messages of the hook have names, and no values.
    "status": {**_STATUS, "conditions": {**CONDITIONS, "message": ANY}},
    "relatedResources": {"labelSelector": {"matchLabels": _LABELS}},
}
"""What a replay needs: all that the hook reads or sets, but free text and values of labels, which it only compares."""


def redaction_of(keeps_values: bool) -> Redaction:  # noqa: FBT001 - the one thing that is asked
    """Return what is redacted in recordings of the operator."""
    return Redaction(keeps_values, FIELDS, _HASH_ANNOTATIONS, _READ_MESSAGES, _hashes)


_HASH_ANNOTATIONS = frozenset({*CONFIG_HASH_ANNOTATIONS.values(), ROLLED_OUT_TEMPLATE})


def _hashes(body: Body) -> dict[str, str]:
    request = SyncRequest.decode(body, CHILDREN, shape=Shape(optional_kinds=LATER_CHILDREN))
    templates = [template_hash(deployment) for deployment in request.children.all(Deployment)]
    return {**published_hashes(request, _WATCH), **({ROLLED_OUT_TEMPLATE: templates[0]} if templates else {})}


command = record_command(redaction_of, __version__)
