"""Objects as the API server stores them: with its metadata, defaults and canonical quantities, without zero values.

Source of the defaults: about a hundred generated Deployments and an object of each other kind, as a kube-apiserver 1.36
stored them.
"""

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from metahook.simulator.apiserver.built_in_kinds import canonical_quantity, check_object, declared_fields
from metahook.simulator.apiserver.validation import WITHOUT_GENERATION
from metahook.simulator.objects import Json, Key, with_metadata

Fill = Callable[[Any], Any]


def _each(fill: Callable[[Json], Json]) -> Fill:
    """Return a function that applies *fill* to every item of a list."""
    return lambda items: [fill(item) for item in items]


def _with(fields: Json, **fill: Fill) -> Json:
    """Return *fields*, with each present one filled by its function in *fill*."""
    return {**fields, **{name: make(fields[name]) for name, make in fill.items() if name in fields}}


def _amounts(resources: Json) -> Json:
    return {name: canonical_quantity(amount) for name, amount in resources.items()}


def with_deployment_defaults(spec: Json) -> Json:
    defaults = {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600}
    strategy = _strategy(spec.get("strategy", {}), maxSurge="25%", maxUnavailable="25%")
    return _with_template({**defaults, **spec, "strategy": strategy})


def with_replica_set_defaults(spec: Json) -> Json:
    return _with_template({"replicas": 1, **spec})


def with_stateful_set_defaults(spec: Json) -> Json:
    retained = {"whenDeleted": "Retain", "whenScaled": "Retain", **spec.get("persistentVolumeClaimRetentionPolicy", {})}
    filled = {
        "podManagementPolicy": "OrderedReady",
        "replicas": 1,
        "revisionHistoryLimit": 10,
        **spec,
        "persistentVolumeClaimRetentionPolicy": retained,
        "updateStrategy": _strategy(spec.get("updateStrategy", {}), partition=0),
    }
    return _with(_with_template(filled), volumeClaimTemplates=_each(_claim_template))


def _claim_template(claim: Json) -> Json:
    kind = {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "status": {"phase": "Pending"}}
    return _with({**kind, **claim}, spec=with_claim_defaults)


def with_claim_defaults(spec: Json) -> Json:
    return _with({"volumeMode": "Filesystem", **spec}, resources=_resources)


def with_daemon_set_defaults(spec: Json) -> Json:
    strategy = _strategy(spec.get("updateStrategy", {}), maxSurge=0, maxUnavailable=1)
    return _with_template({"revisionHistoryLimit": 10, **spec, "updateStrategy": strategy})


def with_job_defaults(spec: Json) -> Json:
    """Return the *spec* of a Job with its defaults, except for its selector."""
    one = {} if "completions" in spec or "parallelism" in spec else {"completions": 1}
    return _with_template(
        {
            "backoffLimit": 6,
            "completionMode": "NonIndexed",
            "manualSelector": False,
            "parallelism": 1,
            "podReplacementPolicy": "Failed" if "podFailurePolicy" in spec else "TerminatingOrFailed",
            "suspend": False,
            **one,
            **spec,
        }
    )


def with_cron_job_defaults(spec: Json) -> Json:
    job = spec.get("jobTemplate", {})
    return {
        "concurrencyPolicy": "Allow",
        "failedJobsHistoryLimit": 1,
        "successfulJobsHistoryLimit": 3,
        "suspend": False,
        **spec,
        "jobTemplate": {"metadata": {}, **job, "spec": _with_template(job.get("spec", {}))},
    }


def with_pod_defaults(spec: Json) -> Json:
    return {"enableServiceLinks": True, **_pod(spec)}


def with_autoscaler_defaults(spec: Json) -> Json:
    return {"minReplicas": 1, **spec}


def with_network_policy_defaults(spec: Json) -> Json:
    rules = _each(lambda rule: _with(rule, ports=_each(lambda port: {"protocol": "TCP", **port})))
    types = ["Ingress", *(["Egress"] if "egress" in spec else [])]
    return _with({"policyTypes": types, **spec}, ingress=rules, egress=rules)


def with_limit_range_defaults(spec: Json) -> Json:
    return _with(spec, limits=_each(_limit))


