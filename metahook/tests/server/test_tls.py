"""Hooks over TLS: who can connect, and what new certificates change."""

import datetime as dt
import logging
import os
import shutil
import socket
import ssl
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from metahook.server import CannotLoad, Certificates, ServerOptions, create_app
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import call
from toolkit.served.process import CLIENT, WIDGETS, served
from toolkit.served.refusals import refusal
from toolkit.served.thread import PATIENCE, At, asked, raw, read, sent, serving
from toolkit.served.tls import Pki, rotate_under_load, served_certificate, write_pair
from toolkit.waiting import eventually

YEAR = dt.timedelta(days=365)
NOW = dt.datetime.fromtimestamp(0, dt.UTC) + 56 * YEAR
"""A fixed time. The real one is later, so what is valid now ends decades after it."""
REQUEST = raw()


@pytest.fixture(name="pki")
def _pki(tmp_path: Path) -> Pki:
    return Pki(tmp_path)


def tls(certificates: Certificates) -> ServerOptions:
    return ServerOptions(certificates=certificates)


def client_of(pki: Pki) -> ssl.SSLContext:
    return pki.client(pki.ca.issue_cert("metacontroller@example.com"))


def client_with(pki: Pki, *extensions: x509.ExtensionType, name: str = "") -> ssl.SSLContext:
    """Return a client with a certificate of the CA that has *extensions*, and *name* as its common name."""
    subject = x509.Name([x509.NameAttribute(x509.oid.NameOID.COMMON_NAME, name)] if name else [])
    key = ec.generate_private_key(ec.SECP256R1())
    ca = x509.load_pem_x509_certificate(pki.ca.cert_pem.bytes())
    ca_key = serialization.load_pem_private_key(pki.ca.private_key_pem.bytes(), None)
    assert isinstance(ca_key, ec.EllipticCurvePrivateKey)
    builder = x509.CertificateBuilder(ca.subject, subject, key.public_key(), 7, NOW, NOW + 50 * YEAR)
    for extension in extensions:
        builder = builder.add_extension(extension, critical=False)
    cert = builder.sign(ca_key, hashes.SHA256())
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    pem = key.private_bytes(encoding, form, serialization.NoEncryption()) + cert.public_bytes(encoding)
    file = pki.folder / "client.pem"
    file.write_bytes(pem)
    context = pki.client()
    context.load_cert_chain(file)
    return context


def for_servers_alone(pki: Pki) -> ssl.SSLContext:
    return client_with(pki, x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH]))


def expired(pki: Pki) -> ssl.SSLContext:
    return pki.client(pki.ca.issue_cert("m@example.com", not_before=NOW - 2 * YEAR, not_after=NOW - YEAR))


def from_another_ca(pki: Pki) -> ssl.SSLContext:
    return pki.client(trustme.CA().issue_cert("metacontroller@example.com"))


def accepts(at: At, client: ssl.SSLContext) -> bool:
    try:
        return asked(at, REQUEST, client).status == 200
    except (OSError, HTTPException):
        return False


# Who can connect


@pytest.mark.parametrize("client", [Pki.client, expired, from_another_ca, for_servers_alone])
def test_a_client_without_a_valid_certificate_is_refused(pki: Pki, client: Callable[[Pki], ssl.SSLContext]) -> None:
    with serving(options=tls(pki.certificates())) as at:
        assert not accepts(at, client(pki))
        assert accepts(at, client_of(pki))

    with serving(options=tls(pki.certificates(client_ca=False))) as at:  # no certificate is asked for
        assert accepts(at, client(pki))


def test_refused_handshakes_are_counted_by_their_cause_and_logged_once(
    pki: Pki, caplog: pytest.LogCaptureFixture
) -> None:
    with serving(options=tls(pki.certificates())) as at:
        for _ in range(3):
            assert not accepts(at, pki.client())
            assert not accepts(at, ssl.create_default_context())
        with socket.create_connection(at, PATIENCE) as plain:
            plain.sendall(REQUEST)
            assert not plain.recv(1000).startswith(b"HTTP")
        socket.create_connection(at).close()
        assert accepts(at, client_of(pki))

    closed = sorted(line for line in caplog.messages if "connection closed" in line)
    assert closed == ["connection closed limit=client_certificate", "connection closed limit=handshake"]
    assert not [record for record in caplog.records if record.name.startswith(("uvicorn", "asyncio"))]


DNS, URI = x509.DNSName("a.example"), x509.UniformResourceIdentifier("spiffe://b/c")


@pytest.mark.parametrize(
    ("names", "common_name", "is_accepted"),
    [
        pytest.param([DNS], "", True, id="a DNS name"),
        pytest.param([x509.DNSName("other.example"), URI], "", True, id="a URI among others"),
        pytest.param([], "a.example", True, id="a common name"),
        pytest.param([x509.DNSName("other.example")], "a.example", False, id="a common name that is not the name"),
        pytest.param([x509.DNSName("*.example")], "", False, id="a wildcard"),
        pytest.param([], "", False, id="no name"),
    ],
)
def test_with_names_a_client_needs_one_of_them(
    pki: Pki, names: list[x509.GeneralName], common_name: str, *, is_accepted: bool
) -> None:
    extensions = [x509.SubjectAlternativeName(names)] if names else []
    client = client_with(pki, *extensions, name=common_name)
    with serving(options=tls(pki.certificates(names=["a.example", "spiffe://b/c"]))) as at:
        answer = asked(at, REQUEST, client)

    assert answer.status == (200 if is_accepted else 403)
    assert (b"use a client certificate with one of the names that the hook accepts" in answer.body) is not is_accepted


