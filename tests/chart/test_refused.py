"""Values that the chart refuses: the message names the value and the remedy."""

import pytest
import yaml

from charts.rendering import CHART
from charts.values_table import documented, leaves
from tests.chart.sets import Json, refusal

TEXT = (CHART / "values.yaml").read_text()
VALUES = leaves(yaml.safe_load(TEXT), documented(TEXT))
DIGEST = "sha256:" + "0" * 64
TOKEN = {"secretName": "t"}
PEM = "-----BEGIN CERTIFICATE-----\n"
BACKUPS = {"apiVersion": "example.com/v1", "resource": "mybackups", "kind": "MyBackup"}


def scaled(**autoscaling: object) -> Json:
    """Return the values of an autoscaler."""
    return {"autoscaling": {"enabled": True, **autoscaling}}


def extra(name: str) -> Json:
    """Return the values of an additional volume."""
    return {"extraVolumes": [{"name": name, "emptyDir": {}}]}


def mounted(name: str, path: str = "/data") -> Json:
    """Return the values that mount a volume."""
    return {"extraVolumeMounts": [{"name": name, "mountPath": path}]}


def monitored(*names: str) -> Json:
    """Return the values that enable parts of metrics, without a NetworkPolicy."""
    return {"metrics": {name: {"enabled": True} for name in names}, "networkPolicy": {"enabled": False}}


def watch(*kinds: Json, check: bool = False) -> Json:
    """Return the values that watch *kinds*, and may *check* whether the cluster serves them."""
    return {"watch": {"dependencies": list(kinds)}, "metacontroller": {"check": check}}


