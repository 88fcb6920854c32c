"""Recordings without users' values: the hook decides the same from them, and no value is in them."""

import json
from datetime import datetime
from pathlib import Path
from typing import Any, get_args

import pytest
import yaml
from hypothesis import given, settings

from app.api.generated_schema import schema
from app.api.model import Owner, copied_fields
from app.api.spec import MyResourceSpec
from app.cli.bound import binding
from app.cli.record import redaction_of
from app.core.child_metadata import CONFIG_HASH_ANNOTATIONS, READY_IMAGE, ROLLBACK
from app.core.controller import controller
from app.core.watch import Watch
from metahook import HTTPRoute
from metahook.cli.commands.replay import version_of
from metahook.cli.comparison.responses import compare
from metahook.cli.files.recordings import read_recording
from metahook.cli.hooks.named_hook import LocalHook
from metahook.record.redaction import Redaction
from tests.cli.test_diff import in_cluster, request_of
from tests.core.desired.test_children import full
from tests.recorded.traffic import Recorded, load
from tests.requests.builders import MYRESOURCE, NOW, my_resource
from tests.requests.pods import container, pod, shown, waiting
from tests.requests.watched_objects import WATCH, WATCHING, backup, config_map, related, secret
from tests.strategies.my_resources import parents
from tests.strategies.observed import Situation, situations
from toolkit.installation import RIGHT
from toolkit.slow import short_or_whole

Json = dict[str, Any]

SCENARIOS = Path(__file__).parents[2] / "examples" / "scenarios"
CANARY = "canary-c9f0f895"
PODS_OFF = Watch(pods=False)
HASHES = frozenset(CONFIG_HASH_ANNOTATIONS.values())


def recording(path: str, request: bytes, response: bytes, now: datetime, redaction: Redaction) -> Json:
    """Return what the recorder writes."""
    texts = redaction.redact(request, response)
    redacted = dict(zip(("request", "response"), map(json.loads, texts), strict=True))
    return {"path": path, "time": now.isoformat(), "status": 200, "redacted": True, **redacted}


def has_difference(document: Json, watch: Watch) -> bool:
    version = version_of(LocalHook(controller(watch), "myresource"), binding().uncompared)
    return bool(compare(read_recording(document, "a file"), NOW, None, version).difference)


def hashes(response: Json) -> set[str]:
    """Return the hashes of configuration in *response*."""
    templates = (
        child["spec"]["template"] for child in response["children"] if child["kind"] == "Deployment" and "spec" in child
    )
    annotations = (template["metadata"].get("annotations", {}) for template in templates)
    return {each[key] for each in annotations for key in HASHES & each.keys()}


# Recorded traffic


@pytest.mark.parametrize("recorded", load(), ids=str)
def test_recorded_traffic_is_replayed_with_no_difference_from_its_redacted_form(recorded: Recorded) -> None:
    response = json.dumps(recorded.answer).encode()
    redaction = redaction_of(keeps_values=False)

    document = recording(recorded.path, recorded.body, response, recorded.now, redaction)

    assert not has_difference(document, PODS_OFF)
    assert "managedFields" not in json.dumps(document)


def test_a_route_is_replayed_with_no_difference_from_its_redacted_form() -> None:
    parent = full(HTTPRoute)
    request = json.dumps(request_of(parent, *in_cluster(parent))).encode()
    response = MYRESOURCE.handle_sync(request, NOW).body

    document = recording("/sync", request, response, NOW, redaction_of(keeps_values=False))

    assert "HTTPRoute" in {each["kind"] for each in document["response"]["children"]}
    assert document["response"]["status"]["state"] == "Ready"
    assert not has_difference(document, Watch())


# Generated requests


def planted(parent: Json) -> Json:
    """Return *parent* with a canary in each text that is private."""
    spec = dict(parent["spec"])
    for field in {"args", "command"} & spec.keys():
        spec[field] = [CANARY + text for text in spec[field]]
    if "env" in spec:
        spec["env"] = [{**each, "value": CANARY + each["value"]} if each.get("value") else each for each in spec["env"]]
    return {**parent, "spec": spec}


def is_storable(situation: Situation) -> bool:
    """Tell whether an API server would store the Deployment, which a replay applies to."""
    deployments = (child for child in situation.children if child["kind"] == "Deployment")
    return all(
        child["spec"].get("template", {}).get("spec", {}).get("containers") for child in deployments if "spec" in child
    )