def _limit(item: Json) -> Json:
    if item["type"] != "Container":
        return item
    limits = {**item.get("max", {}), **item.get("default", {})}
    requests = {**item.get("min", {}), **limits, **item.get("defaultRequest", {})}
    filled = {"default": limits, "defaultRequest": requests}
    return {**item, **{name: amounts for name, amounts in filled.items() if amounts}}


def with_webhook_defaults(webhook: Json) -> Json:
    defaults = {"failurePolicy": "Fail", "matchPolicy": "Equivalent", "namespaceSelector": {}, "objectSelector": {}}
    return _with(
        {**defaults, "timeoutSeconds": 10, **webhook},
        rules=_each(lambda rule: {"scope": "*", **rule}),
        clientConfig=lambda config: _with(config, service=lambda service: {"port": 443, **service}),
    )


def _strategy(strategy: Json, **rolling: str | int) -> Json:
    full = {"type": "RollingUpdate", **strategy}
    if full["type"] != "RollingUpdate":
        return full
    return {**full, "rollingUpdate": {**rolling, **full.get("rollingUpdate", {})}}


def _with_template(spec: Json) -> Json:
    if "template" not in spec:
        return spec
    template = {"metadata": {}, **spec["template"]}
    return {**spec, "template": {**template, "spec": _pod(template.get("spec", {}))}}


def _pod(spec: Json) -> Json:
    account = spec.get("serviceAccountName") or spec.get("serviceAccount")
    accounts = {"serviceAccountName": account, "serviceAccount": account} if account else {}
    return _with(
        {
            "dnsPolicy": "ClusterFirst",
            "restartPolicy": "Always",
            "schedulerName": "default-scheduler",
            "securityContext": {},
            "terminationGracePeriodSeconds": 30,
            **spec,
            **accounts,
        },
        containers=_each(_container),
        initContainers=_each(_container),
        volumes=_each(_volume),
    )


def _container(container: Json) -> Json:
    image = container.get("image", "")
    return _with(
        {
            "imagePullPolicy": "Always" if _is_latest(image) else "IfNotPresent",
            "terminationMessagePath": "/dev/termination-log",
            "terminationMessagePolicy": "File",
            "resources": {},
            **container,
        },
        ports=_each(lambda port: {"protocol": "TCP", **port}),
        env=_each(_variable),
        resources=_resources,
        livenessProbe=_probe,
        readinessProbe=_probe,
        startupProbe=_probe,
        lifecycle=lambda lifecycle: _with(lifecycle, postStart=_handler, preStop=_handler),
    )


def _resources(resources: Json) -> Json:
    return _with(resources, requests=_amounts, limits=_amounts)


def _is_latest(image: str) -> bool:
    """Tell whether *image* has the tag latest, or no tag and no digest."""
    name = image.rpartition("/")[2]
    return "@" not in image and (":" not in name or name.endswith(":latest"))


def _variable(variable: Json) -> Json:
    return _with(variable, valueFrom=_pod_file)


def _field_ref(ref: Json) -> Json:
    return {"apiVersion": "v1", **ref}


def _resource_ref(ref: Json) -> Json:
    return {**ref, "divisor": canonical_quantity(ref.get("divisor", "0"))}


def _probe(probe: Json) -> Json:
    defaults = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}
    return _handler({**defaults, **probe})


def _handler(handler: Json) -> Json:
    return _with(
        handler,
        httpGet=lambda get: {
            "path": "/",
            "scheme": "HTTP",
            **{key: value for key, value in get.items() if value != ""},
        },
        grpc=lambda grpc: {"service": "", **grpc},
    )


def _volume(volume: Json) -> Json:
    return _with(
        volume,
        emptyDir=lambda directory: _with(directory, sizeLimit=canonical_quantity),
        configMap=_with_mode,
        secret=_with_mode,
        downwardAPI=lambda files: _with(_with_mode(files), items=_each(_pod_file)),
        hostPath=lambda path: {"type": "", **path},
        projected=lambda projected: _with(_with_mode(projected), sources=_each(_source)),
    )


def _with_mode(volume: Json) -> Json:
    return {"defaultMode": 0o644, **volume}


def _source(source: Json) -> Json:
    return _with(source, downwardAPI=lambda part: _with(part, items=_each(_pod_file)))