@pytest.mark.parametrize(
    ("values", "named", "remedy"),
    [
        ({"image": {"repository": ""}}, "image.repository is empty", "the repository that you pushed"),
        (
            {"image": {"repository": "r.example.com/hook:1"}},
            "image.repository is r.example.com/hook:1",
            "set image.tag",
        ),
        ({"image": {"repository": f"hook@{DIGEST}"}}, "image.repository is hook@", "set image.tag or image.d"),
        (
            {"image": {"repository": "https://r.example.com/hook"}},
            "image.repository is",
            "remove the scheme and spaces",
        ),
        ({"image": {"tag": "latest"}}, "image.tag is latest", "set a fixed tag or image.digest"),
        ({"image": {"tag": "1 0"}}, 'image.tag is "1 0"', "use letters, digits"),
        ({"image": {"digest": "sha256:12"}}, 'image.digest is "sha256:12"', "and 64 hexadecimal digits"),
        ({"serviceAccount": {"create": False}}, "serviceAccount.name is empty", "to an existing ServiceAccount"),
        ({"podDisruptionBudget": {"maxUnavailable": 2}}, "podDisruptionBudget.maxUnavailable is 2", "to at least 1"),
        ({"podDisruptionBudget": {"maxUnavailable": 0}}, "podDisruptionBudget.maxUnavailable is 0", "to at least 1"),
        ({"replicaCount": 0}, "replicaCount is 0", "set it to 1 or more"),
        ({"maxBody": 0}, "maxBody is 0", "set it to 1 to 256"),
        ({"shards": 0}, "shards is 0", "set it to a number from 1 to 16"),
        ({"shards": 17}, "shards is 17", "set it to a number from 1 to 16"),
        ({"shards": None}, "shards is <nil>", "use --reset-then-reuse-values"),
        ({"shards": "2"}, "/shards", "got string, want integer"),
        (
            {"compositeController": {"labels": {"mygroup.example.com/shard": "1"}}},
            "compositeController.labels contains the label mygroup.example.com/shard",
            "remove it",
        ),
        ({"maxBody": 257}, "maxBody is 257", "raise resources.limits.memory by 14Mi"),
        (
            {"metrics": {"rules": {"labels": {"helm.sh/chart": "x"}}}},
            "metrics.rules.labels contains the label helm.sh/chart",
            "remove it",
        ),
        (
            {"metrics": {"dashboard": {"labels": {"team": "x"}}}, "commonLabels": {"team": "y"}},
            "metrics.dashboard.labels and commonLabels both contain the label team",
            "remove one of them",
        ),
        ({"metrics": {"rules": {"disabled": ["HookDown"]}}}, "/metrics/rules/disabled/0", "must be one of"),
        ({"maxBody": "64Mi"}, "/maxBody", "got string, want integer"),
        ({"limits": {"keepAlive": 90}}, "/limits/keepAlive", "minimum: got 90, want 91"),
        ({"limits": {"maxHead": 1025}}, "/limits/maxHead", "maximum: got 1,025, want 1,024"),
        ({"limits": {"maxBody": 64}}, "/limits", "'maxBody' not allowed"),
        ({"drain": 61}, "/drain", "maximum: got 61, want 60"),
        ({"logFormat": "text"}, "/logFormat", "must be one of 'auto', 'json', 'console'"),
        ({"logLevel": "trace"}, "/logLevel", "must be one of"),
        ({"networkPolicy": {"metricsFrom": [{}]}}, "/networkPolicy/metricsFrom/0", "minProperties"),
        ({"tls": {"mode": "off"}}, "/tls/mode", "must be one of 'disabled', 'helm', 'certManager', 'secret'"),
        ({"tls": {"mode": "helm"}}, "tls.mode is helm, which needs a cluster", "set it to certManager or secret"),
        ({"tls": {"mode": "helm", "token": TOKEN}}, "tls.mode is helm, which needs a cluster", "set it to certManager"),
        (
            {"tls": {"mode": "certManager"}},
            "tls.token.secretName is empty, so Helm would generate the token",
            "set tls.token.secretName to a Secret that you create, or tls.token.enabled to false",
        ),
        ({"tls": {"mode": "secret"}}, "tls.secretName is empty", "set it to the Secret with the hook's certificate"),
        (
            {"tls": {"mode": "secret", "secretName": "s"}},
            "tls.clientCertificate.secretName is empty",
            "or set tls.clientCertificate.enabled to false",
        ),
        ({"tls": {"secretName": "s"}}, "tls.secretName is s and tls.mode is disabled", "set tls.mode to secret"),
        (
            {"tls": {"mode": "certManager", "clientCertificate": {"secretName": "s"}}},
            "tls.clientCertificate.secretName is s and tls.mode is certManager",
            "set tls.mode to secret",
        ),
        ({"tls": {"token": TOKEN}}, "tls.token.secretName is set and no token is used", "set tls.mode"),
        ({"tls": {"mode": "helm", "ca": {"bundle": PEM}}}, "tls.ca is set and tls.mode is helm", "leave tls.ca empty"),
        (
            {"tls": {"mode": "certManager", "ca": {"bundle": PEM, "configMapName": "x"}}},
            "tls.ca.bundle and tls.ca.configMapName are both set",
            "set one of them",
        ),
        ({"tls": {"mode": "certManager", "ca": {"bundle": "x"}}}, "tls.ca.bundle is not a certificate", "PEM text"),
        (
            {"tls": {"certManager": {"issuerRef": {"name": "x"}}}},
            "tls.certManager.issuerRef needs a name, and tls.mode certManager",
            "set both",
        ),
        (
            {"tls": {"mode": "certManager", "token": TOKEN, "certManager": {"issuerRef": {"kind": "Issuer"}}}},
            "tls.certManager.issuerRef needs a name",
            "set both",
        ),
        ({"tls": None}, "''", "missing property 'tls'"),
        (
            {"image": {"registry": "https://r.example.com"}},
            'image.registry (or global.imageRegistry) is "https://r.example.com"',
            "a host name without a scheme",
        ),
        (
            {"image": {"repository": "r.example.com/hook"}, "global": {"imageRegistry": "m.example.com"}},
            "image.repository is r.example.com/hook, which includes a registry",
            "remove one of the registries",
        ),
        ({"global": {"imagePullSecrets": ["registry"]}}, "/global/imagePullSecrets/0", "want object"),
        (
            {"rollingUpdate": {"maxSurge": 0}},
            "rollingUpdate.maxSurge and rollingUpdate.maxUnavailable are both 0",
            "set one of them to 1 or more",
        ),
        (
            {"rollingUpdate": {"maxUnavailable": 2}},
            "rollingUpdate.maxUnavailable is 2 and replicaCount is 2",
            "set maxUnavailable to less than replicaCount",
        ),
        (
            {"replicaCount": 5, "rollingUpdate": {"maxUnavailable": 2}, **scaled()},
            "rollingUpdate.maxUnavailable is 2 and autoscaling.minReplicas is 2",
            "to less than autoscaling.minReplicas",
        ),
        ({"rollingUpdate": {"maxSurge": "25%"}}, "/rollingUpdate/maxSurge", "got string, want integer"),
        (
            {"stopTimeout": 9},
            "stopTimeout is 9 and compositeController.timeoutSeconds is 10",
            "set stopTimeout to at least compositeController.timeoutSeconds",
        ),
        ({"stopTimeout": 301}, "/stopTimeout", "maximum: got 301, want 300"),
        (
            {"podDisruptionBudget": {"maxUnavailable": 2}, "replicaCount": 5, **scaled()},
            "podDisruptionBudget.maxUnavailable is 2 and autoscaling.minReplicas is 2",
            "to less than autoscaling.minReplicas",
        ),
        (
            scaled(minReplicas=6),
            "autoscaling.minReplicas is 6 and autoscaling.maxReplicas is 5",
            "set maxReplicas to at least minReplicas",
        ),
        (
            {**scaled(), "resources": {"requests": {"cpu": None}}},
            "autoscaling.enabled is true and resources.requests.cpu is not set",
            "or set autoscaling.metrics",
        ),
        (
            {"autoscaling": {"behavior": {"scaleDown": {}}}},
            "autoscaling.behavior is set and autoscaling.enabled is false",
            "set autoscaling.enabled to true",
        ),
        (scaled(minReplicas=0), "/autoscaling/minReplicas", "minimum: got 0, want 1"),
        (scaled(metrics=[{}]), "/autoscaling/metrics/0", "missing property 'type'"),
        (
            {"extraEnv": [{"name": "MYRESOURCE_DRAIN", "value": "1"}]},
            "extraEnv[0].name is MYRESOURCE_DRAIN",
            "set the value for it instead",
        ),
        ({"extraEnv": [{"name": "A", "value": 1}]}, "/extraEnv/0/value", "got number, want string"),
        ({"extraEnv": {"A": "1"}}, "/extraEnv", "got object, want array"),
        ({"extraEnvFrom": [{"secret": {}}]}, "/extraEnvFrom/0", "'secret' not allowed"),
        ({"extraArgs": ["--record=/r", "--drain=1"]}, "extraArgs[1] is --drain=1", "set the value for it instead"),
        ({"extraArgs": ["--recording"]}, "extraArgs[0] is --recording", "only --record, --record-limit"),
        (extra("tls"), "extraVolumes[0].name is tls, which is a volume of the chart", "choose another name"),
        ({**extra("a"), **mounted("b")}, "extraVolumeMounts[0].name is b", "add the volume there"),
        (
            {**extra("a"), **mounted("a", "/etc/myresource/tls")},
            "extraVolumeMounts[0].mountPath is /etc/myresource/tls",
            "choose another path",
        ),
        ({**extra("a"), **mounted("a", "/venv")}, "extraVolumeMounts[0].mountPath is /venv", "choose another path"),
        (
            {**extra("a"), **mounted("a", "/srv/app")},
            "extraVolumeMounts[0].mountPath is /srv/app",
            "choose another path",
        ),
        ({**extra("a"), **mounted("a", "/")}, "extraVolumeMounts[0].mountPath is /", "choose another path"),
        ({**extra("a"), **mounted("a", "/usr")}, "extraVolumeMounts[0].mountPath is /usr", "choose another path"),
        ({**extra("a"), **mounted("a", "b")}, "/extraVolumeMounts/0/mountPath", "does not match pattern"),
        ({"extraVolumes": [{"name": "a"}]}, "/extraVolumes/0", "minProperties"),
        ({"extraObjects": [1]}, "/extraObjects/0", "want string or object"),
        (
            {"topologySpreadConstraints": [{"topologyKey": "x"}]},
            "/topologySpreadConstraints/0",
            "missing properties 'maxSkew', 'whenUnsatisfiable'",
        ),
        ({"livenessProbe": {"exec": {"command": ["a"]}}}, "/livenessProbe", "'exec' not allowed"),
        ({"dnsConfig": {"ndots": 1}}, "/dnsConfig", "'ndots' not allowed"),
        (
            {"serviceAccount": {"labels": {"helm.sh/chart": "x"}}},
            "serviceAccount.labels contains the label helm.sh/chart",
            "remove it",
        ),
        (
            {"compositeController": {"labels": {"a": "b"}}, "commonLabels": {"a": "b"}},
            "compositeController.labels and commonLabels both contain the label a",
            "remove one of them",
        ),
        (
            {"crds": {"annotations": {"helm.sh/resource-policy": "keep"}}},
            "crds.annotations contains helm.sh/resource-policy",
            "remove it",
        ),
        (
            monitored("serviceMonitor"),
            "metrics.serviceMonitor.enabled is true and metrics.service.enabled is false",
            "or enable metrics.podMonitor instead",
        ),
        (
            monitored("service", "serviceMonitor", "podMonitor"),
            "metrics.serviceMonitor.enabled and metrics.podMonitor.enabled are both true",
            "set one of them to false",
        ),
        *(
            (
                {**monitored(*names), "networkPolicy": {"enabled": True}},
                f"metrics.{names[0]}.enabled is true and networkPolicy.metricsFrom is empty",
                "add the peers that scrape",
            )
            for names in (["service"], ["service", "serviceMonitor"], ["podMonitor"])
        ),
        ({"metrics": {"podMonitor": {"interval": "30"}}}, "/metrics/podMonitor/interval", "does not match pattern"),
        ({"metrics": {"podMonitor": {"relabelings": [{"to": "x"}]}}}, "/relabelings/0", "'to' not allowed"),
        (
            {"admissionPolicy": {"enabled": True}, "metacontroller": {"serviceAccountName": ""}},
            "admissionPolicy.enabled is true and metacontroller.serviceAccountName is empty",
            "or admissionPolicy.enabled to false",
        ),
        ({"runAsUser": 0}, "runAsUser is 0", "set it to a number above 0, or to null"),
        (
            {"compositeController": {"timeoutSeconds": 11}},
            "compositeController.timeoutSeconds is 11",
            "set it to a number from 1 to 10",
        ),
        (
            {"compositeController": {"timeoutSeconds": 0}},
            "compositeController.timeoutSeconds is 0",
            "set it to a number from 1 to 10",
        ),
        ({"compositeController": {"resyncPeriodSeconds": 5}}, "resyncPeriodSeconds is 5", "set it to 60 or more"),
        ({"metacontroller": {"namespace": ""}}, "metacontroller.namespace is empty", "set it to the namespace"),
        (
            {"podLabels": {"app.kubernetes.io/name": "x"}},
            "podLabels contains the label app.kubernetes.io/name",
            "remove it",
        ),
        ({"commonLabels": {"controller-uid": "x"}}, "commonLabels contains the label controller-uid", "remove it"),
        ({"namespaceOverride": "My_Space"}, "namespaceOverride is My_Space", "lower-case letters, digits and '-'"),
        (
            {"fullnameOverride": "Hook"},
            "the full name of the release, Hook",
            "set fullnameOverride to lower-case letters",
        ),
        ({"fullnameOverride": "hook", "nameOverride": "_"}, "nameOverride is _", "use letters, digits and '-'"),
        ({"replicas": 2}, "'replicas' not allowed", "additional properties"),
        ({"image": {"pullPolicy": "Sometimes"}}, "/image/pullPolicy", "must be one of 'Always', 'IfNotPresent'"),
        ({"host": "localhost"}, "/host", "must be one of '0.0.0.0', '::'"),
        ({"replicaCount": "two"}, "/replicaCount", "got string, want integer"),
        ({"image": {"tag": 1.0}}, "/image/tag", "want string"),
        ({"image": None}, "''", "missing property 'image'"),
        ({"imagePullSecrets": ["registry"]}, "/imagePullSecrets/0", "want object"),
        ({"resources": {"limits": {"memory": "64MB"}}}, "/resources/limits/memory", "does not match pattern"),
        (watch(BACKUPS, check=True), "watch.dependencies[0] is example.com/v1/MyBackup", "helm template"),
        (watch(BACKUPS, check=True), "which the cluster does not serve", "--api-versions example.com/v1/MyBackup"),
        (
            watch({**BACKUPS, "apiVersion": "example.com"}),
            'dependencies[0].apiVersion is "example.com"',
            "and version",
        ),
        (watch({**BACKUPS, "apiVersion": "v1]"}), 'dependencies[0].apiVersion is "v1]"', "such as example.com/v1"),
        (watch({**BACKUPS, "resource": "MyBackups"}), '.resource is "MyBackups"', "plural name in lower case"),
        (watch({**BACKUPS, "resource": "pods/log"}), '.resource is "pods/log"', "plural name in lower case"),
        (watch(BACKUPS, {**BACKUPS, "kind": "a"}), 'watch.dependencies[1].kind is "a"', "such as MyBackup"),
        (watch(BACKUPS, {**BACKUPS, "kind": "A"}), "watch.dependencies[1] is example.com/v1/mybackups", "remove one"),
        *(
            (
                watch({"apiVersion": "v1", "resource": name, "kind": "A"}),
                f"dependencies[0] is v1/{name}",
                "can't be a dependency: remove it",
            )
            for name in ("configmaps", "pods", "secrets", "services")
        ),
        (watch(*[BACKUPS] * 33), "watch.dependencies lists 33 kinds", "at most 32"),
        (watch({"apiVersion": "v1", "resource": "secrets"}), "/watch/dependencies/0", "missing property 'kind'"),
        (watch({**BACKUPS, "name": "x"}), "/watch/dependencies/0", "'name' not allowed"),
        ({"watch": {"dependencies": ["v1/secrets/Secret"]}}, "/watch/dependencies/0", "want object"),
        ({"watch": {"secrets": "yes"}}, "/watch/secrets", "want boolean"),
        ({"watch": {"configmaps": True}}, "/watch", "'configmaps' not allowed"),
        ({"follow": {"secrets": True}}, "follow is now named watch", "follow.secrets and follow.dependencies to watch"),
        ({"watch": None}, "''", "missing property 'watch'"),
        ({"tolerations": [{"key": "x", "effects": "NoExecute"}]}, "/tolerations/0", "'effects' not allowed"),
    ],
    ids=str,
)
def test_an_invalid_value_is_an_error_that_names_value_and_remedy(values: Json, named: str, remedy: str) -> None:
    message = refusal(values)

    assert named in message
    assert remedy in message