@pytest.mark.parametrize("names", [[], ["a.example"]])
def test_under_another_server_which_does_not_use_the_certificates_nobody_may_call(pki: Pki, names: list[str]) -> None:
    app = create_app(TINY, tls(pki.certificates(names=names)))

    response = call(app, "/sync", sync_body())
    assert refusal(response) == (403, "the server does not use the certificates of the hook")


def test_a_ca_may_be_given_without_the_one_that_signed_it(pki: Pki) -> None:
    intermediate, other = pki.ca.create_child_ca(), pki.ca.create_child_ca()
    client, stranger = (pki.client(ca.issue_cert("metacontroller@example.com")) for ca in (intermediate, other))
    intermediate.cert_pem.write_to_path(str(pki.client_ca))
    with serving(options=tls(pki.certificates())) as at:
        assert (accepts(at, client), accepts(at, stranger)) == (True, False)


@pytest.mark.parametrize("version", ["TLSv1_2", "TLSv1_3"])
def test_tls_1_3_is_needed(pki: Pki, version: str) -> None:
    client = client_of(pki)
    client.minimum_version = client.maximum_version = ssl.TLSVersion[version]
    with serving(options=tls(pki.certificates())) as at:
        assert accepts(at, client) is (version == "TLSv1_3")


@pytest.mark.parametrize(("has_ca", "is_resumed"), [(True, False), (False, True)])
def test_a_session_is_resumed_only_without_a_client_certificate_which_it_would_not_be_asked_for(
    pki: Pki, *, has_ca: bool, is_resumed: bool
) -> None:
    client, session, resumed = client_of(pki), None, list[bool]()
    with serving(options=tls(pki.certificates(client_ca=has_ca))) as at:
        for _ in range(3):
            with (
                socket.create_connection(at, PATIENCE) as plain,
                client.wrap_socket(plain, server_hostname="127.0.0.1", session=session) as opened,
            ):
                opened.sendall(REQUEST)
                read(opened)
                resumed.append(bool(opened.session_reused))
                session = opened.session

    assert resumed == [False, is_resumed, is_resumed]


# What new files change


def test_certificates_are_replaced_under_load_without_a_failed_request(pki: Pki) -> None:
    """Every second request has a connection of its own."""
    with serving(options=tls(pki.certificates())) as at:
        seen = rotate_under_load(pki, at, 3)

    assert (seen.failures, seen.certificates) == ([], 4)


def test_a_certificate_that_is_not_read_again_would_be_noticed(pki: Pki) -> None:
    certificates = pki.certificates()
    with serving(options=tls(certificates)) as at:
        before = served_certificate(at, client_of(pki))
        certificates.refresh = lambda: None  # type: ignore[method-assign] # the mistake
        pki.issue()

        assert served_certificate(at, client_of(pki)) == before


def test_new_connections_need_a_certificate_of_the_new_ca_and_open_ones_stay(pki: Pki) -> None:
    old, others = client_of(pki), trustme.CA()
    new = pki.client(others.issue_cert("metacontroller@example.com"))
    with serving(options=tls(pki.certificates())) as at, sent(at, REQUEST, old) as established:
        assert read(established).status == 200
        others.cert_pem.write_to_path(str(pki.client_ca))
        assert eventually(lambda: accepts(at, new))

        assert not accepts(at, old)
        established.sendall(REQUEST)
        assert read(established).status == 200


def test_a_ca_that_is_removed_lets_no_client_in(pki: Pki, caplog: pytest.LogCaptureFixture) -> None:
    client = client_of(pki)
    content = pki.client_ca.read_bytes()
    with serving(options=tls(pki.certificates())) as at:
        pki.client_ca.unlink()
        assert eventually(lambda: not accepts(at, client))
        pki.client_ca.write_bytes(content)
        assert eventually(lambda: accepts(at, client))

    assert f"every client is refused: {pki.client_ca} does not exist" in caplog.text


