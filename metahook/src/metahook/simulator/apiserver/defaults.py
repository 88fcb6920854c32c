"""The defaults of the kinds that hooks often create, with quantities in canonical form.

Source: about a hundred generated Deployments and an object of each other kind, as a kube-apiserver 1.36 stored them.
"""

from collections.abc import Callable
from typing import Any

from metahook.protocol.objects import Json
from metahook.simulator.apiserver.scalars import canonical_quantity

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
    """Return the *spec* of a Deployment with its defaults."""
    defaults = {"replicas": 1, "revisionHistoryLimit": 10, "progressDeadlineSeconds": 600}
    strategy = _strategy(spec.get("strategy", {}), maxSurge="25%", maxUnavailable="25%")
    return _with_template({**defaults, **spec, "strategy": strategy})


def with_replica_set_defaults(spec: Json) -> Json:
    """Return the *spec* of a ReplicaSet with its defaults."""
    return _with_template({"replicas": 1, **spec})


def with_stateful_set_defaults(spec: Json) -> Json:
    """Return the *spec* of a StatefulSet with its defaults."""
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
    """Return the *spec* of a PersistentVolumeClaim with its defaults."""
    return _with({"volumeMode": "Filesystem", **spec}, resources=_resources)


def with_daemon_set_defaults(spec: Json) -> Json:
    """Return the *spec* of a DaemonSet with its defaults."""
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
    """Return the *spec* of a CronJob with its defaults."""
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
    """Return the *spec* of a Pod with its defaults."""
    return {"enableServiceLinks": True, **_pod(spec)}


def with_autoscaler_defaults(spec: Json) -> Json:
    """Return the *spec* of a HorizontalPodAutoscaler with its defaults."""
    return {"minReplicas": 1, **spec}


def with_network_policy_defaults(spec: Json) -> Json:
    """Return the *spec* of a NetworkPolicy with its defaults."""
    rules = _each(lambda rule: _with(rule, ports=_each(lambda port: {"protocol": "TCP", **port})))
    types = ["Ingress", *(["Egress"] if "egress" in spec else [])]
    return _with({"policyTypes": types, **spec}, ingress=rules, egress=rules)


def with_limit_range_defaults(spec: Json) -> Json:
    """Return the *spec* of a LimitRange with its defaults."""
    return _with(spec, limits=_each(_limit))


def _limit(item: Json) -> Json:
    if item["type"] != "Container":
        return item
    limits = {**item.get("max", {}), **item.get("default", {})}
    requests = {**item.get("min", {}), **limits, **item.get("defaultRequest", {})}
    filled = {"default": limits, "defaultRequest": requests}
    return {**item, **{name: amounts for name, amounts in filled.items() if amounts}}


def with_webhook_defaults(webhook: Json) -> Json:
    """Return the *webhook* of an admission configuration with its defaults."""
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
    account = spec.get("serviceAccountName", spec.get("serviceAccount"))
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
    """Return the *spec* of a Service with its defaults and its allocated addresses."""
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
