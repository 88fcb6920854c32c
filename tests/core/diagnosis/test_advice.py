"""Advice for a container that can't be created: the kubelet's words count only for what the spec uses."""

from typing import Any

import pytest

from tests.requests.builders import Json
from tests.requests.pods import container, pod, said, waiting

USES: Json = {
    "env": [
        {"name": "A", "valueFrom": {"secretKeyRef": {"name": "db", "key": "password"}}},
        {"name": "B", "valueFrom": {"configMapKeyRef": {"name": "app", "key": "level"}}},
        {"name": "C", "valueFrom": {"configMapKeyRef": {"name": "app", "key": "spare", "optional": True}}},
    ],
    "envFrom": [{"configMapRef": {"name": "all"}}, {"secretRef": {"name": "spare", "optional": True}}],
}
RESTRICTED: Json = {"securityProfile": "Restricted"}
ROOT = 'container has runAsNonRoot and image will run as root (pod: "web-1_default(3)", container: main)'
NAMED = (
    "container has runAsNonRoot and image has non-numeric user (nginx), cannot verify user is non-root "
    '(pod: "web-1_default(3)", container: main)'
)
NOT_THERE = "does not exist: create it, or mark its use in the spec as optional"
NO_ID = (
    "its image runs as root or as a user without a numeric ID: set spec.runAsUser to the ID of another user, "
    "or spec.securityProfile to Baseline"
)
REFUSED = "the node refuses its configuration"


@pytest.mark.parametrize(
    ("message", "spec", "why"),
    [
        ('secret "db" not found', USES, f"Secret db {NOT_THERE}"),
        ('configmap "app" not found', USES, f"ConfigMap app {NOT_THERE}"),
        ('configmap "all" not found', USES, f"ConfigMap all {NOT_THERE}"),
        ("couldn't find key password in Secret default/db", USES, f"key password of Secret db {NOT_THERE}"),
        ("couldn't find key level in ConfigMap default/app", USES, f"key level of ConfigMap app {NOT_THERE}"),
        # What the spec does not use is never repeated.
        pytest.param('secret "app" not found', USES, REFUSED, id="another kind"),
        pytest.param('secret "foreign" not found', USES, REFUSED, id="another name"),
        pytest.param("couldn't find key token in Secret default/db", USES, REFUSED, id="another key"),
        pytest.param("couldn't find key level in Secret default/db", USES, REFUSED, id="a key of another"),
        pytest.param("couldn't find key spare in ConfigMap default/app", USES, REFUSED, id="an optional key"),
        pytest.param('secret "spare" not found', USES, REFUSED, id="an optional object"),
        pytest.param("failed to sync secret cache: timed out", USES, REFUSED, id="something else"),
        pytest.param("", USES, REFUSED, id="nothing"),
        *((message, RESTRICTED, NO_ID) for message in (ROOT, NAMED)),
        *((message, {}, REFUSED) for message in (ROOT, NAMED)),
    ],
)
def test_what_is_wrong_is_said_if_the_spec_can_be_the_cause(message: str, spec: Json, why: str) -> None:
    assert told(message, **spec) == why


def told(message: str, reason: str = "CreateContainerConfigError", **spec: Any) -> str:
    """Return why the container can't be created, as the status tells it."""
    found, text = said(pod(container(state=waiting(reason, message))), **spec)
    assert found == "ContainerConfigError"
    return text.removeprefix("Container main can't be created: ").partition(". See: kubectl describe pods")[0]


@pytest.mark.parametrize(
    "message",
    [
        "failed to reserve container name main_web-1_default_3: name is reserved for 17",
        "container create failed: exec: echo 'secret \"db\" not found'",
    ],
)
def test_a_container_runtime_which_may_repeat_the_command_names_nothing_that_is_missing(message: str) -> None:
    assert told(message, "CreateContainerError", **USES) == REFUSED