@pytest.mark.parametrize("path", sorted(VALUES))
def test_a_value_that_is_removed_with_null_has_its_default_or_is_refused_in_words(path: str) -> None:
    given: Json | None = None
    for key in reversed(path.split(".")):
        given = {key: given}

    message = refusal(given or {})

    assert "error calling" not in message
    assert "nil pointer" not in message


@pytest.mark.parametrize("release", ["1st", "9.hook"])
def test_a_release_name_that_is_no_service_name_needs_an_override(release: str) -> None:
    assert "set fullnameOverride" in refusal({}, release)
    assert not refusal({"fullnameOverride": "hook"}, release)


@pytest.mark.parametrize(
    "values",
    [
        {"image": {"repository": "localhost:5000/team/hook", "tag": "1.0_a-b"}},
        {"image": {"digest": DIGEST}},
        {"replicaCount": 1},
        {"replicaCount": 2, "podDisruptionBudget": {"enabled": False, "maxUnavailable": 2}},
        {"compositeController": {"timeoutSeconds": 1}},
        {"compositeController": {"resyncPeriodSeconds": 60}},
        {"runAsUser": None},
        {"maxBody": 1},
        {"maxBody": 256},
        {"limits": {"keepAlive": 91, "maxHead": 1, "maxHeaders": 8}},
        {"drain": 0},
        {"drain": 60},
        {"tls": {"mode": "certManager", "token": TOKEN}},
        {"tls": {"mode": "certManager", "token": {"enabled": False}}},
        {"tls": {"mode": "secret", "secretName": "s", "clientCertificate": {"enabled": False}, "token": TOKEN}},
        {"resources": {"requests": {"cpu": 1, "memory": "1.5Gi"}}},
        watch(BACKUPS, {**BACKUPS, "apiVersion": "example.com/v2"}),
        watch(*({**BACKUPS, "resource": f"things{number}"} for number in range(32))),
        watch({"apiVersion": "v1", "resource": "resourcequotas", "kind": "ResourceQuota"}),
        {"follow": None, "watch": {"secrets": True}},
        {"replicaCount": 2, "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        {"replicaCount": 1, "rollingUpdate": {"maxUnavailable": 0}},
        {"stopTimeout": 10},
        {"stopTimeout": 5, "compositeController": {"timeoutSeconds": 5}},
        scaled(minReplicas=5),
        {"replicaCount": 1, **scaled(minReplicas=3), "podDisruptionBudget": {"maxUnavailable": 2}},
        {"image": {"registry": "r.example.com", "repository": "team/hook"}},
        {**extra("a"), **mounted("a", "/etc/myresources")},
        {**extra("a"), **mounted("a", "/usr/share/certificates")},
        monitored("service"),
        monitored("service", "podMonitor"),
        {**monitored("podMonitor"), "networkPolicy": {"metricsFrom": [{"podSelector": {}}]}},
        {"serviceAccount": {"labels": {"a": "b"}}, "commonLabels": {"c": "d"}},
        {"admissionPolicy": {"enabled": True}},
        {"global": {"anything": "of a chart around this one"}},
    ],
    ids=str,
)
def test_valid_values_near_the_limits_are_accepted(values: Json) -> None:
    assert not refusal(values)
