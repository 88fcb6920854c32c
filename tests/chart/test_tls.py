"""TLS: what Helm generates and keeps, what Metacontroller and the hook read, and when Metacontroller reads it again."""

import base64
from contextlib import suppress
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.serialization import load_pem_private_key

from charts.rendering import RELEASE
from tests.chart.cluster import NEW, OURS, cluster, rendered_in
from tests.chart.sets import Json, objects

HOST = "myresource-operator.myresource-operator.svc"
SECRETS = [f"myresource-operator-{name}" for name in ("ca", "client-tls", "tls", "token")]
TOKEN: Json = {"secretName": "t"}
OFF: Json = {"enabled": False}


def installed(secrets: list[Json], **tls: Any) -> list[Json]:
    """Return the objects of an installation in a cluster that has *secrets*; the mode is helm by default."""
    with cluster(crds=[NEW, OURS], secrets=[owned(secret) for secret in secrets]) as address:
        release = rendered_in(address, {"crds": {"enabled": False}, "tls": {"mode": "helm", **tls}})
    return [item for item in yaml.load_all(release["manifest"], yaml.CSafeLoader) if item]


def owned(secret: Json) -> Json:
    """Return *secret* with the metadata without which Helm refuses to touch an object."""
    metadata = secret["metadata"]
    release = {f"meta.helm.sh/release-{key}": RELEASE for key in ("name", "namespace")}
    more = {
        "labels": {**metadata.get("labels", {}), "app.kubernetes.io/managed-by": "Helm"},
        "annotations": {**metadata.get("annotations", {}), **release, "example.com/of-others": "x"},
    }
    return {"apiVersion": "v1", "kind": "Secret", **secret, "metadata": {**metadata, **more}}


@pytest.fixture(name="first", scope="module")
def _first() -> list[Json]:
    """Return the objects of a first installation in mode helm."""
    return installed([])


def secrets_of(made: list[Json]) -> list[Json]:
    return sorted((item for item in made if item["kind"] == "Secret"), key=lambda item: str(item["metadata"]["name"]))


def decoded(made: list[Json], name: str, key: str) -> bytes:
    (secret,) = [item for item in secrets_of(made) if item["metadata"]["name"] == f"myresource-operator-{name}"]
    return base64.b64decode(secret["data"][key])


def certificate(made: list[Json], name: str) -> x509.Certificate:
    return x509.load_pem_x509_certificate(decoded(made, name, "tls.crt"))


def controller(made: list[Json]) -> Json:
    """Return the spec of the CompositeController."""
    (found,) = [item["spec"] for item in made if item["kind"] == "CompositeController"]
    return dict(found)


def endpoint(made: list[Json]) -> Json:
    (found,) = controller(made)["endpointConfigs"]
    return dict(found)


def revision(made: list[Json]) -> str:
    return str(controller(made)["hooks"]["sync"]["webhook"]["url"]).partition("?rev=")[2]


def test_helm_generates_certificates_of_one_ca_and_a_token(first: list[Json]) -> None:
    (pod,) = [item["spec"]["template"]["spec"] for item in first if item["kind"] == "Deployment"]
    names = certificate(first, "tls").extensions.get_extension_for_class(x509.SubjectAlternativeName).value

    assert [item["metadata"]["name"] for item in secrets_of(first)] == SECRETS
    assert names.get_values_for_type(x509.DNSName) == [HOST]
    for name in ("tls", "client-tls"):
        signed, key = certificate(first, name), decoded(first, name, "tls.key")
        assert is_trusted(signed, first)
        assert load_pem_private_key(key, None).public_key() == signed.public_key()
        assert key != decoded(first, "ca", "tls.key")
    assert len(decoded(first, "token", "token")) == 48
    mounted = {volume["secret"]["secretName"] for volume in pod["volumes"]}
    assert mounted == {"myresource-operator-tls", "myresource-operator-token"}  # without the key of the CA


@pytest.mark.parametrize("days", [365, 90])
def test_the_generated_certificates_expire_on_the_day_that_the_secret_names(days: int) -> None:
    made = installed([], helm={"days": days})

    for secret in secrets_of(made)[:3]:
        found = x509.load_pem_x509_certificate(base64.b64decode(secret["data"]["tls.crt"]))
        expires = secret["metadata"]["annotations"]["mygroup.example.com/expires"]
        assert (found.not_valid_after_utc - found.not_valid_before_utc).days == days
        assert found.not_valid_after_utc.date().isoformat() == expires


def test_metacontroller_gets_the_ca_inline_and_its_certificate_and_token_by_name(first: list[Json]) -> None:
    place = {"namespace": "myresource-operator"}

    assert endpoint(first) == {
        "host": HOST,
        "caBundle": {"inline": decoded(first, "tls", "ca.crt").decode()},
        "clientTLS": {"secretRef": {"name": "myresource-operator-client-tls", **place}},
        "authorization": {"secretRef": {"name": "myresource-operator-token", "key": "token", **place}},
    }


