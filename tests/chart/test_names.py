"""Names and namespaces: within the limits of Kubernetes, and as the values set them."""

import pytest

from tests.chart.cluster import WITHOUT_NAMESPACE
from tests.chart.sets import Json, objects, the
from tests.schemas.kubernetes import validate

LONG = "a" * 53
"""A release name of the maximum length."""
EVERYTHING: Json = {
    "admissionPolicy": {"enabled": True},
    "autoscaling": {"enabled": True},
    "networkPolicy": {"metricsFrom": [{"podSelector": {}}]},
    "metrics": {"service": {"enabled": True}, "serviceMonitor": {"enabled": True}},
}
"""Values that add an object of each kind that the defaults lack."""


@pytest.mark.parametrize(
    ("release", "values", "expected"),
    [
        pytest.param("prod", {}, "prod-myresource-operator", id="release and chart"),
        pytest.param("myresource-operator", {}, "myresource-operator", id="a release that names the chart"),
        pytest.param("my.release", {}, "my-release-myresource-operator", id="dots, which a Service can't have"),
        pytest.param(LONG, {}, "a" * 50, id="too long"),
        pytest.param("a" * 49 + "-b", {}, "a" * 49, id="cut at a dash"),
        pytest.param("prod", {"nameOverride": "hook"}, "prod-hook", id="nameOverride"),
        pytest.param("prod", {"fullnameOverride": "hook"}, "hook", id="fullnameOverride"),
        pytest.param("prod", {"fullnameOverride": "h" * 80}, "h" * 50, id="a long fullnameOverride"),
        pytest.param("1st", {"fullnameOverride": "first"}, "first", id="a release that no Service can be named after"),
    ],
)
def test_the_full_name_follows_from_release_and_overrides(release: str, values: Json, expected: str) -> None:
    assert the("Deployment", values, release=release)["metadata"]["name"] == expected
    assert the("Service", values, release=release)["metadata"]["name"] == expected


@pytest.mark.parametrize(
    "values", [EVERYTHING, {"nameOverride": "n" * 80}, {"fullnameOverride": "f" * 80}], ids=["all", "name", "full name"]
)
def test_no_name_and_no_label_is_longer_than_kubernetes_allows(values: Json) -> None:
    for item in objects(values, release=LONG):
        metadata = item["metadata"]

        longest = 63 + (len("-metacontroller") if item["kind"] in WITHOUT_NAMESPACE else 0)
        assert item["kind"] == "CustomResourceDefinition" or len(metadata["name"]) <= longest
        assert all(len(value) <= 63 for value in metadata["labels"].values())


@pytest.mark.parametrize(("values", "expected"), [({}, "operators"), ({"namespaceOverride": "x"}, "x")])
def test_every_namespaced_object_is_in_the_namespace_of_the_installation(values: Json, expected: str) -> None:
    for item in objects({**EVERYTHING, **values}):
        assert item["metadata"].get("namespace") == (None if item["kind"] in WITHOUT_NAMESPACE else expected)


def test_a_name_that_looks_like_a_number_stays_a_name() -> None:
    values = {
        "fullnameOverride": "hook",
        "namespaceOverride": "12",
        "nameOverride": "1e3",
        "priorityClassName": "0",
        "serviceAccount": {"create": False, "name": "7"},
        "metacontroller": {"namespace": "0x1", "serviceAccountName": "8"},
    }
    made = objects(values, release="123")

    for item in made:
        if item["kind"] != "CompositeController":
            validate(item, "1.34")
    assert {item["metadata"]["labels"]["app.kubernetes.io/instance"] for item in made} == {"123"}
