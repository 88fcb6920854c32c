"""The defaults of a Deployment.

Source: about a hundred generated Deployments, as a kube-apiserver 1.36 stored them.
"""

from collections.abc import Callable
from typing import Any

from metahook.simulator.apiserver.quantity import canonical_quantity

Json = dict[str, Any]
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
    template = spec.get("template", {})
    return {
        "replicas": 1,
        "revisionHistoryLimit": 10,
        "progressDeadlineSeconds": 600,
        **spec,
        "strategy": _strategy(spec.get("strategy", {})),
        "template": {**template, "spec": _pod(template.get("spec", {}))},
    }


def _strategy(strategy: Json) -> Json:
    full = {"type": "RollingUpdate", **strategy}
    if full["type"] != "RollingUpdate":
        return full
    return {**full, "rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%", **full.get("rollingUpdate", {})}}


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
        resources=lambda resources: _with(resources, requests=_amounts, limits=_amounts),
        livenessProbe=_probe,
        readinessProbe=_probe,
        startupProbe=_probe,
    )


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
    return _with(
        {**defaults, **probe},
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
        projected=lambda projected: _with(_with_mode(projected), sources=_each(_source)),
    )


def _with_mode(volume: Json) -> Json:
    return {"defaultMode": 0o644, **volume}


def _source(source: Json) -> Json:
    return _with(source, downwardAPI=lambda part: _with(part, items=_each(_pod_file)))


def _pod_file(item: Json) -> Json:
    return _with(item, fieldRef=_field_ref, resourceFieldRef=_resource_ref)