def request_with_canaries(situation: Situation) -> bytes:
    """Return the request, with a canary in each value of ConfigMaps and Secrets, and hashes that fit to these."""
    request = json.loads(situation.body())
    for group in ("ConfigMap.v1", "Secret.v1"):
        for item in request["related"].get(group, {}).values():
            item["data"] = {key: CANARY + value for key, value in item["data"].items()}
    text = json.dumps(request)
    for old, new in zip(_hashes_now(situation.body()), _hashes_now(text.encode()), strict=False):
        text = text.replace(old, new)
    return text.encode()


def _hashes_now(request: bytes) -> list[str]:
    return [text for _, text in sorted(redaction_of(keeps_values=False).hashes(request).items())]


@pytest.mark.slow
@settings(max_examples=short_or_whole(20, 300))
@given(situations(parents().map(planted)).filter(is_storable))
def test_a_redacted_request_gets_the_redacted_response_and_holds_no_value(situation: Situation) -> None:
    request = request_with_canaries(situation)
    response = WATCHING.handle_sync(request, NOW).body
    redaction = redaction_of(keeps_values=False)

    redacted_request, redacted_response = redaction.redact(request, response)

    text = redacted_request.decode() + redacted_response.decode()
    assert CANARY not in text
    assert not has_difference(recording("/sync", request, response, NOW, redaction), WATCH)
    if "managedFields" not in request.decode():
        assert json.loads(WATCHING.handle_sync(redacted_request, NOW).body) == json.loads(redacted_response)
    without_content = hashes(json.loads(redacted_response))
    assert not [each for each in hashes(json.loads(response)) - without_content if each in text]


# A canary in every text

FULL = yaml.safe_load((SCENARIOS.parent / "full.yaml").read_text())
KEPT_WORDS = """
annotations.mygroup.example.com/applied annotations.mygroup.example.com/readyImage
annotations.mygroup.example.com/restartedAt annotations.mygroup.example.com/rollback capabilities.add capabilities.drop
childResources.resource conditions.lastTransitionTime conditions.reason conditions.status conditions.type
configMap.name configMapKeyRef.key configMapKeyRef.name configMapRef.name configReload.mode
containerStatuses.name containers.image containers.name customize.version
dnsConfig.nameservers dnsConfig.searches emptyDir.medium emptyDir.sizeLimit env.name envFrom.prefix
fieldRef.fieldPath hostAliases.hostnames hostAliases.ip httpGet.port httpGet.scheme httpHeaders.name
imagePullSecrets.name
initContainers.cpu initContainers.image initContainers.memory initContainers.name
initContainers.restartPolicy items.key labels.app.kubernetes.io/instance labels.app.kubernetes.io/managed-by
labels.app.kubernetes.io/name labels.myresource limits.cpu limits.ephemeral-storage limits.example.com/device
limits.memory matchExpressions.key matchExpressions.operator matchLabels.myresource metadata.creationTimestamp
metadata.name metadata.namespace metadata.uid options.name options.value ownerReferences.name
ownerReferences.uid parentResource.resource persistentVolumeClaim.claimName podAffinityTerm.topologyKey
containerResource.container containerResource.name metrics.type policies.type scaleDown.selectPolicy
scaleTargetRef.name spec.unhealthyPodEvictionPolicy target.type
ports.name ports.protocol ports.targetPort propagate.annotations propagate.labels
requests.cpu requests.ephemeral-storage requests.example.com/device requests.memory
requiredDuringSchedulingIgnoredDuringExecution.topologyKey resourceFieldRef.containerName
resourceFieldRef.divisor resourceFieldRef.resource rollback.mode rollingUpdate.maxUnavailable
seccompProfile.type schedule.except
schedule.nextTransition schedule.overrideState schedule.overrideUntil schedule.state schedule.timeZone secret.name
secret.secretName secretKeyRef.key secretKeyRef.name secretRef.name selector.myresource service.sessionAffinity
service.type sleep.days sleep.from sleep.to spec.dnsPolicy
spec.image spec.memory spec.podDisruptionBudget
running.startedAt spec.restartPolicy spec.restartedAt spec.schedulerName spec.securityProfile spec.serviceAccount
spec.sessionAffinity spec.type status.image status.phase status.reason status.state
strategy.type sync.version tcpSocket.port terminated.finishedAt terminated.reason terminated.startedAt
tolerations.effect tolerations.key tolerations.operator
topologySpreadConstraints.nodeAffinityPolicy topologySpreadConstraints.nodeTaintsPolicy
topologySpreadConstraints.topologyKey topologySpreadConstraints.whenUnsatisfiable updateStrategy.method
expose.className expose.host expose.path expose.port spec.ingressClassName paths.path paths.pathType rules.host
service.name tls.hosts tls.secretName labels.mygroup.example.com/address
volumeMounts.name volumes.name waiting.reason waiting.since webhook.responseUnMarshallMode webhook.timeout
"""
"""The fields, each with the one that it is in, of which words are kept."""

