"""Hooks over TLS: who can connect, and what new certificates change."""

import datetime as dt
import http.client
import logging
import shutil
import socket
import ssl
import time
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import closing, suppress
from pathlib import Path

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from metahook.server.callers.tls import CLIENT_CERTIFICATE, HANDSHAKE, HANDSHAKE_TIMEOUT, Certificates
from metahook.server.callers.watched_files import CannotLoad
from metahook.server.limits import Limits
from tests.processes.waiting import eventually
from tests.served.tls import (
    Pki,
    connection,
    post,
    post_on,
    rotate_under_load,
    served_certificate,
    serving,
    write_pair,
)

YEAR = dt.timedelta(days=365)
NOW = dt.datetime.fromtimestamp(0, dt.UTC) + 56 * YEAR


@pytest.fixture(name="pki")
def _pki(tmp_path: Path) -> Pki:
    return Pki(tmp_path)


def client_of(pki: Pki) -> ssl.SSLContext:
    return pki.client(pki.ca.issue_cert("metacontroller@example.com"))


def for_servers_alone(pki: Pki) -> ssl.SSLContext:
    """Return a client with a certificate of the CA that has the extended key usage of servers."""
    key = ec.generate_private_key(ec.SECP256R1())
    ca = x509.load_pem_x509_certificate(pki.ca.cert_pem.bytes())
    ca_key = serialization.load_pem_private_key(pki.ca.private_key_pem.bytes(), None)
    assert isinstance(ca_key, ec.EllipticCurvePrivateKey)
    cert = (
        x509.CertificateBuilder(ca.subject, x509.Name([]), key.public_key(), 7, NOW, NOW + 20 * YEAR)
        .add_extension(x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH]), critical=False)
        .sign(ca_key, hashes.SHA256())
    )
    encoding, form = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    pem = key.private_bytes(encoding, form, serialization.NoEncryption()) + cert.public_bytes(encoding)
    file = pki.folder / "server.pem"
    file.write_bytes(pem)
    context = pki.client()
    context.load_cert_chain(file)
    return context


def expired(pki: Pki) -> ssl.SSLContext:
    return pki.client(pki.ca.issue_cert("m@example.com", not_before=NOW - 2 * YEAR, not_after=NOW - YEAR))


def from_another_ca(pki: Pki) -> ssl.SSLContext:
    return pki.client(trustme.CA().issue_cert("metacontroller@example.com"))


@pytest.mark.parametrize("client", [Pki.client, expired, from_another_ca, for_servers_alone])
def test_a_client_without_a_valid_certificate_is_refused_counted_and_not_logged(
    pki: Pki, client: Callable[[Pki], ssl.SSLContext], caplog: pytest.LogCaptureFixture
) -> None:
    closed: Counter[str] = Counter()
    with serving(pki.certificates(), closed=lambda reason: closed.update([reason])) as address:
        with pytest.raises((OSError, http.client.HTTPException)):
            post(address, client(pki))

        assert eventually(lambda: closed == {CLIENT_CERTIFICATE: 1})
        assert post(address, client_of(pki)) == 200
    assert caplog.records == []

    with serving(pki.certificates(client_ca=False)) as address:  # no certificate is asked for
        assert post(address, client(pki)) == 200


def test_what_is_no_handshake_is_closed_counted_and_not_logged(pki: Pki, caplog: pytest.LogCaptureFixture) -> None:
    closed: Counter[str] = Counter()
    with serving(pki.certificates(), closed=lambda reason: closed.update([reason])) as address:
        with suppress(OSError, http.client.HTTPException):
            post(address, None)
        with pytest.raises(ssl.SSLCertVerificationError):
            post(address, ssl.create_default_context())

        assert eventually(lambda: closed == {HANDSHAKE: 2})
    assert caplog.records == []


