"""The revision in the URLs of the hook: it changes with what decides the responses, and with nothing else."""

import re

import pytest

from tests.chart.sets import Json, the

DIGEST = "sha256:" + "0" * 64
QUOTAS = {"apiVersion": "v1", "resource": "resourcequotas", "kind": "ResourceQuota"}
TAG = "1.0.0-rc.1.g0123abcd"
DECIDES: list[Json] = [
    {"image": {"tag": "0.1.1"}},
    {"image": {"digest": DIGEST}},
    {"image": {"repository": "registry.example.com/fork"}},
    {"host": "::"},
    {"watch": {"pods": False}},
    {"watch": {"secrets": True}},
    {"watch": {"dependencies": [QUOTAS]}, "metacontroller": {"check": False}},
    {"tls": {"mode": "certManager", "token": {"secretName": "t"}}},
]
DOES_NOT: list[Json] = [
    {"replicaCount": 5},
    {"podAnnotations": {"a": "b"}},
    {"image": {"pullPolicy": "Always"}},
    {"resources": {"limits": {"memory": "1Gi"}}},
    {"compositeController": {"timeoutSeconds": 3}},
    {"limits": {"maxConnections": 900}},
    {"drain": 20},
    {"logLevel": "debug"},
]


def revision(values: Json) -> str:
    hooks = the("CompositeController", values)["spec"]["hooks"].values()
    (found,) = {str(hook["webhook"]["url"]).partition("?rev=")[2] for hook in hooks}
    return found


@pytest.mark.parametrize("values", [*DECIDES, *DOES_NOT], ids=str)
def test_the_revision_changes_with_everything_that_decides_responses_and_with_nothing_else(values: Json) -> None:
    assert (revision(values) != revision({})) is (values in DECIDES)


def test_the_revision_has_the_tag_which_names_the_commit_and_needs_no_escaping() -> None:
    assert re.fullmatch(r"[0-9a-z.-]+-[0-9a-f]{8}", revision({}))
    assert revision({"image": {"tag": TAG}}).startswith(f"{TAG}-")
    assert not revision({"image": {"tag": TAG, "digest": DIGEST}}).startswith(TAG)  # the digest takes precedence
