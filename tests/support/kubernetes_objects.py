"""Objects of the kinds that an import reads, one for each field that Kubernetes' schema has, with a value of one sort.

A field is there with a value that ``matters``, with the ``default`` that an API server sets, and with the ``zero`` of
its type. What a value needs around it is in the tables below; an API server refuses some zeros, which is no matter.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from toolkit.mutations import Path

Json = dict[str, Any]

LABELS = {"app": "shop"}
MAIN = {"name": "shop", "image": "shop:1"}
POD = {"containers": [MAIN], "volumes": [{"name": "v", "emptyDir": {}}]}
METRIC = {"type": "Utilization", "averageUtilization": 80}
_TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "shop"}
_SERVICE = {"service": {"name": "shop", "port": {"number": 80}}}
_INGRESS_PATH = {"path": "/", "pathType": "Prefix", "backend": _SERVICE}
_INGRESS_RULE = {"host": "shop.example.com", "http": {"paths": [_INGRESS_PATH]}}
_CLAIM = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
_WITH_DISK = {"matchExpressions": [{"key": "disk", "operator": "Exists"}]}

LEAST: dict[str, Json] = {
    "apis.meta.v1.LabelSelector": {"matchLabels": LABELS},
    "apis.meta.v1.OwnerReference": {"apiVersion": "example.com/v1", "kind": "Shop", "name": "shop", "uid": "1"},
    "autoscaling.v1.HorizontalPodAutoscalerSpec": {"scaleTargetRef": _TARGET, "maxReplicas": 3},
    "autoscaling.v2.HPAScalingPolicy": {"type": "Pods", "value": 2, "periodSeconds": 60},
    "autoscaling.v2.HPAScalingRules": {"stabilizationWindowSeconds": 60},
    "autoscaling.v2.HorizontalPodAutoscalerSpec": {"scaleTargetRef": _TARGET, "maxReplicas": 3},
    "autoscaling.v2.MetricSpec": {"type": "Resource", "resource": {"name": "cpu", "target": METRIC}},
    "autoscaling.v2.MetricTarget": {"type": "AverageValue", "averageValue": "5"},
    "autoscaling.v2.ResourceMetricSource": {"name": "cpu", "target": METRIC},
    "autoscaling.v2.ContainerResourceMetricSource": {"name": "cpu", "container": "shop", "target": METRIC},
    "core.v1.ClusterTrustBundleProjection": {"name": "roots", "path": "roots.pem"},
    "core.v1.ConfigMapProjection": {"name": "config"},
    "core.v1.ConfigMapVolumeSource": {"name": "config"},
    "core.v1.ConfigMapKeySelector": {"name": "config", "key": "a"},
    "core.v1.ConfigMapEnvSource": {"name": "config"},
    "core.v1.Container": {"name": "proxy", "image": "proxy:1"},
    "core.v1.ContainerPort": {"containerPort": 8080},
    "core.v1.ContainerResizePolicy": {"resourceName": "cpu", "restartPolicy": "NotRequired"},
    "core.v1.ContainerRestartRule": {"action": "Restart", "exitCodes": {"operator": "In", "values": [3]}},
    "core.v1.ContainerRestartRuleOnExitCodes": {"operator": "In", "values": [3]},
    "core.v1.DownwardAPIProjection": {"items": [{"path": "name", "fieldRef": {"fieldPath": "metadata.name"}}]},
    "core.v1.DownwardAPIVolumeFile": {"path": "name", "fieldRef": {"fieldPath": "metadata.name"}},
    "core.v1.EnvFromSource": {"configMapRef": {"name": "config"}},
    "core.v1.EnvVar": {"name": "A"},
    "core.v1.EnvVarSource": {"fieldRef": {"fieldPath": "metadata.name"}},
    "core.v1.EphemeralVolumeSource": {"volumeClaimTemplate": {"spec": _CLAIM}},
    "core.v1.PersistentVolumeClaimSpec": _CLAIM,
    "core.v1.ExecAction": {"command": ["true"]},
    "core.v1.FCVolumeSource": {"targetWWNs": ["5005"], "lun": 1},
    "core.v1.FileKeySelector": {"volumeName": "v", "path": "env", "key": "A"},
    "core.v1.FlockerVolumeSource": {"datasetName": "data"},
    "core.v1.GRPCAction": {"port": 8080},
    "core.v1.HTTPGetAction": {"port": 8080},
    "core.v1.HTTPHeader": {"name": "X-Shop", "value": "1"},
    "core.v1.HostAlias": {"ip": "10.1.2.3", "hostnames": ["db"]},
    "core.v1.HostPathVolumeSource": {"path": "/var/log"},
    "core.v1.AzureDiskVolumeSource": {
        "diskName": "data",
        "diskURI": "https://shop.blob.core.windows.net/disks/data.vhd",
        "kind": "Shared",
    },
    "core.v1.NFSVolumeSource": {"server": "nfs.example.com", "path": "/data"},
    "core.v1.QuobyteVolumeSource": {"registry": "quobyte.example.com:1", "volume": "data"},
    "core.v1.ScaleIOVolumeSource": {
        "gateway": "gate",
        "system": "sys",
        "volumeName": "data",
        "secretRef": {"name": "keys"},
    },
    "core.v1.ISCSIVolumeSource": {"targetPortal": "10.1.2.3:3260", "iqn": "iqn.2001-04.com.example:a", "lun": 0},
    "core.v1.ImageVolumeSource": {"reference": "data:1"},
    "core.v1.KeyToPath": {"key": "a", "path": "b"},
    "core.v1.LifecycleHandler": {"exec": {"command": ["true"]}},
    "core.v1.LocalObjectReference": {"name": "registry"},
    "core.v1.NodeAffinity": {
        "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "preference": _WITH_DISK}]
    },
    "core.v1.NodeSelectorRequirement": {"key": "metadata.name", "operator": "In", "values": ["n"]},
    "core.v1.NodeSelectorTerm": _WITH_DISK,
    "core.v1.ObjectFieldSelector": {"fieldPath": "metadata.name"},
    "core.v1.PodAffinityTerm": {"labelSelector": {"matchLabels": LABELS}, "topologyKey": "kubernetes.io/hostname"},
    "core.v1.PodCertificateProjection": {
        "signerName": "example.com/signer",
        "keyType": "ED25519",
        "credentialBundlePath": "bundle.pem",
    },
    "core.v1.PodDNSConfig": {"searches": ["example.com"]},
    "core.v1.PodDNSConfigOption": {"name": "ndots", "value": "2"},
    "core.v1.PodOS": {"name": "linux"},
    "core.v1.PodReadinessGate": {"conditionType": "example.com/ready"},
    "core.v1.PodResourceClaim": {"name": "gpu", "resourceClaimName": "gpu"},
    "core.v1.PodSchedulingGate": {"name": "example.com/gate"},
    "core.v1.PodSchedulingGroup": {"podGroupName": "group"},
    "core.v1.PodSpec": POD,
    "core.v1.PodTemplateSpec": {"metadata": {"labels": LABELS}, "spec": POD},
    "core.v1.PreferredSchedulingTerm": {
        "weight": 1,
        "preference": _WITH_DISK,
    },
    "core.v1.Probe": {"tcpSocket": {"port": 8080}},
    "core.v1.ProjectedVolumeSource": {"sources": [{"configMap": {"name": "config"}}]},
    "core.v1.ResourceFieldSelector": {"resource": "limits.cpu"},
    "core.v1.SeccompProfile": {"type": "Unconfined"},
    "core.v1.AppArmorProfile": {"type": "Unconfined"},
    "core.v1.SecretProjection": {"name": "keys"},
    "core.v1.SecretKeySelector": {"name": "keys", "key": "a"},
    "core.v1.SecretEnvSource": {"name": "keys"},
    "core.v1.SecretVolumeSource": {"secretName": "keys"},
    "core.v1.ServiceAccountTokenProjection": {"path": "token"},
    "core.v1.ServicePort": {"port": 8080},
    "core.v1.ServiceSpec": {"selector": LABELS, "ports": [{"port": 8080}]},
    "core.v1.SleepAction": {"seconds": 5},
    "core.v1.StorageOSVolumeSource": {"volumeName": "data"},
    "core.v1.Sysctl": {"name": "net.ipv4.ip_local_port_range", "value": "1024 65000"},
    "core.v1.TCPSocketAction": {"port": 8080},
    "core.v1.Toleration": {"key": "a", "operator": "Exists"},
    "core.v1.TopologySpreadConstraint": {
        "maxSkew": 1,
        "topologyKey": "zone",
        "whenUnsatisfiable": "DoNotSchedule",
        "labelSelector": {"matchLabels": LABELS},
    },
    "core.v1.TypedLocalObjectReference": {"kind": "Bucket", "name": "static", "apiGroup": "example.com"},
    "core.v1.TypedObjectReference": {"kind": "Bucket", "name": "static", "apiGroup": "example.com"},
    "core.v1.Volume": {"name": "data", "emptyDir": {}},
    "core.v1.VolumeDevice": {"name": "block", "devicePath": "/dev/block"},
    "core.v1.VolumeMount": {"name": "v", "mountPath": "/v"},
    "core.v1.VolumeProjection": {"configMap": {"name": "config"}},
    "networking.v1.HTTPIngressPath": _INGRESS_PATH,
    "networking.v1.IngressBackend": _SERVICE,
    "networking.v1.IngressRule": _INGRESS_RULE,
    "networking.v1.IngressSpec": {"rules": [_INGRESS_RULE]},
    "networking.v1.IngressServiceBackend": _SERVICE["service"],
    "networking.v1.IngressTLS": {"hosts": ["shop.example.com"], "secretName": "tls"},
    "networking.v1.ServiceBackendPort": {"number": 80},
    "HTTPRoute.spec": {
        "parentRefs": [{"name": "shared"}],
        "hostnames": ["shop.example.com"],
        "rules": [{"backendRefs": [{"name": "shop", "port": 80}]}],
    },
    "HTTPRoute.spec.rules": {"backendRefs": [{"name": "shop", "port": 80}]},
    "HTTPRoute.spec.rules.backendRefs": {"name": "shop", "port": 80},
    "policy.v1.PodDisruptionBudgetSpec": {"selector": {"matchLabels": LABELS}, "maxUnavailable": 1},
}
"""A valid value of each type that needs more than its required fields, or other values than the ones below."""

VALUES: dict[str, Any] = {
    "string": "example",
    "int32": 7,
    "int64": 7,
    "boolean": True,
    "quantity": "7",
    "int-or-string": 7,
    "date-time": "2026-01-31T12:00:00Z",
    "double": 1.5,
    "byte": "YQ==",
    # Fields, by type and name.
    "DeploymentSpec.replicas": 3,
    "DeploymentSpec.progressDeadlineSeconds": 900,
    "ObjectMeta.labels": {"team": "a"},
    "ObjectMeta.annotations": {"example.com/owner": "b"},
    "ObjectMeta.finalizers": ["example.com/keep"],
    "ObjectMeta.name": "other",
    "LabelSelector.matchLabels": LABELS,
    "LabelSelectorRequirement.key": "app",
    "PodSpec.activeDeadlineSeconds": 60,
    "PodSpec.dnsPolicy": "Default",
    "PodSpec.restartPolicy": "Always",
    "PodSpec.schedulerName": "other-scheduler",
    "PodSpec.enableServiceLinks": False,
    "PodSpec.hostUsers": False,
    "PodSpec.nodeSelector": {"disk": "ssd"},
    "PodSpec.overhead": {"cpu": "10m"},
    "PodSpec.priorityClassName": "high",
    "PodSecurityContext.fsGroupChangePolicy": "OnRootMismatch",
    "PodSecurityContext.supplementalGroupsPolicy": "Strict",
    "PodSecurityContext.seLinuxChangePolicy": "Recursive",
    "Capabilities.add": ["SYS_TIME"],
    "Capabilities.drop": ["NET_RAW"],
    "Container.restartPolicy": "Always",
    "Container.terminationMessagePath": "/dev/other",
    "Container.workingDir": "/srv",
    "Container.image": "other:2",
    "ContainerPort.protocol": "UDP",
    "ContainerPort.name": "http",
    "ContainerPort.hostIP": "10.1.2.3",
    "ContainerPort.hostPort": 8080,
    "EnvVar.value": "$(B)",
    "EnvFromSource.prefix": "P_",
    "HTTPGetAction.path": "/healthz",
    "HTTPGetAction.host": "127.0.0.1",
    "HTTPGetAction.port": 8081,
    "TCPSocketAction.host": "127.0.0.1",
    "GRPCAction.service": "shop",
    "Lifecycle.stopSignal": "SIGUSR1",
    "ResourceFieldSelector.divisor": "1m",
    "ResourceFieldSelector.containerName": "shop",
    "ResourceRequirements.limits": {"cpu": "2", "memory": "1Gi"},
    "ResourceRequirements.requests": {"cpu": "1"},
    "ObjectFieldSelector.apiVersion": "v1",
    "ObjectFieldSelector.fieldPath": "metadata.namespace",
    "DownwardAPIVolumeFile.mode": 0o600,
    "KeyToPath.mode": 0o600,
    "ConfigMapVolumeSource.defaultMode": 0o600,
    "SecretVolumeSource.defaultMode": 0o600,
    "ProjectedVolumeSource.defaultMode": 0o600,
    "DownwardAPIVolumeSource.defaultMode": 0o600,
    "EmptyDirVolumeSource.medium": "Memory",
    "EmptyDirVolumeSource.sizeLimit": "64Mi",
    "HostPathVolumeSource.type": "Directory",
    "ISCSIVolumeSource.portals": ["10.1.2.4:3260"],
    "ISCSIVolumeSource.initiatorName": "iqn.2001-04.com.example:b",
    "AzureDiskVolumeSource.cachingMode": "ReadOnly",
    "CephFSVolumeSource.path": "/data",
    "ServiceAccountTokenProjection.expirationSeconds": 7200,
    "PodCertificateProjection.maxExpirationSeconds": 7200,
    "ClusterTrustBundleProjection.signerName": "example.com/signer",
    "VolumeMount.mountPropagation": "HostToContainer",
    "VolumeMount.recursiveReadOnly": "Enabled",
    "VolumeMount.mountPath": "/other",
    "VolumeMount.subPath": "sub",
    "VolumeMount.subPathExpr": "$(A)",
    "PersistentVolumeClaimSpec.accessModes": ["ReadWriteMany"],
    "VolumeResourceRequirements.requests": {"storage": "2Gi"},
    "VolumeResourceRequirements.limits": {"storage": "2Gi"},
    "NodeSelectorRequirement.operator": "Exists",
    "NodeSelectorRequirement.key": "disk",
    "LabelSelectorRequirement.operator": "Exists",
    "VolumeDevice.name": "block",
    "VolumeMount.name": "v",
    "FileKeySelector.volumeName": "v",
    "ResourceFieldSelector.resource": "limits.memory",
    "ContainerRestartRule.action": "RestartAllContainers",
    "ContainerRestartRuleOnExitCodes.operator": "NotIn",
    "ContainerRestartRuleOnExitCodes.values": [4],
    "ContainerResizePolicy.resourceName": "memory",
    "ContainerResizePolicy.restartPolicy": "RestartContainer",
    "QuobyteVolumeSource.registry": "other.example.com:1",
    "ISCSIVolumeSource.iqn": "iqn.2001-04.com.example:c",
    "NFSVolumeSource.path": "/other",
    "ResourceClaim.name": "gpu",
    "CrossVersionObjectReference.apiVersion": "apps/v1",
    "ContainerResourceMetricSource.name": "memory",
    "MetricTarget.value": "9",
    "Toleration.effect": "NoSchedule",
    "Toleration.operator": "Exists",
    "TopologySpreadConstraint.nodeAffinityPolicy": "Ignore",
    "TopologySpreadConstraint.whenUnsatisfiable": "ScheduleAnyway",
    "TopologySpreadConstraint.matchLabelKeys": ["pod-template-hash"],
    "PodAffinityTerm.matchLabelKeys": ["pod-template-hash"],
    "PodAffinityTerm.mismatchLabelKeys": ["team"],
    "PodAffinityTerm.namespaces": ["other"],
    "HostAlias.ip": "10.1.2.4",
    "PodDNSConfig.nameservers": ["10.1.2.3"],
    "PodDNSConfigOption.value": "3",
    "RollingUpdateDeployment.maxSurge": 2,
    "RollingUpdateDeployment.maxUnavailable": "10%",
    "ServiceSpec.type": "NodePort",
    "ServiceSpec.clusterIP": "None",
    "ServiceSpec.clusterIPs": ["None"],
    "ServiceSpec.externalIPs": ["10.1.2.3"],
    "ServiceSpec.externalTrafficPolicy": "Local",
    "ServiceSpec.ipFamilies": ["IPv4"],
    "ServiceSpec.loadBalancerIP": "10.1.2.3",
    "ServiceSpec.loadBalancerClass": "example.com/lb",
    "ServiceSpec.loadBalancerSourceRanges": ["10.0.0.0/8"],
    "ServiceSpec.trafficDistribution": "PreferClose",
    "ServiceSpec.allocateLoadBalancerNodePorts": False,
    "ServiceSpec.healthCheckNodePort": 30001,
    "ServiceSpec.externalName": "shop.example.com",
    "ServiceSpec.selector": LABELS,
    "ServicePort.protocol": "UDP",
    "ServicePort.name": "http",
    "ServicePort.nodePort": 30002,
    "ServicePort.targetPort": 8081,
    "ClientIPConfig.timeoutSeconds": 60,
    "HorizontalPodAutoscalerSpec.minReplicas": 2,
    "HPAScalingRules.selectPolicy": "Min",
    "HPAScalingRules.tolerance": "50m",
    "HPAScalingPolicy.type": "Percent",
    "PodDisruptionBudgetSpec.minAvailable": "50%",
    "PodDisruptionBudgetSpec.maxUnavailable": 2,
    "HTTPIngressPath.path": "/shop",
    "IngressRule.host": "other.example.com",
    "IngressTLS.hosts": ["other.example.com"],
    "ServiceBackendPort.name": "http",
    "WindowsSecurityContextOptions.hostProcess": False,
    "OwnerReference.uid": "2",
}
"""Values that matter: by type, or by the type and the name of a field."""

BESIDE: dict[str, Json] = {
    "AppArmorProfile.localhostProfile": {"type": "Localhost"},
    "SeccompProfile.localhostProfile": {"type": "Localhost"},
    "DeploymentStrategy.rollingUpdate": {"type": "RollingUpdate"},
    "Toleration.tolerationSeconds": {"effect": "NoExecute"},
    "Toleration.value": {"operator": "Equal"},
    "ClusterTrustBundleProjection.signerName": {"name": None, "labelSelector": {"matchLabels": LABELS}},
    "ClusterTrustBundleProjection.labelSelector": {"name": None, "signerName": "example.com/signer"},
    "VolumeMount.recursiveReadOnly": {"readOnly": True},
    "LabelSelectorRequirement.values": {"operator": "In"},
    "NodeSelectorRequirement.values": {"operator": "In"},
    "Container.stdinOnce": {"stdin": True},
    "DownwardAPIVolumeFile.resourceFieldRef": {"fieldRef": None},
    "ISCSIVolumeSource.chapAuthSession": {"secretRef": {"name": "keys"}},
    "FlockerVolumeSource.datasetUUID": {"datasetName": None},
    "Container.restartPolicyRules": {"restartPolicy": "Never"},
    "FCVolumeSource.wwids": {"targetWWNs": None, "lun": None},
    "EnvVar.valueFrom": {"value": None},
    "ServiceSpec.externalTrafficPolicy": {"type": "LoadBalancer"},
    "ServiceSpec.loadBalancerClass": {"type": "LoadBalancer"},
    "ServiceSpec.loadBalancerSourceRanges": {"type": "LoadBalancer"},
    "ServiceSpec.loadBalancerIP": {"type": "LoadBalancer"},
    "ServiceSpec.allocateLoadBalancerNodePorts": {"type": "LoadBalancer"},
    "ServiceSpec.healthCheckNodePort": {"type": "LoadBalancer", "externalTrafficPolicy": "Local"},
    "ServiceSpec.externalName": {"type": "ExternalName", "clusterIP": None},
    "ServiceSpec.sessionAffinityConfig": {"sessionAffinity": "ClientIP"},
    "ServiceSpec.clusterIPs": {"clusterIP": "None"},
    "PodDisruptionBudgetSpec.minAvailable": {"maxUnavailable": None},
    "ServiceBackendPort.name": {"number": None},
    "IngressBackend.resource": {"service": None},
    "MetricSpec.containerResource": {"type": "ContainerResource", "resource": None},
    "MetricSpec.external": {"type": "External", "resource": None},
    "MetricSpec.object": {"type": "Object", "resource": None},
    "MetricSpec.pods": {"type": "Pods", "resource": None},
    "MetricTarget.averageUtilization": {"type": "Utilization", "averageValue": None},
    "MetricTarget.value": {"type": "Value", "averageValue": None},
    "PodResourceClaim.resourceClaimTemplateName": {"resourceClaimName": None},
}
"""What a field needs beside it; None for what excludes it."""

UNIONS = {
    "Volume": ("name",),
    "VolumeProjection": (),
    "LifecycleHandler": (),
    "EnvVarSource": (),
    "EnvFromSource": ("prefix",),
}
"""Types of which one field excludes the others, except for these."""
_HANDLERS = {"exec", "grpc", "httpGet", "tcpSocket"}

AROUND: dict[str, Json] = {
    "volumeDevices": {"volumes": [{"name": "block", "persistentVolumeClaim": {"claimName": "block"}}]},
    "claims": {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]},
}
"""What a Pod needs for a field of its containers."""

ROOTS: dict[tuple[str, str], str] = {
    ("apps/v1", "Deployment"): "apps.v1.Deployment",
    ("v1", "Service"): "core.v1.Service",
    ("autoscaling/v1", "HorizontalPodAutoscaler"): "autoscaling.v1.HorizontalPodAutoscaler",
    ("autoscaling/v2", "HorizontalPodAutoscaler"): "autoscaling.v2.HorizontalPodAutoscaler",
    ("policy/v1", "PodDisruptionBudget"): "policy.v1.PodDisruptionBudget",
    ("networking.k8s.io/v1", "Ingress"): "networking.v1.Ingress",
}
HTTP_ROUTE = ("gateway.networking.k8s.io/v1", "HTTPRoute")


@dataclass(frozen=True)
class Field:
    """A field of an object: the *path* of it, its *type*, and the object with a value there."""

    api_version: str
    kind: str
    path: Path
    owner: str
    """The type that has the field."""
    type: Any

    @property
    def name(self) -> str:
        """The name of the field."""
        return str(self.path[-1])


def fields(types: Json, roots: dict[tuple[str, str], str]) -> Iterator[Field]:
    """Yield every field of the kinds *roots*, also those of the items of lists, which have the index 0."""
    for (api_version, kind), root in roots.items():
        yield from _below(types, api_version, kind, root, ("spec",))


def _below(types: Json, api_version: str, kind: str, root: str, start: Path) -> Iterator[Field]:
    pending: list[tuple[Any, Path, tuple[str, ...]]] = [(types[root]["fields"]["spec"], start, (root,))]
    while pending:
        type_, path, owners = pending.pop(0)
        name = type_[1:] if isinstance(type_, str) and type_[0] == "#" else ""
        shape = types[name] if name else type_
        if isinstance(shape, dict) and "items" in shape:
            pending.append((shape["items"], (*path, 0), owners))
        if name in owners or not isinstance(shape, dict):
            continue
        for field, inner in shape.get("fields", {}).items():
            yield Field(api_version, kind, (*path, field), name, inner)
            pending.append((inner, (*path, field), (*owners, name)))


def least(types: Json, type_: Any) -> Any:
    """Return a small valid value of *type_*."""
    if isinstance(type_, str) and type_[0] == "#":
        name = type_[1:]
        if name in LEAST:
            return LEAST[name]
        shape = types[name]
        return {field: value(types, name, field, shape["fields"][field]) for field in shape.get("required", ())}
    if isinstance(type_, str):
        return VALUES[type_]
    if "items" in type_:
        return [least(types, type_["items"])]
    if "values" in type_:
        return {"example": least(types, type_["values"])}
    return type_["enum"][0] if "enum" in type_ else {}


_ZEROS = {"boolean": False, "int32": 0, "int64": 0, "double": 0, "int-or-string": 0, "string": "", "quantity": "0"}


def zero(type_: Any) -> Any:
    """Return the zero value of *type_*."""
    if isinstance(type_, str):
        return _ZEROS.get(type_, {} if type_[0] == "#" else "")
    return [] if "items" in type_ else "" if "enum" in type_ else {}


def value(types: Json, owner: str, field: str, type_: Any) -> Any:
    """Return a value that matters for *field* of the type *owner*."""
    known = f"{owner.rpartition('.')[2]}.{field}"
    if known in VALUES:
        return VALUES[known]
    if isinstance(type_, dict) and "enum" in type_:
        return next(each for each in type_["enum"] if each not in ("", types[owner].get("defaults", {}).get(field)))
    return least(types, type_)


def with_field(types: Json, field: Field, new: Any) -> Json:
    """Return an object that has *new* in *field*, and what that needs around it."""
    root = {**ROOTS, HTTP_ROUTE: "HTTPRoute"}[field.api_version, field.kind]
    spec_type = types[root]["fields"]["spec"]
    spec = _set(types, spec_type, least(types, spec_type), field.path[1:], new)
    for name, around in AROUND.items():
        if name in field.path and field.kind == "Deployment":
            pod = spec["template"]["spec"]
            spec["template"]["spec"] = {**pod, **{key: [*pod.get(key, []), *more] for key, more in around.items()}}
    return {"apiVersion": field.api_version, "kind": field.kind, "metadata": {"name": "shop"}, "spec": spec}


def _set(types: Json, type_: Any, base: Any, path: Path, new: Any) -> Any:
    if not path:
        return new
    step, *rest = path
    shape = types[type_[1:]] if isinstance(type_, str) else type_
    if isinstance(step, int):
        items = base if isinstance(base, list) and base else [least(types, shape["items"])]
        return [_set(types, shape["items"], items[0], tuple(rest), new), *items[1:]]
    owner = type_[1:]
    short = owner.rpartition(".")[2]
    inner = shape["fields"][step]
    made = _set(types, inner, base.get(step, least(types, inner)), tuple(rest), new)
    beside = BESIDE.get(f"{short}.{step}", {})
    kept = {
        name: old
        for name, old in {**base, **beside}.items()
        if old is not None and (short not in UNIONS or name in UNIONS[short] or step in UNIONS[short])
    }
    if short == "Probe" and step in _HANDLERS:
        kept = {name: old for name, old in kept.items() if name not in _HANDLERS}
    if short == "EnvVar" and step == "valueFrom":
        kept.pop("value", None)
    if short == "Container" and step in ("lifecycle", "livenessProbe", "readinessProbe", "startupProbe"):
        kept = kept if kept["name"] == "shop" else {**kept, "restartPolicy": "Always"}
    return {**kept, step: made}