KEPT_NAMES = {
    f"{parent}.{path[-1]}"
    for owner in get_args(Owner)
    for path in copied_fields(MyResourceSpec, owner)
    for parent in ("spec", *(("containers", "initContainers") if owner == "Container" else ()))
    if schema()["properties"]["spec"]["properties"][path[-1]].keys() & {"enum", "pattern"}
}
"""The copied fields whose value is a name, or one of a few words."""

KEPT_TEXTS = {"conditions.message", "items.path", "volumeMounts.mountPath", "volumeMounts.subPath"}
"""The fields of which any text is kept: paths in a container, and messages that the hook writes."""


def with_canaries(value: object, form: str, path: tuple[str, ...], planted: dict[str, tuple[str, ...]]) -> object:
    """Return *value* with another canary in each of its texts, and where each is in *planted*."""
    if isinstance(value, dict):
        return {
            name: inner if name in ("kind", "apiVersion") else with_canaries(inner, form, (*path, name), planted)
            for name, inner in value.items()
        }
    if isinstance(value, list):
        return [with_canaries(item, form, path, planted) for item in value]
    if not isinstance(value, str):
        return value
    canary = form.format(len(planted))
    planted[canary] = path
    return canary


def full_exchange() -> tuple[Json, Json]:
    """Return a request in which all objects are as full as can be, and its response."""
    metadata = my_resource(name=FULL["metadata"]["name"])["metadata"]
    own = {"state": "Ready", "image": "a", "selector": "a", "waiting": {"what": "a", "since": "a"}}
    conditions = [{"type": "Ready", "status": "True", "reason": "a", "message": "a", "lastTransitionTime": "a"}]
    parent = {**FULL, "metadata": metadata, "status": {**own, "conditions": conditions}}
    children = in_cluster(parent)
    children[0]["metadata"]["annotations"] |= {READY_IMAGE: "a", ROLLBACK: "a"}
    ended = {"terminated": {"reason": "a", "message": "a", "startedAt": "a", "finishedAt": "a"}}
    failed = container(state=waiting("CreateContainerError", "a"), last=ended, imageID="a")
    runs = container("sidecar", state={"running": {"startedAt": "a"}})
    status = {"phase": "a", "reason": "a", "message": "a", "containerStatuses": [failed, runs]}
    observed = {**pod(status=status), "spec": children[0]["spec"]["template"]["spec"]}
    database = {**backup("db"), "spec": {"password": "a", "name": "a"}}
    watched = {**related(config_map("app", a="b"), secret("app", b="c"), database), **shown(observed)}
    request = {**request_of(parent, *children, related=watched), "controller": RIGHT}
    return request, json.loads(WATCHING.handle_sync(json.dumps(request).encode(), NOW).body)


@pytest.mark.parametrize(
    ("form", "kept"), [("canary {}.", KEPT_TEXTS), ("canary-{}-", KEPT_TEXTS | KEPT_NAMES | set(KEPT_WORDS.split()))]
)
def test_no_text_is_kept_but_those_of_the_fields_that_a_replay_needs(form: str, kept: set[str]) -> None:
    planted: dict[str, tuple[str, ...]] = {}
    exchange = [json.dumps(with_canaries(part, form, (), planted)).encode() for part in full_exchange()]

    texts = b"".join(redaction_of(keeps_values=False).redact(exchange[0], exchange[1])).decode()

    found = {".".join(path[-2:]) for canary, path in planted.items() if canary in texts}
    assert found == kept, "list the fields whose words a replay needs in KEPT_WORDS, and their texts in KEPT_TEXTS"
    assert len(planted) > 400


def test_a_difference_in_a_value_is_still_a_difference() -> None:
    parent = my_resource(env=[{"name": "A", "value": CANARY}], args=[CANARY, "--other"])
    request = Situation(parent).body()
    response = json.loads(WATCHING.handle_sync(request, NOW).body)
    (container,) = response["children"][0]["spec"]["template"]["spec"]["containers"]
    redaction = redaction_of(keeps_values=False)
    same = recording("/sync", request, json.dumps(response).encode(), NOW, redaction)
    container["env"][0]["value"] = "another"
    changed = recording("/sync", request, json.dumps(response).encode(), NOW, redaction)

    assert not has_difference(same, WATCH)
    assert has_difference(changed, WATCH)