@pytest.mark.parametrize(("version", "is_accepted"), [("TLSv1_1", False), ("TLSv1_2", True), ("TLSv1_3", True)])
def test_tls_before_1_2_is_refused(pki: Pki, version: str, is_accepted: bool) -> None:  # noqa: FBT001 - of the table
    client = client_of(pki)
    with warnings.catch_warnings(action="ignore"):  # the old version is deprecated
        client.minimum_version = client.maximum_version = ssl.TLSVersion[version]
    client.set_ciphers("ALL:@SECLEVEL=0")
    with serving(pki.certificates()) as address:
        if is_accepted:
            assert post(address, client) == 200
        else:
            with pytest.raises(OSError):  # noqa: PT011 - an alert, or a reset
                post(address, client)


def test_certificates_are_replaced_under_load_without_a_failed_request(pki: Pki) -> None:
    """Every second request has a connection of its own."""
    with serving(pki.certificates()) as address:
        seen = rotate_under_load(pki, address, 3)

    assert (seen.failures, seen.certificates) == ([], 4)
    assert seen.requests >= 10


def test_a_certificate_that_is_not_read_again_would_be_noticed(pki: Pki) -> None:
    certificates = pki.certificates()
    with serving(certificates) as address:
        before = served_certificate(address, client_of(pki))
        certificates.reload = lambda: False  # type: ignore[method-assign] # the mistake
        pki.issue()

        assert served_certificate(address, client_of(pki)) == before


def test_established_connections_stay_open_and_new_ones_need_a_certificate_of_the_new_ca(pki: Pki) -> None:
    old, others = client_of(pki), trustme.CA()
    new = pki.client(others.issue_cert("metacontroller@example.com"))
    with serving(pki.certificates()) as address, closing(connection(address, old)) as established:
        assert post_on(established) == 200
        others.cert_pem.write_to_path(str(pki.client_ca))
        assert eventually(lambda: accepts(address, new))

        assert not accepts(address, old)
        assert post_on(established) == 200


def test_a_session_of_a_client_of_the_old_ca_is_not_resumed(pki: Pki) -> None:
    """TLS 1.2 has sessions that are resumed without tickets, and without another look at the client's certificate."""
    client = client_of(pki)
    client.maximum_version = ssl.TLSVersion.TLSv1_2
    certificates = pki.certificates()
    with serving(certificates) as address:
        first, _ = resumed(address, client, None)
        _, is_resumed = resumed(address, client, first)
        before = certificates.current
        trustme.CA().cert_pem.write_to_path(str(pki.client_ca))
        assert eventually(lambda: certificates.current is not before)
        with pytest.raises(OSError):  # noqa: PT011 - an alert, or a reset
            resumed(address, client, first)

    assert is_resumed


def resumed(
    address: tuple[str, int], client: ssl.SSLContext, session: ssl.SSLSession | None
) -> tuple[ssl.SSLSession | None, bool | None]:
    """Connect, and give up *session* for the one of the connection; tell whether it was resumed."""
    with (
        socket.create_connection(address, timeout=10) as raw,
        client.wrap_socket(raw, server_hostname="127.0.0.1", session=session) as opened,
    ):
        opened.sendall(b"GET / HTTP/1.1\r\nHost: hook\r\nConnection: close\r\n\r\n")
        while opened.recv(4096):
            pass
        return opened.session, opened.session_reused


def accepts(address: tuple[str, int], client: ssl.SSLContext) -> bool:
    try:
        return post(address, client) == 200
    except (OSError, http.client.HTTPException):
        return False


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

    assert not certificates.reload()
    (mounted / "..data_tmp").rename(mounted / "..data")
    assert certificates.reload()
    assert not certificates.reload()


ENCRYPTED = serialization.BestAvailableEncryption(b"secret")


def encrypt(pki: Pki) -> None:
    loaded = serialization.load_pem_private_key(pki.key.read_bytes(), None)
    form = serialization.PrivateFormat.PKCS8
    pki.key.write_bytes(loaded.private_bytes(serialization.Encoding.PEM, form, ENCRYPTED))


def swap(pki: Pki) -> None:
    cert, key = pki.cert.read_bytes(), pki.key.read_bytes()
    pki.cert.write_bytes(key)
    pki.key.write_bytes(cert)


