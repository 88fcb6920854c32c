"""The notes after an installation: the commands work and name the installed objects."""

import re
import subprocess
from functools import partial

import pytest
import yaml

from tests.api.apiserver import SCHEMA, refusals
from tests.chart import sets
from tests.chart.cluster import NEW, cluster, rendered_in
from tests.chart.sets import SETS, Json, values

QUOTAS = {"apiVersion": "v1", "resource": "resourcequotas", "kind": "ResourceQuota"}
OFF: Json = {"enabled": False}
CERT_MANAGER: Json = {"mode": "certManager", "token": {"secretName": "t"}}
WATCHES = {"watch": {"dependencies": [QUOTAS]}, "metacontroller": {"check": False}}


notes = partial(sets.notes, release="prod")


def commands(text: str) -> str:
    """Return the indented lines without their indentation, as a user pastes them."""
    return "\n".join(line.removeprefix("    ") for line in text.splitlines() if line.startswith("    "))


@pytest.mark.parametrize("name", SETS)
def test_the_commands_can_be_pasted(name: str) -> None:
    pasted = commands(notes(values(name)))

    assert len(pasted.splitlines()) >= 10
    assert subprocess.check_output(["/bin/bash", "-n"], input=pasted, text=True, stderr=subprocess.STDOUT) == ""


def test_the_notes_contain_these_commands_and_a_valid_myresource() -> None:
    text = commands(notes())
    (manifest,) = re.findall(r"<<'END'\n(.*)\nEND", text, re.DOTALL)

    assert [line for line in text.splitlines() if line.startswith(("kubectl", "helm"))] == [
        "kubectl -n operators rollout status deployment/prod-myresource-operator --timeout=120s",
        "helm -n operators test prod --logs",
        "kubectl apply -f - <<'END'",
        "kubectl -n default wait --for=condition=Ready myresource/web --timeout=120s",
        "kubectl -n default get myresource web",
        "kubectl describe compositecontroller myresource",
        "kubectl -n default describe myresource web",
    ]
    assert refusals(yaml.safe_load(manifest), SCHEMA) == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({}, "has no registry"),
        ({}, "docsUrl is not set"),
        ({"crds": {"enabled": False}}, "apply the directory crds/ yourself"),
        ({"watch": {"secrets": True}}, "can read all Secrets of the cluster"),
        (WATCHES, "An Event SyncError on the\nMyResource is the only sign"),
        ({"tls": CERT_MANAGER}, "restart Metacontroller, at least once in the\nlifetime of the client certificate"),
        ({"tls": CERT_MANAGER}, "because it reads its client certificate and its token from Secrets"),
        ({"tls": {**CERT_MANAGER, "clientCertificate": OFF}}, "because it reads its token from Secrets"),
        ({"tls": {**CERT_MANAGER, "clientCertificate": OFF, "token": OFF}}, "because it reads the CA from Secrets"),
        ({"metacontroller": {"podLabels": {"a": "b"}}}, "the labels of metacontroller.podLabels"),
    ],
    ids=str,
)
def test_the_notes_mention_special_values(given: Json, said: str) -> None:
    usual = {"image": {"repository": "registry.example.com/hook"}, "docsUrl": "https://docs.example.com/docs"}

    assert said in notes(given)
    assert said not in notes(usual)


def test_the_notes_say_when_generated_certificates_expire_and_how_to_replace_them() -> None:
    with cluster(crds=[NEW]) as address:
        release = rendered_in(address, {"tls": {"mode": "helm"}})
    (expires,) = re.findall('mygroup.example.com/expires: "(.*)"', release["manifest"])[:1]
    secrets = "myresource-operator-tls myresource-operator-ca myresource-operator-client-tls myresource-operator-token"

    assert f"The certificates expire on {expires}." in release["notes"]
    assert f"kubectl -n myresource-operator delete secret {secrets}\n" in release["notes"]
