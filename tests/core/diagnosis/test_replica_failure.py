"""Why Pods can't be created, in the words of the spec. The messages are those of the real API server."""

from typing import Any

import pytest

from tests.requests.builders import condition, finished, my_resource, sync

SAID = {
    "account": 'pods "web-deployment-5f6d-" is forbidden: error looking up service account default/robot: '
    'serviceaccount "robot" not found',
    "class": 'pods "web-deployment-5f6d-" is forbidden: no PriorityClass with name urgent was found',
    "security": 'pods "web-deployment-5f6d-x" is forbidden: violates PodSecurity "restricted:latest": '
    "unrestricted capabilities",
    "quota": 'pods "web-deployment-5f6d-x" is forbidden: exceeded quota: most, requested: pods=1, used: pods=1, '
    "limited: pods=1",
    "no amounts": 'pods "web-deployment-5f6d-x" is forbidden: failed quota: most: must specify limits.cpu for: main',
    "range": 'pods "web-deployment-5f6d-x" is forbidden: maximum memory usage per Container is 100Mi, but limit is '
    "128Mi",
    "policy": "pods \"web-deployment-5f6d-x\" is forbidden: ValidatingAdmissionPolicy 'no' with binding 'no' denied "
    "request: no",
    "webhook": 'admission webhook "x.example.com" denied the request: no',
    "else": "something new",
}


def said(message: str | None, **spec: Any) -> str:
    """Return the message of Ready while the API server refuses Pods with *message*."""
    parent = my_resource(**spec)
    (made,) = finished(parent)
    refused = {"type": "ReplicaFailure", "status": "True", "reason": "FailedCreate", "message": message}
    made["status"] = {**made["status"], "conditions": [refused], "updatedReplicas": 0}
    answer = sync(parent, made)
    assert condition(answer)["reason"] == "ReplicaFailure"
    found: str = condition(answer)["message"]
    return found.removeprefix("Pods can't be created: ").partition(". See")[0]


@pytest.mark.parametrize(
    ("why", "spec", "expected"),
    [
        (
            "account",
            {"serviceAccountName": "robot"},
            "ServiceAccount robot does not exist: create it, or change spec.serviceAccountName",
        ),
        ("account", {}, "ServiceAccount default does not exist in the namespace: wait until Kubernetes creates it"),
        (
            "class",
            {"priorityClassName": "urgent"},
            "PriorityClass urgent does not exist: create it, or change spec.priorityClassName",
        ),
        ("class", {}, "a quota, a LimitRange or an admission policy rejects them"),
        (
            "security",
            {},
            "the Pod Security level of the namespace does not allow this spec: set spec.securityProfile to Restricted",
        ),
        (
            "security",
            {"securityProfile": "Restricted"},
            "the Pod Security level of the namespace does not allow this spec",
        ),
        ("quota", {}, "a quota of the namespace is exceeded: lower the requests, or raise the quota"),
        (
            "no amounts",
            {},
            "a quota of the namespace requires CPU and memory requests or limits: set them in spec.resources",
        ),
        (
            "range",
            {},
            (
                "a LimitRange of the namespace does not allow these requests and limits: change spec.memory, spec.cpu "
                "or spec.resources"
            ),
        ),
        ("policy", {}, "an admission policy or webhook of the cluster rejects them"),
        ("webhook", {}, "an admission policy or webhook of the cluster rejects them"),
        ("else", {}, "a quota, a LimitRange or an admission policy rejects them"),
    ],
)
def test_what_the_api_server_says_is_told_in_the_words_of_the_spec(why: str, spec: Any, expected: str) -> None:
    assert said(SAID[why], **spec) == expected


def test_without_a_message_all_that_refuses_pods_is_named() -> None:
    assert said(None) == "a quota, a LimitRange or an admission policy rejects them"


def test_the_message_stays_the_same_while_the_counts_of_a_quota_move() -> None:
    assert said(SAID["quota"]) == said(SAID["quota"].replace("pods=1", "pods=7"))