def _pod_file(item: Json) -> Json:
    return _with(item, fieldRef=_field_ref, resourceFieldRef=_resource_ref)


_ONLY_WITH_NODE_PORTS = ("externalTrafficPolicy", "allocateLoadBalancerNodePorts")


def with_service_defaults(spec: Json) -> Json:
    kind = spec.get("type", "ClusterIP")
    opened = kind in ("NodePort", "LoadBalancer")
    fixed = {key: value for key, value in spec.items() if opened or key not in _ONLY_WITH_NODE_PORTS}
    if kind == "ExternalName":
        return {"sessionAffinity": "None", **fixed, "type": kind}
    address = spec.get("clusterIP") or "10.0.0.7"
    balanced = {"allocateLoadBalancerNodePorts": True} if kind == "LoadBalancer" else {}
    return {
        "clusterIP": address,
        "clusterIPs": [address],
        "internalTrafficPolicy": "Cluster",
        "ipFamilies": ["IPv4"],
        "ipFamilyPolicy": "SingleStack",
        "sessionAffinity": "None",
        "type": kind,
        **({"externalTrafficPolicy": "Cluster"} if opened else {}),
        **balanced,
        **fixed,
        "ports": [_port(port, opened=opened) for port in spec.get("ports", [])],
    }


def _port(port: Json, *, opened: bool) -> Json:
    given = {"protocol": "TCP", "targetPort": port["port"], **port}
    if opened:
        return {"nodePort": 30000 + port["port"] % 2768, **given}
    return {key: value for key, value in given.items() if key != "nodePort"}


_OPEN_MAPS = {"labels", "annotations", "matchLabels", "nodeSelector", "requests", "limits", "httpHeaders", "data"}
"""Maps with free keys: a zero value in them is kept."""
_DROPPED_ZERO = {
    "effect", "externalName", "hostIP", "hostIPC", "hostNetwork", "hostPID", "hostPort", "hostname",
    "initialDelaySeconds", "key", "loadBalancerIP", "medium", "minReadySeconds", "nodeName", "operator", "paused",
    "prefix", "publishNotReadyAddresses", "readOnly", "stdin", "stdinOnce", "subPath", "subPathExpr", "subdomain",
    "tty", "value", "workingDir",
}  # fmt: skip
"""Fields whose zero value Go can't tell from none."""


def without_nulls(value: Any) -> Any:
    """Return *value* without nulls, and with a whole float as an integer."""
    if isinstance(value, dict):
        return {
            # Most values are texts, and a call costs more than the look at the type.
            name: inner if type(inner) is str else without_nulls(inner)
            for name, inner in value.items()
            if inner is not None
        }
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _without_zeros(value: Any, field: str = "") -> Any:
    """Return *value*, which has no nulls, without the zero values that Go's ``omitempty`` leaves out."""
    if isinstance(value, list):
        return [_without_zeros(item, field) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: inner if type(inner) is str else _without_zeros(inner, name) for name, inner in value.items()}
    if field in _OPEN_MAPS:
        return kept
    return {name: inner for name, inner in kept.items() if name not in _DROPPED_ZERO or inner not in ("", 0)}


_FILL: dict[str, Callable[[Json], Json]] = {
    "Deployment": with_deployment_defaults,
    "Service": with_service_defaults,
    "ReplicaSet": with_replica_set_defaults,
    "Pod": with_pod_defaults,
    "StatefulSet": with_stateful_set_defaults,
    "DaemonSet": with_daemon_set_defaults,
    "Job": with_job_defaults,
    "CronJob": with_cron_job_defaults,
    "PersistentVolumeClaim": with_claim_defaults,
    "HorizontalPodAutoscaler": with_autoscaler_defaults,
    "LimitRange": with_limit_range_defaults,
    "NetworkPolicy": with_network_policy_defaults,
}


def _filled_secret(secret: Json) -> Json:
    texts = {name: b64encode(text.encode()).decode() for name, text in (secret.get("stringData") or {}).items()}
    data = {"data": {**(secret.get("data") or {}), **texts}} if texts else {}
    return {"type": "Opaque", **{name: value for name, value in secret.items() if name != "stringData"}, **data}


