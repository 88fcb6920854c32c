"""``myresource record``: records the requests to the hook, without what users keep private."""

import re
from typing import Any

from app import __version__
from app.api.generated_schema import schema
from app.api.network import SOURCE_RANGES
from app.api.scalars import LABEL_VALUE, PATHS, TEXT
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
from app.core.desired.children import CHILDREN, NOT_ALWAYS_LISTED
from app.core.desired.config_hash import published_hashes
from app.core.diagnosis import advice, disruptions
from app.core.facts import ROLLOUT, template_hash
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
from metahook.commands import Redaction, Shape, record_command
from metahook.commands import kept_fields as kept

_WATCH = Watch(secrets=True)
"""A request without Secrets has their hashes of before, whatever is watched."""

_READ_MESSAGES = (*advice.READ_MESSAGES, *disruptions.READ_MESSAGES)


def _form(node: dict[str, Any]) -> kept.Form:
    """Return what is kept of a value with the schema *node*: names, references and words, but no free text or label."""
    if "properties" in node:
        return {name: _form(inner) for name, inner in node["properties"].items()}
    if "items" in node:
        return _form(node["items"])
    if isinstance(node.get("additionalProperties"), dict):
        return {"*": _form(node["additionalProperties"])}
    if node.get("pattern") in (TEXT, LABEL_VALUE):
        return None
    return kept.ANY if node.get("pattern") in PATHS else kept.WORD


_LABELS = kept.words(
    SELECTOR_LABEL, ADDRESS_LABEL, *(f"app.kubernetes.io/{name}" for name in ("instance", "managed-by", "name"))
)
_METADATA: kept.Fields = {
    "labels": _LABELS,
    "annotations": kept.words(
        ASLEEP, GENERATION_STAMP, READY_IMAGE, REPAIR_ANNOTATION, RESTARTED_AT, REVERTED, ROLLBACK
    ),
}
_NUMBERS: kept.Fields = {"matchExpressions": {"values": re.compile("-?[0-9]+")}}

_HTTP_GET: kept.Fields = {"httpGet": {"path": re.compile("/")}}
"""The default of Kubernetes: a field that has it is not left over."""

_RANGES: kept.Fields = {"annotations": {SOURCE_RANGES: re.compile("[0-9a-fA-F.:/, ]*")}}
"""A spec with other values of this annotation is invalid."""

_CALLS: kept.Fields = {
    **dict.fromkeys(("livenessProbe", "readinessProbe", "startupProbe"), _HTTP_GET),
    "lifecycle": dict.fromkeys(("postStart", "preStop"), _HTTP_GET),
}

