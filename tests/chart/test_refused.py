"""Values that the chart refuses: the message names the value and the remedy."""

from pathlib import Path

import pytest
import yaml

from tests.chart.sets import DEFAULTS, VALUES, Json, nested, refusal
from toolkit.slow import short_or_whole

REFUSED = yaml.safe_load((Path(__file__).parent / "refused.yaml").read_text())
DIGEST = "sha256:" + "0" * 64
TOKEN = {"secretName": "t"}
VOLUME: Json = {"name": "a", "emptyDir": {}}
ON = {"enabled": True}
BACKUPS = {"apiVersion": "example.com/v1", "resource": "mybackups", "kind": "MyBackup"}
MANY = [{**BACKUPS, "resource": f"things{number}"} for number in range(33)]
UNCHECKED: Json = {"metacontroller": {"check": False}}  # whether the cluster serves a kind


@pytest.mark.parametrize("case", REFUSED, ids=lambda case: str(case["values"]))
def test_an_invalid_value_is_an_error_that_names_value_and_remedy(case: Json) -> None:
    assert case["error"] in refusal(case["values"])


def test_more_than_32_watched_kinds_are_refused() -> None:
    assert "at '/watch/dependencies': maxItems: got 33, want 32" in refusal({"watch": {"dependencies": MANY}})


@pytest.mark.slow
@pytest.mark.parametrize("path", sorted({*VALUES, *DEFAULTS})[:: short_or_whole(5, 1)])
def test_a_value_that_is_removed_with_null_has_its_default_or_is_refused_in_words(path: str) -> None:
    message = refusal(nested({path: None}))

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
        {"replicaCount": 2, "podDisruptionBudget": {"enabled": False, "maxUnavailable": 2}},
        {"compositeController": {"resyncPeriodSeconds": 60}},
        {"limits": {"maxConnections": 10, "maxInFlight": 1, "decideTimeout": 600}},
        {"tls": {"mode": "certManager", "token": TOKEN}},
        {"tls": {"mode": "certManager", "token": {"enabled": False}}},
        {"tls": {"mode": "secret", "secretName": "s", "clientCertificate": {"enabled": False}, "token": TOKEN}},
        {"resources": {"requests": {"cpu": 1, "memory": "1.5Gi"}, "limits": {"memory": "1536Mi"}}},
        {"maxBody": 64, "resources": {"limits": {"memory": "992Mi"}}},
        {"resources": {"requests": {"memory": 600000000}, "limits": {"memory": 1000000000}}},
        {**UNCHECKED, "watch": {"dependencies": [BACKUPS, {**BACKUPS, "apiVersion": "example.com/v2"}]}},
        {**UNCHECKED, "watch": {"dependencies": MANY[1:]}},
        {"replicaCount": 2, "rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}},
        {"replicaCount": 1, "rollingUpdate": {"maxUnavailable": 0}},
        {"stopTimeout": 10},
        {"stopTimeout": 5, "compositeController": {"timeoutSeconds": 5}},
        {
            "replicaCount": 1,
            "autoscaling": {"enabled": True, "minReplicas": 3},
            "podDisruptionBudget": {"maxUnavailable": 2},
        },
        {"extraVolumes": [VOLUME], "extraVolumeMounts": [{"name": "a", "mountPath": "/etc/myresources"}]},
        {"extraVolumes": [VOLUME], "extraVolumeMounts": [{"name": "a", "mountPath": "/usr/share/certificates"}]},
        {"metrics": {"service": ON, "podMonitor": ON}, "networkPolicy": {"enabled": False}},
        {"metrics": {"podMonitor": ON}, "networkPolicy": {"metricsFrom": [{"podSelector": {}}]}},
        {"global": {"anything": "of a chart around this one"}},
    ],
    ids=str,
)
def test_valid_values_near_the_limits_are_accepted(values: Json) -> None:
    assert not refusal(values)