def _filled_namespace(namespace: Json) -> Json:
    metadata = namespace["metadata"]
    named = {**(metadata.get("labels") or {}), "kubernetes.io/metadata.name": metadata["name"]}
    return {"spec": {"finalizers": ["kubernetes"]}, **namespace, "metadata": {**metadata, "labels": named}}


def _filled_webhooks(configuration: Json) -> Json:
    filled = [with_webhook_defaults(webhook) for webhook in configuration.get("webhooks") or ()]
    if configuration["kind"] == "MutatingWebhookConfiguration":
        filled = [{"reinvocationPolicy": "Never", **webhook} for webhook in filled]
    return {**configuration, "webhooks": filled} if filled else configuration


_FILL_WHOLE: dict[str, Callable[[Json], Json]] = {
    "Namespace": _filled_namespace,
    "Secret": _filled_secret,
    **dict.fromkeys(("MutatingWebhookConfiguration", "ValidatingWebhookConfiguration"), _filled_webhooks),
    # Stored in Go, an empty list and none are the same.
    **dict.fromkeys(("Role", "ClusterRole"), lambda role: {**role, "rules": role.get("rules") or None}),
}
"""By kind whose defaults are not in a spec alone."""

_ALWAYS_FULL = ("labels", "annotations", "finalizers", "ownerReferences")
"""Fields of metadata that are not stored if they are empty."""


def stored_object(manifest: Json) -> Json:
    """Return *manifest* as the API server stores it, without the metadata that it adds.

    Raise ApiError for a field with a value of another type.
    """
    manifest = declared_fields(manifest)
    kind = manifest["kind"]
    fill = _FILL.get(kind)
    if fill is None:
        whole = _FILL_WHOLE.get(kind, dict)(manifest)
        return {**whole, "metadata": _without_empty(without_nulls(whole["metadata"]))}
    clean = _clean(manifest)
    return {**clean, "metadata": _without_empty(clean["metadata"]), "spec": fill(clean.get("spec", {}))}


def _without_empty(fields: Json) -> Json:
    return {name: value for name, value in fields.items() if value or name not in _ALWAYS_FULL}


def stored_status(kind: str, status: Json) -> Json:
    """Return the *status* of an object of this *kind* as the API server stores it."""
    return status if kind not in _FILL else _clean(status)


def _clean(value: Json) -> Json:
    clean: Json = _without_zeros(without_nulls(value))
    return clean


SYSTEM = ("uid", "resourceVersion", "generation", "creationTimestamp", "deletionTimestamp", "managedFields")
"""Metadata that only the API server sets."""


def with_generated_name(item: Json, number: int) -> Json:
    """Return *item* with a name made from ``generateName``, or with an empty one if it has neither."""
    metadata = item["metadata"]
    if metadata.get("name"):
        return item
    prefix = metadata.get("generateName")
    return with_metadata(item, name=f"{prefix}{number:05x}" if prefix else "", generateName=None)


def with_system_metadata(item: Json, key: Key, number: int, stamp: str) -> Json:
    """Return the new object *item* with its system metadata; *number* is unique, *stamp* the time."""
    sent = {name: value for name, value in item["metadata"].items() if name not in SYSTEM}
    system = {"creationTimestamp": stamp, "uid": _uid(number)}
    generation = {} if key.kind in WITHOUT_GENERATION else {"generation": 1}
    status = {"status": {"phase": "Active"}} if key.kind == "Namespace" else {}
    return {**item, **status, "metadata": {**sent, **system, **generation, "resourceVersion": str(number)}}


def with_placed_metadata(item: Json, live: Json | None, number: int, stamp: str) -> Json:
    """Return *item* as it replaces *live* unchecked: its own metadata wins, except for the version."""
    defaults = {"uid": _uid(number), "creationTimestamp": stamp}
    kept = {"status": live["status"]} if live and "status" in live and "status" not in item else {}
    return {**item, **kept, "metadata": {**defaults, **item["metadata"], "resourceVersion": str(number)}}


def _uid(number: int) -> str:
    return f"{number:08x}-0000-4000-8000-{number:012x}"


def normalized(item: Json) -> Json:
    """Return *item* without nulls in its metadata; raise ApiError if it is not a Kubernetes object."""
    check_object(item)
    return {**item, "metadata": {"name": "", **without_nulls(item["metadata"])}}
