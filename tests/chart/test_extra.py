"""What users add: it stands beside what the chart sets, and replaces none of it."""

import pytest

from tests.chart.sets import Json, annotations, objects, the, values

EXTRA = values("extra")


def pod(given: Json) -> Json:
    found: Json = the("Deployment", given)["spec"]["template"]["spec"]
    return found


def test_extra_values_only_add_to_the_container() -> None:
    (before,), (after,) = (pod(each)["containers"] for each in ({"stopTimeout": 30}, EXTRA))

    assert after["env"] == before["env"] + EXTRA["extraEnv"]
    assert after["envFrom"] == EXTRA["extraEnvFrom"]
    assert after["volumeMounts"] == EXTRA["extraVolumeMounts"]
    assert pod(EXTRA)["volumes"] == EXTRA["extraVolumes"]


def test_extra_volumes_stand_beside_those_of_tls() -> None:
    tls = values("secret")
    (before,), (after,) = (pod(each)["containers"] for each in (tls, {**EXTRA, **tls}))

    assert after["volumeMounts"] == before["volumeMounts"] + EXTRA["extraVolumeMounts"]
    assert pod({**EXTRA, **tls})["volumes"] == pod(tls)["volumes"] + EXTRA["extraVolumes"]


def test_an_extra_object_is_rendered_only_if_it_is_a_string() -> None:
    metadata = {"name": "{{ .Release.Name }}"}
    given = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata}
    text = 'apiVersion: v1\nkind: Secret\nmetadata: {name: "{{ .Release.Name }}"}\n'
    made = objects({"extraObjects": [given, text]}, release="prod")

    assert given in made
    assert {**given, "kind": "Secret", "metadata": {"name": "prod"}} in made


@pytest.mark.parametrize(
    ("image", "registry", "expected"),
    [
        ({"repository": "r.example.com/hook"}, "", "r.example.com/hook:1"),
        ({"registry": "r.example.com", "repository": "team/hook"}, "", "r.example.com/team/hook:1"),
        ({"registry": "r.example.com", "repository": "hook"}, "mirror.example.com/a", "mirror.example.com/a/hook:1"),
        ({"repository": "hook"}, "localhost:5000", "localhost:5000/hook:1"),
    ],
    ids=["in the repository", "of the image", "of all charts", "a port"],
)
def test_a_registry_comes_before_the_repository(image: Json, registry: str, expected: str) -> None:
    given = {"image": {**image, "tag": "1"}, "global": {"imageRegistry": registry}}
    pods = [pod(given), *(item["spec"] for item in objects(given) if item["kind"] == "Pod")]

    assert {container["image"] for each in pods for container in each["containers"]} == {expected}


def test_pods_can_pull_with_the_secrets_of_all_charts_and_of_this_one() -> None:
    pods = [pod(values("mirror")), *(item["spec"] for item in objects(values("mirror")) if item["kind"] == "Pod")]

    assert [each["imagePullSecrets"] for each in pods] == [[{"name": "mirror"}, {"name": "registry"}]] * 2


def test_annotations_and_labels_are_on_the_object_that_the_value_names() -> None:
    found = {
        (item["kind"], *annotations(item).items()) for item in objects(EXTRA) if "helm.sh/hook" not in annotations(item)
    }
    keep = ("helm.sh/resource-policy", "keep")

    assert ("Deployment", ("example.com/owner", "platform")) in found
    assert ("Service", ("example.com/port", "internal")) in found
    assert ("ServiceAccount", ("example.com/role", "none")) in found
    assert ("CompositeController", ("example.com/owner", "platform")) in found
    assert ("CustomResourceDefinition", keep, ("argocd.argoproj.io/sync-options", "ServerSideApply=true")) in found
    for kind in ("ServiceAccount", "CompositeController"):
        assert the(kind, EXTRA)["metadata"]["labels"]["audit"] == "true"


def test_a_list_of_spread_constraints_replaces_those_of_the_chart() -> None:
    assert len(pod({})["topologySpreadConstraints"]) == 2
    assert len(pod(values("scheduling"))["topologySpreadConstraints"]) == 1
    assert "topologySpreadConstraints" not in pod({"topologySpreadConstraints": []})


def test_a_probe_keeps_its_path_and_takes_each_time() -> None:
    (before,), (after,) = (pod(each)["containers"] for each in ({}, values("scheduling")))

    assert after["startupProbe"] == {**before["startupProbe"], "failureThreshold": 120}
    assert after["livenessProbe"] == {
        **before["livenessProbe"],
        "initialDelaySeconds": 10,
        "periodSeconds": 20,
        "failureThreshold": 5,
    }
    assert after["readinessProbe"] == {**before["readinessProbe"], "timeoutSeconds": 5}
