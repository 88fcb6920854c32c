"""What users add: it stands beside what the chart sets, and replaces none of it."""

from tests.chart.sets import Json, objects, the, values

EXTRA = values("extra")


def pod(given: Json) -> Json:
    found: Json = the("Deployment", given)["spec"]["template"]["spec"]
    return found


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