def damage(pki: Pki) -> None:
    pki.cert.write_text("-----BEGIN CERTIFICATE-----\ncanary\n-----END CERTIFICATE-----\n")


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
    certificates.reload()
    certificates.reload()

    assert certificates.current is before
    (line,) = caplog.messages
    assert text.format(pki.folder) in line
    assert line.endswith("; still using the previous certificate")
    assert "canary" not in line

    pki.issue()
    pki.ca.cert_pem.write_to_path(str(pki.client_ca))
    assert certificates.reload()
    assert certificates.current is not before


@pytest.mark.parametrize(("break_files", "text"), BROKEN.values(), ids=BROKEN)
def test_files_that_can_not_be_used_are_an_error_at_the_start(
    pki: Pki, break_files: Callable[[Pki], object], text: str
) -> None:
    break_files(pki)

    with pytest.raises(CannotLoad) as raised:
        pki.certificates()
    assert text.format(pki.folder) in str(raised.value)


@pytest.mark.parametrize("years", [-1, 1], ids=["expired", "valid"])
@pytest.mark.parametrize("client_ca", [False, True])
def test_the_expiry_is_that_of_the_certificate_in_use(pki: Pki, years: int, *, client_ca: bool) -> None:
    until = NOW + years * YEAR
    certificates = pki.certificates(client_ca=client_ca)
    assert certificates.expiry > until.timestamp() + 100 * YEAR.total_seconds()

    write_pair(pki.ca.issue_cert("a.example", not_before=NOW - 2 * YEAR, not_after=until), pki.cert, pki.key)
    certificates.reload()

    assert certificates.expiry == until.timestamp()


def test_a_handshake_that_takes_too_long_is_closed_counted_and_not_logged(
    pki: Pki, caplog: pytest.LogCaptureFixture
) -> None:
    closed: Counter[str] = Counter()
    count = closed.update
    with serving(
        pki.certificates(), closed=lambda reason: count([reason]), limits=Limits(handshake_timeout=0.1)
    ) as address:
        with socket.create_connection(address, timeout=10) as silent:
            assert silent.recv(1) == b""
        assert post(address, client_of(pki)) == 200
        time.sleep(0.2)  # a handshake that is done is not counted when its time is over
    assert closed == {HANDSHAKE_TIMEOUT: 1}
    assert caplog.records == []


def test_a_handshake_may_take_as_long_as_the_limit_says(pki: Pki) -> None:
    with (
        serving(pki.certificates()) as address,
        socket.create_connection(address, timeout=0.3) as silent,
        pytest.raises(TimeoutError),
    ):
        silent.recv(1)


def test_a_connection_that_ends_during_the_handshake_is_not_logged(pki: Pki, caplog: pytest.LogCaptureFixture) -> None:
    with serving(pki.certificates()) as address:
        socket.create_connection(address).close()
        assert post(address, client_of(pki)) == 200
    assert caplog.records == []


def test_a_handshake_has_no_place_after_it_has_ended_however_it_ended(
    pki: Pki, caplog: pytest.LogCaptureFixture
) -> None:
    closed: Counter[str] = Counter()
    count = closed.update
    limits = Limits(max_connections=4)
    with serving(pki.certificates(), closed=lambda reason: count([reason]), limits=limits) as address:
        for _ in range(6):
            assert post(address, client_of(pki)) == 200
            assert not accepts(address, pki.client())
            socket.create_connection(address).close()

    assert closed == {CLIENT_CERTIFICATE: 6}
    assert caplog.records == []


def test_two_listeners_with_one_certificate_have_reports_of_their_own(pki: Pki) -> None:
    certificates = pki.certificates()
    first, second = Counter[str](), Counter[str]()
    with (
        serving(certificates, closed=lambda reason: first.update([reason])) as address,
        serving(certificates, closed=lambda reason: second.update([reason])),
    ):
        assert not accepts(address, pki.client())
        assert eventually(lambda: first == {CLIENT_CERTIFICATE: 1})
    assert not second
