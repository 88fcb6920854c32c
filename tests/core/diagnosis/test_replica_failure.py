"""Why Pods can't be created, in the words of the spec. The messages are those of the real API server."""

from typing import Any

import pytest

from tests.requests.builders import condition, finished, my_resource, sync


def refused(why: str) -> str:
    return f'pods "web-deployment-5f6d-x" is forbidden: {why}'


ACCOUNT = refused('error looking up service account default/robot: serviceaccount "robot" not found')
CLASS = refused("no PriorityClass with name urgent was found")
SECURITY = refused('violates PodSecurity "restricted:latest": unrestricted capabilities')
QUOTA = refused("exceeded quota: most, requested: pods=1, used: pods=1, limited: pods=1")
POLICY = "ValidatingAdmissionPolicy 'no' with binding 'no' denied request: no"
LEVEL = "the Pod Security level of the namespace does not allow this spec"
OTHERS = "a quota, a LimitRange or an admission policy rejects them"


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


ROBOT, URGENT = {"serviceAccountName": "robot"}, {"priorityClassName": "urgent"}
NO_ACCOUNT = "ServiceAccount default does not exist in the namespace: wait until Kubernetes creates it"
EXCEEDED = "a quota of the namespace is exceeded: lower the requests, or raise the quota"
REQUIRED = "a quota of the namespace requires CPU and memory requests or limits: set them in spec.resources"
BOUNDS = "a LimitRange of the namespace does not allow these requests and limits: change spec.memory, spec.cpu or "
WEBHOOK = "an admission policy or webhook of the cluster rejects them"


@pytest.mark.parametrize(
    ("message", "spec", "expected"),
    [
        (ACCOUNT, ROBOT, "ServiceAccount robot does not exist: create it, or change spec.serviceAccountName"),
        (ACCOUNT, {}, NO_ACCOUNT),
        (CLASS, URGENT, "PriorityClass urgent does not exist: create it, or change spec.priorityClassName"),
        (CLASS, {}, OTHERS),
        (SECURITY, {}, f"{LEVEL}: set spec.securityProfile to Restricted"),
        (SECURITY, {"securityProfile": "Restricted"}, LEVEL),
        (QUOTA, {}, EXCEEDED),
        (QUOTA.replace("pods=1", "pods=7"), {}, EXCEEDED),
        (refused("failed quota: most: must specify limits.cpu for: main"), {}, REQUIRED),
        (refused("maximum memory usage per Container is 100Mi, but limit is 128Mi"), {}, f"{BOUNDS}spec.resources"),
        (refused(POLICY), {}, WEBHOOK),
        ('admission webhook "x.example.com" denied the request: no', {}, WEBHOOK),
        ("something new", {}, OTHERS),
        (None, {}, OTHERS),
    ],
)
def test_what_the_api_server_says_is_told_in_the_words_of_the_spec(
    message: str | None, spec: Any, expected: str
) -> None:
    assert said(message, **spec) == expected
