"""Zero values: left out where the API server would not store them, kept where they say something."""

import pytest

from app.api.spec import MyResourceSpec
from tests.api.apiserver import read_stored
from tests.api.examples.scheduling import PREFERRED, REQUIRED
from tests.requests.builders import Json, my_resource

HTTP = {"port": 80}
POD_TERM = {"topologyKey": "zone", "labelSelector": {"matchLabels": {"a": "b"}}}
KEY = {"name": "a", "key": "a"}


def _spec(fields: Json) -> MyResourceSpec:
    found = read_stored(my_resource(**fields))
    assert isinstance(found, MyResourceSpec)
    return found


@pytest.mark.parametrize(
    "fields",
    [
        {"resources": {}},
        {"resources": {"requests": {}, "limits": {}}},
        {"command": []},
        {"args": []},
        {"env": []},
        {"envFrom": []},
        {"ports": []},
        {"lifecycle": {}},
        {"dnsConfig": {}},
        {"dnsConfig": {"nameservers": [], "searches": [], "options": []}},
        {"hostAliases": []},
        {"imagePullSecrets": []},
        {"volumes": []},
        {"volumeMounts": []},
        {"nodeSelector": {}},
        {"tolerations": []},
        {"affinity": {}},
        {"affinity": {"nodeAffinity": {}}},
        {"affinity": {"nodeAffinity": {PREFERRED: []}}},
        {"affinity": {"podAffinity": {REQUIRED: [], PREFERRED: []}, "podAntiAffinity": {}}},
        {"topologySpreadConstraints": []},
        {"minReadySeconds": 0},
        {"service": {"annotations": {}}},
    ],
    ids=str,
)
def test_a_zero_value_is_absent(fields: Json) -> None:
    assert _spec(fields).as_json() == _spec({}).as_json()


@pytest.mark.parametrize(
    ("fields", "less"),
    [
        ({"env": [{"name": "A", "value": ""}]}, {"env": [{"name": "A"}]}),
        (
            {"env": [{"name": "A", "value": "", "valueFrom": {"secretKeyRef": KEY}}]},
            {"env": [{"name": "A", "valueFrom": {"secretKeyRef": KEY}}]},
        ),
        (
            {"livenessProbe": {"httpGet": {**HTTP, "path": "", "httpHeaders": []}, "initialDelaySeconds": 0}},
            {"livenessProbe": {"httpGet": HTTP}},
        ),
        ({"livenessProbe": {"grpc": {"port": 80, "service": ""}}}, {"livenessProbe": {"grpc": {"port": 80}}}),
        (
            {"volumes": [{"name": "a", "emptyDir": {"medium": ""}}]},
            {"volumes": [{"name": "a", "emptyDir": {}}]},
        ),
        (
            {"volumes": [{"name": "a", "configMap": {"name": "a", "items": []}}]},
            {"volumes": [{"name": "a", "configMap": {"name": "a"}}]},
        ),
        (
            {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "a", "readOnly": False}}]},
            {"volumes": [{"name": "a", "persistentVolumeClaim": {"claimName": "a"}}]},
        ),
        (
            {"volumes": [{"name": "a", "projected": {"sources": [{"secret": {"name": "a", "items": []}}]}}]},
            {"volumes": [{"name": "a", "projected": {"sources": [{"secret": {"name": "a"}}]}}]},
        ),
        (
            {
                "volumes": [{"name": "a", "emptyDir": {}}],
                "volumeMounts": [{"name": "a", "mountPath": "/a", "readOnly": False}],
            },
            {"volumes": [{"name": "a", "emptyDir": {}}], "volumeMounts": [{"name": "a", "mountPath": "/a"}]},
        ),
        ({"tolerations": [{"key": "a", "value": ""}]}, {"tolerations": [{"key": "a"}]}),
        (
            {"affinity": {"nodeAffinity": {}, "podAffinity": {REQUIRED: [POD_TERM], PREFERRED: []}}},
            {"affinity": {"podAffinity": {REQUIRED: [POD_TERM]}}},
        ),
        ({"podMetadata": {"labels": {}, "annotations": {}}}, {"podMetadata": {}}),
    ],
    ids=str,
)
def test_a_zero_value_inside_is_absent(fields: Json, less: Json) -> None:
    assert _spec(fields).as_json() == _spec(less).as_json() == {**_spec({}).as_json(), **less}


@pytest.mark.parametrize(
    "fields",
    [
        {"replicas": 0},
        {"revisionHistoryLimit": 0},
        {"terminationGracePeriodSeconds": 0},
        {"volumes": [{"name": "a", "emptyDir": {}}]},
        {"volumes": [{"name": "a", "secret": {"secretName": "a", "defaultMode": 0, "optional": False}}]},
        {"volumes": [{"name": "a", "configMap": {"name": "a", "items": [{"key": "a", "path": "a", "mode": 0}]}}]},
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {**KEY, "optional": False}}}]},
        {"envFrom": [{"secretRef": {"name": "a", "optional": False}}]},
        {"tolerations": [{"key": "a", "effect": "NoExecute", "tolerationSeconds": 0}]},
        {"nodeSelector": {"a": ""}},
        {"podMetadata": {"labels": {"a": ""}, "annotations": {"a": ""}}},
        {"livenessProbe": {"httpGet": {**HTTP, "httpHeaders": [{"name": "A", "value": ""}]}}},
        {"strategy": {"rollingUpdate": {"maxSurge": 0, "maxUnavailable": 1}}},
        {"args": [""]},
        {"cpu": "0"},
    ],
    ids=str,
)
def test_a_zero_that_says_something_is_kept(fields: Json) -> None:
    assert _spec(fields).as_json() == {**_spec({}).as_json(), **fields}
