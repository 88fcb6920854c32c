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
ROOT = 'container has runAsNonRoot and image will run as root (pod: "web-1_default(3)", container: main)'
NAMED = (
    "container has runAsNonRoot and image has non-numeric user (nginx), cannot verify user is non-root "
    '(pod: "web-1_default(3)", container: main)'
)


def why(message: str, reason: str = "CreateContainerConfigError", **spec: Any) -> str:
    """Return why the container can't be created, as the status tells it."""
    found, text = said(pod(container(state=waiting(reason, message))), **spec)
    assert found == "ContainerConfigError"
    return text.removeprefix("Container main can't be created: ").partition(". See: kubectl describe pods")[0]


NOT_THERE = "does not exist: create it, or mark its use in the spec as optional"
REFUSED = "the node refuses its configuration"


@pytest.mark.parametrize(
    ("message", "missing"),
    [
        ('secret "db" not found', "Secret db"),
        ('configmap "app" not found', "ConfigMap app"),
        ('configmap "all" not found', "ConfigMap all"),
        ("couldn't find key password in Secret default/db", "key password of Secret db"),
        ("couldn't find key level in ConfigMap default/app", "key level of ConfigMap app"),
    ],
)
def test_what_is_missing_is_named_if_the_spec_uses_it(message: str, missing: str) -> None:
    assert why(message, **USES) == f"{missing} {NOT_THERE}"


@pytest.mark.parametrize(
    "message",
    [
        pytest.param('secret "app" not found', id="another kind"),
        pytest.param('secret "foreign" not found', id="another name"),
        pytest.param("couldn't find key token in Secret default/db", id="another key"),
        pytest.param("couldn't find key level in Secret default/db", id="a key of another"),
        pytest.param("couldn't find key spare in ConfigMap default/app", id="an optional key"),
        pytest.param('secret "spare" not found', id="an optional object"),
        pytest.param("failed to sync secret cache: timed out waiting for the condition", id="something else"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_the_spec_does_not_use_is_never_repeated(message: str) -> None:
    assert why(message, **USES) == REFUSED


@pytest.mark.parametrize("message", [ROOT, NAMED], ids=["root", "a name"])
def test_an_image_that_runs_as_root_is_said_where_the_profile_refuses_it(message: str) -> None:
    assert "runs as root or as a user without a numeric ID: set spec.runAsUser to the ID" in why(
        message, securityProfile="Restricted"
    )
    assert why(message) == REFUSED


def test_a_node_that_can_not_create_the_container_is_said_without_its_words() -> None:
    message = "failed to reserve container name main_web-1_default_3: name is reserved for 17"

    assert why(message, "CreateContainerError") == REFUSED


def test_a_container_runtime_which_may_repeat_the_command_names_nothing_that_is_missing() -> None:
    message = "container create failed: exec: echo 'secret \"db\" not found'"

    assert why(message, "CreateContainerError", **USES) == REFUSED
    assert why(message, **USES) == f"Secret db {NOT_THERE}"


def test_a_kubelet_that_says_nothing_is_no_error() -> None:
    seen = container(state={"waiting": {"reason": "CreateContainerConfigError"}})

    assert said(pod(seen))[0] == "ContainerConfigError"