_SPEC: kept.Fields = kept.merged(
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
_FIELD: kept.Fields = {"fieldRef": kept.words("apiVersion"), "resourceFieldRef": kept.words("containerName", "divisor")}
_CONTAINER: kept.Fields = kept.merged(
    _SPEC,
    {
        **kept.words("name", "restartPolicy"),
        "env": {"valueFrom": _FIELD},
        "securityContext": {"capabilities": kept.words("add", "drop")},
    },
)
_POD_SPEC: kept.Fields = kept.merged(
    _SPEC,
    {
        **kept.words("dnsPolicy", "restartPolicy", "schedulerName", "serviceAccount"),
        **dict.fromkeys(("containers", "initContainers"), _CONTAINER),
        "securityContext": {"seccompProfile": kept.words("type")},
        "volumes": {"projected": {"sources": {"downwardAPI": {"items": _FIELD}}}},
    },
)
"""Its fields have the names of the fields of the spec that they come from."""

_STATE: kept.Fields = {
    "waiting": {**kept.words("reason"), "message": kept.MESSAGE},
    "running": kept.words("startedAt"),
    "terminated": kept.words("reason", "startedAt", "finishedAt"),
}
_CONTAINER_STATUS: kept.Fields = {**kept.words("name"), "state": _STATE, "lastState": _STATE}
_WAITED_FOR = re.compile(rf"{ROLLOUT}|(\S+ of )?({'|'.join(kind.KIND.kind for kind in CHILDREN)}) [-a-z0-9]+")
_STATUS: kept.Fields = {
    **kept.words("state", "image", "countedAt", "url"),
    "address": re.compile("[-a-z0-9]+[.][-a-z0-9]+[.]svc:[0-9]+"),
    "conditions": kept.CONDITIONS,
    "selector": re.compile(f"{SELECTOR_LABEL}=[-a-z0-9]*"),
    "schedule": kept.words("state", "nextTransition"),
    "waiting": {"what": _WAITED_FOR, **kept.words("since")},
}
_SERVICE: kept.Fields = {
    **kept.words("type", "sessionAffinity"),
    "clusterIP": re.compile("None"),
    "ports": kept.words("name", "protocol", "targetPort"),
    "selector": _LABELS,
}
_BACKEND: kept.Fields = {"service": kept.words("name")}
_INGRESS: kept.Fields = {
    **kept.words("ingressClassName"),
    "rules": {**kept.words("host"), "http": {"paths": {**kept.words("path", "pathType"), "backend": _BACKEND}}},
    "tls": kept.words("hosts", "secretName"),
}
_GATEWAY: kept.Fields = kept.words("group", "kind", "name", "namespace", "sectionName")
_HTTP_ROUTE: kept.Fields = {
    **kept.words("hostnames"),
    "parentRefs": _GATEWAY,
    "rules": {"matches": {"path": kept.words("type", "value")}, "backendRefs": kept.words("group", "kind", "name")},
}
_KINDS: dict[type[Object], kept.Fields] = {
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
            **kept.words("phase", "reason"),
            "message": kept.MESSAGE,
            "containerStatuses": _CONTAINER_STATUS,
            "initContainerStatuses": _CONTAINER_STATUS,
        },
    },
    PodDisruptionBudget: {"spec": {**kept.words("unhealthyPodEvictionPolicy"), "selector": {"matchLabels": _LABELS}}},
    HorizontalPodAutoscaler: {
        "spec": {
            "scaleTargetRef": kept.words("apiVersion", "kind", "name"),
            "metrics": {
                **kept.words("type"),
                "containerResource": {**kept.words("name", "container"), "target": kept.words("type")},
            },
            "behavior": kept.form_of(_SPEC["autoscaling"], "behavior"),
        },
    },
    Service: {"metadata": _RANGES, "spec": _SERVICE},
    Ingress: {"spec": _INGRESS},
    HTTPRoute: {"spec": _HTTP_ROUTE, "status": {"parents": {"parentRef": _GATEWAY, "conditions": kept.CONDITIONS}}},
}
"""What is kept of the kinds that have texts of their own."""

FIELDS: kept.Fields = {
    **{
        kind.KIND.group_key: kept.merged(kept.merged(kept.OBJECT, {"metadata": _METADATA}), _KINDS.get(kind, {}))
        for kind in (*CHILDREN, Pod)
    },
    "parent": {"spec": _SPEC, "status": _STATUS},
    # Messages of the hook have names, and no values.
    "status": {**_STATUS, "conditions": {**kept.CONDITIONS, "message": kept.ANY}},
    "relatedResources": {"labelSelector": {"matchLabels": _LABELS}},
}
"""What a replay needs: all that the hook reads or sets, but free text and values of labels, which it only compares."""


def redaction_of(keeps_values: bool) -> Redaction:  # noqa: FBT001 - the one thing that is asked
    return Redaction(keeps_values, FIELDS, _HASH_ANNOTATIONS, _READ_MESSAGES, _hashes)


_HASH_ANNOTATIONS = frozenset({*CONFIG_HASH_ANNOTATIONS.values(), ROLLED_OUT_TEMPLATE})


def _hashes(body: Body) -> dict[str, str]:
    request = SyncRequest.decode(body, CHILDREN, shape=Shape(optional_kinds=NOT_ALWAYS_LISTED))
    templates = [template_hash(deployment) for deployment in request.children.all(Deployment)]
    return {**published_hashes(request, _WATCH), **({ROLLED_OUT_TEMPLATE: templates[0]} if templates else {})}


command = record_command(redaction_of, __version__)
