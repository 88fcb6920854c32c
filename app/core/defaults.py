"""What the API server sets in a Deployment or a Service where nobody says otherwise.

Source: Kubernetes, pkg/apis/apps/v1/defaults.go and pkg/apis/core/v1/defaults.go.
"""

from typing import Any

_PROBE = {"failureThreshold": 3, "periodSeconds": 10, "successThreshold": 1, "timeoutSeconds": 1}
_DEFAULTS: dict[str, dict[str, Any]] = {
    "spec": {
        "dnsPolicy": "ClusterFirst",
        "externalTrafficPolicy": "Cluster",
        "internalTrafficPolicy": "Cluster",
        "progressDeadlineSeconds": 600,
        "replicas": 1,
        "restartPolicy": "Always",
        "revisionHistoryLimit": 10,
        "schedulerName": "default-scheduler",
        "securityContext": {},
        "sessionAffinity": "None",
        "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": "25%"}, "type": "RollingUpdate"},
        "terminationGracePeriodSeconds": 30,
        "type": "ClusterIP",
    },
    "containers": {
        "resources": {},
        "terminationMessagePath": "/dev/termination-log",
        "terminationMessagePolicy": "File",
    },
    "livenessProbe": _PROBE,
    "readinessProbe": _PROBE,
    "startupProbe": _PROBE,
    "httpGet": {"path": "/", "scheme": "HTTP"},
    "grpc": {"service": ""},
    "configMap": {"defaultMode": 0o644},
    "secret": {"defaultMode": 0o644},
    "projected": {"defaultMode": 0o644},
    "fieldRef": {"apiVersion": "v1"},
    "resourceFieldRef": {"divisor": "0"},
    "ports": {"protocol": "TCP"},
}
"""Defaults by name, and by the name of the field that they are in."""

_ASSIGNED = {
    "allocateLoadBalancerNodePorts",
    "clusterIP",
    "clusterIPs",
    "healthCheckNodePort",
    "imagePullPolicy",
    "ipFamilies",
    "ipFamilyPolicy",
    "nodePort",
    "targetPort",
}
"""Fields whose value the API server chooses, by what it has or by another field."""


def is_default(outer: str, field: str, value: object) -> bool:
    """Tell whether the API server sets *field*, inside the field *outer*, to *value* where nobody says otherwise."""
    defaults = _DEFAULTS.get(outer, {})
    return field in _ASSIGNED or (field in defaults and defaults[field] == value)