def trusted(made: list[Json]) -> list[x509.Certificate]:
    """Return the CAs that the hook and Metacontroller trust."""
    bundle = decoded(made, "tls", "ca.crt")
    assert endpoint(made)["caBundle"]["inline"] == bundle.decode()
    return x509.load_pem_x509_certificates(bundle)


def is_trusted(found: x509.Certificate, made: list[Json]) -> bool:
    """Return whether *found* is of a CA that the hook and Metacontroller trust."""
    for ca in trusted(made):
        with suppress(ValueError, InvalidSignature):
            found.verify_directly_issued_by(ca)
            return True
    return False


def test_an_upgrade_renews_the_certificates_and_those_before_and_after_it_trust_each_other(first: list[Json]) -> None:
    """Some Pods have read the new files, and some have not yet; Metacontroller reads its own before or after them."""
    second = installed(secrets_of(first))

    for name in ("tls", "client-tls"):
        assert certificate(second, name) != certificate(first, name)
        assert is_trusted(certificate(second, name), first)
        assert is_trusted(certificate(first, name), second)
    assert decoded(second, "ca", "tls.key") == decoded(first, "ca", "tls.key")
    assert trusted(second) != trusted(first)
    assert decoded(second, "token", "token") == decoded(first, "token", "token")
    assert revision(second) != revision(first)


def test_a_ca_whose_key_is_not_known_is_replaced_by_two_upgrades_and_no_call_fails(first: list[Json]) -> None:
    """Release 0.3.0 stored no key. The hook trusts the new CA before Metacontroller has a certificate of it."""
    second = installed([secret for secret in secrets_of(first) if not secret["metadata"]["name"].endswith("-ca")])
    third = installed(secrets_of(second))

    for before, after in ((first, second), (second, third)):
        assert is_trusted(certificate(after, "client-tls"), before)  # a Pod that has not read the new files
        assert is_trusted(certificate(before, "tls"), after)
    assert certificate(second, "client-tls") == certificate(first, "client-tls")
    assert is_trusted(certificate(second, "client-tls"), second)
    assert not is_trusted(certificate(second, "tls"), first)
    assert not is_trusted(certificate(first, "client-tls"), third)


def test_if_all_certificates_are_deleted_nothing_of_them_is_trusted(first: list[Json]) -> None:
    second = installed([secret for secret in secrets_of(first) if secret["metadata"]["name"].endswith("-token")])

    for name in ("tls", "client-tls"):
        assert not is_trusted(certificate(first, name), second)
        assert is_trusted(certificate(second, name), second)
    assert decoded(second, "token", "token") == decoded(first, "token", "token")


REFERENCED: Json = {"mode": "secret", "secretName": "s", "clientCertificate": {"secretName": "c"}, "token": TOKEN}
KEYS = {"s": ("tls.crt", "tls.key", "ca.crt"), "c": ("tls.crt", "tls.key"), "t": ("token",)}


def referring(changed: str = "") -> list[Json]:
    """Return the objects of an installation that refers to Secrets, of which the key *changed* has another value."""
    secrets = []
    for name, keys in KEYS.items():
        values = {key: "other" if f"{name} {key}" == changed else "as before" for key in keys}
        data = {key: base64.b64encode(value.encode()).decode() for key, value in values.items()}
        secrets.append({"metadata": {"name": name, "namespace": "myresource-operator"}, "data": data})
    return installed(secrets, **REFERENCED)


@pytest.mark.parametrize("key", ["s ca.crt", "c tls.crt", "t token"])
def test_metacontroller_reads_again_if_the_ca_its_certificate_or_its_token_is_replaced(key: str) -> None:
    assert revision(referring(key)) != revision(referring())


def test_nothing_changes_if_the_certificate_of_the_hook_is_renewed() -> None:
    assert referring("s tls.crt") == referring("s tls.key") == referring()


INLINE: Json = {"bundle": "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"}
CERT_MANAGER: Json = {"mode": "certManager", "clientCertificate": OFF, "token": OFF}


@pytest.mark.parametrize(
    ("tls", "reads"),
    [
        pytest.param({"mode": "disabled"}, False, id="plain HTTP"),
        pytest.param(CERT_MANAGER, True, id="the CA"),
        pytest.param({**CERT_MANAGER, "ca": INLINE}, False, id="inline"),
        pytest.param({**CERT_MANAGER, "ca": {"configMapName": "x"}}, False, id="a ConfigMap"),
        pytest.param({**CERT_MANAGER, "clientCertificate": {}, "ca": INLINE}, True, id="a client certificate"),
        pytest.param({**CERT_MANAGER, "token": TOKEN, "ca": INLINE}, True, id="a token"),
    ],
)
def test_metacontroller_may_read_secrets_only_if_it_must(tls: Json, *, reads: bool) -> None:
    roles = [item for item in objects({"tls": tls}) if item["metadata"]["name"].endswith("-metacontroller")]

    rules = [rule for role in roles for rule in role.get("rules", ())]
    assert rules
    assert [rule["verbs"] for rule in rules if "secrets" in rule["resources"]] == ([["list", "watch"]] if reads else [])
