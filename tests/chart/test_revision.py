"""The revision in the URLs of the hook: it changes with what decides the responses, and with nothing else."""

import re

import pytest

from tests.chart.sets import Json, the

DIGEST = "sha256:" + "0" * 64


QUOTAS = {"apiVersion": "v1", "resource": "resourcequotas", "kind": "ResourceQuota"}
WATCHES = {"watch": {"dependencies": [QUOTAS]}, "metacontroller": {"check": False}}


def addresses(values: Json) -> set[str]:
    hooks = the("CompositeController", values)["spec"]["hooks"].values()
    return {hook["webhook"]["url"].partition("?rev=")[2] for hook in hooks}


def revision(values: Json) -> str:
    (found,) = addresses(values)
    return found


@pytest.mark.parametrize(
    "values",
    [
        {"image": {"tag": "0.1.1"}},
        {"image": {"digest": DIGEST}},
        {"image": {"repository": "registry.example.com/fork"}},
        {"host": "::"},
        {"watch": {"pods": False}},
        {"watch": {"secrets": True}},
        WATCHES,
        {"tls": {"mode": "certManager", "token": {"secretName": "t"}}},
    ],
    ids=str,
)
def test_the_revision_changes_with_everything_that_decides_responses(values: Json) -> None:
    assert revision(values) != revision({})


@pytest.mark.parametrize(
    "values",
    [
        {"replicaCount": 5},
        {"podAnnotations": {"a": "b"}},
        {"image": {"pullPolicy": "Always"}},
        {"resources": {"limits": {"memory": "1Gi"}}},
        {"compositeController": {"timeoutSeconds": 3}},
        {"limits": {"maxConnections": 900}},
        {"drain": 20},
        {"logLevel": "debug"},
    ],
    ids=str,
)
def test_the_revision_stays_if_the_responses_stay(values: Json) -> None:
    assert revision(values) == revision({})


def test_the_revision_needs_no_escaping() -> None:
    assert re.fullmatch(r"[0-9a-z.-]+-[0-9a-f]{8}", revision({}))


def test_the_revision_has_the_tag_which_names_the_commit() -> None:
    tag = "1.0.0-rc.1.g0123abcd"

    assert revision({"image": {"tag": tag}}).startswith(f"{tag}-")
    assert not revision({"image": {"tag": tag, "digest": DIGEST}}).startswith(tag)  # the digest takes precedence