def refreshed(certificates: Certificates) -> ssl.SSLContext:
    """Return what is current after a look at the files."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(certificates, "_next_look", 0)
        certificates.refresh()
    return certificates.current


def test_a_secret_is_read_again_when_kubernetes_swaps_its_link(tmp_path: Path) -> None:
    """The files that are named do not change: they are links through ``..data``, which is replaced."""
    (tmp_path / "1").mkdir()
    pki = Pki(tmp_path / "1")
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    (mounted / "..data").symlink_to(tmp_path / "1")
    for name in ("tls.crt", "tls.key", "ca.crt"):
        (mounted / name).symlink_to(Path("..data", name))
    certificates = Certificates(mounted / "tls.crt", mounted / "tls.key", mounted / "ca.crt")

    shutil.copytree(tmp_path / "1", tmp_path / "2")
    write_pair(pki.ca.issue_cert("127.0.0.1"), tmp_path / "2/tls.crt", tmp_path / "2/tls.key")
    (mounted / "..data_tmp").symlink_to(tmp_path / "2")

    before = refreshed(certificates)
    (mounted / "..data_tmp").rename(mounted / "..data")
    after = refreshed(certificates)
    assert after is not before
    assert refreshed(certificates) is after


def encrypt(pki: Pki) -> None:
    loaded = serialization.load_pem_private_key(pki.key.read_bytes(), None)
    form, secret = serialization.PrivateFormat.PKCS8, serialization.BestAvailableEncryption(b"secret")
    pki.key.write_bytes(loaded.private_bytes(serialization.Encoding.PEM, form, secret))


def swap(pki: Pki) -> None:
    cert, key = pki.cert.read_bytes(), pki.key.read_bytes()
    pki.cert.write_bytes(key)
    pki.key.write_bytes(cert)


def damage(pki: Pki) -> None:
    pki.cert.write_text("-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n")


def make_pipe(file: Path) -> None:
    """Replace *file* by a pipe that nobody writes to: who opens it waits for ever."""
    file.unlink()
    os.mkfifo(file)


def mismatch(pki: Pki) -> None:
    pki.key.write_bytes(pki.ca.issue_cert("127.0.0.1").private_key_pem.bytes())


BROKEN: dict[str, tuple[Callable[[Pki], object], str]] = {
    "the key of another": (
        mismatch,
        "certificate {0}/tls.crt with the key {0}/tls.key: the key belongs to another certificate; ",
    ),
    "no certificate": (lambda pki: pki.cert.write_text("canary"), "{0}/tls.crt has no certificate in PEM format"),
    "no key": (lambda pki: pki.key.write_text("canary"), "{0}/tls.key has no key in PEM format"),
    "an encrypted key": (encrypt, "{0}/tls.key: the key is encrypted; remove its passphrase"),
    "an empty key": (lambda pki: pki.key.write_text(""), "{0}/tls.key has no key in PEM format"),
    "swapped files": (swap, "{0}/tls.crt has no certificate in PEM format"),
    "damaged PEM": (damage, "can't use the certificate {0}/tls.crt with the key {0}/tls.key: "),
    "a key that is gone": (lambda pki: pki.key.unlink(), "can't read {0}/tls.key: no such file or directory"),
    "no CA": (lambda pki: pki.client_ca.write_text("canary"), "{0}/ca.crt has no certificate in PEM format"),
    "a pipe": (lambda pki: make_pipe(pki.key), "can't read {0}/tls.key: it is not a regular file"),
}
AT_THE_START = {
    **BROKEN,
    "a CA that is gone": (lambda pki: pki.client_ca.unlink(), "can't read {0}/ca.crt: no such file or directory"),
}


@pytest.mark.parametrize(("break_files", "text"), BROKEN.values(), ids=BROKEN)
def test_files_that_can_not_be_used_keep_the_certificate_and_are_logged_once(
    pki: Pki, break_files: Callable[[Pki], object], text: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    certificates = pki.certificates()
    before = certificates.current

    break_files(pki)

    assert [refreshed(certificates) for _ in range(2)] == [before, before]
    assert certificates.count_unusable() == 1
    (line,) = caplog.messages
    assert text.format(pki.folder) in line
    assert line.endswith("; still using the previous certificates")
    assert "canary" not in line

    pki.key.unlink(missing_ok=True)
    pki.issue()
    pki.ca.cert_pem.write_to_path(str(pki.client_ca))
    assert refreshed(certificates) is not before
    assert certificates.count_unusable() == 0


@pytest.mark.parametrize(("break_files", "text"), AT_THE_START.values(), ids=AT_THE_START)
def test_files_that_can_not_be_used_are_an_error_at_the_start(
    pki: Pki, break_files: Callable[[Pki], object], text: str
) -> None:
    break_files(pki)

    with pytest.raises(CannotLoad) as raised:
        pki.certificates()
    assert text.format(pki.folder) in str(raised.value)


def test_a_process_keeps_a_certificate_whose_new_files_are_broken_and_a_metric_says_so(pki: Pki) -> None:
    with served(*WIDGETS, f"--tls-cert={pki.cert}", f"--tls-key={pki.key}") as running:
        before = served_certificate(("127.0.0.1", running.port), pki.client())
        damage(pki)
        metric = 'metahook_unusable_files{files="certificates"} 1.0'
        assert eventually(lambda: metric in CLIENT.get(f"{running.health_url}/metrics").text)
        assert served_certificate(("127.0.0.1", running.port), pki.client()) == before
        pki.issue()
        assert eventually(lambda: metric not in CLIENT.get(f"{running.health_url}/metrics").text)
        assert served_certificate(("127.0.0.1", running.port), pki.client()) != before
