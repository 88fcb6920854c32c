"""Hooks over TLS: who can connect, and what new certificates change."""

import datetime as dt
import gc
import http.client
import logging
import os
import re
import resource
import shutil
import socket
import ssl
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import pytest
import trustme
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from metahook.server.app import ServerOptions, create_app
from metahook.server.callers.tls import CLIENT_CERTIFICATE, HANDSHAKE, HANDSHAKE_TIMEOUT, Certificates, MinVersion
from metahook.server.callers.watched_files import CannotLoad
from metahook.server.limits import Limits
from toolkit.hooks.minimal import TINY, sync_body
from toolkit.served.asgi import JSON, call
from toolkit.served.tls import (
    Pki,
    connection,
    post,
    post_on,
    rotate_under_load,
    served_certificate,
    serving,
    write_pair,
)
from toolkit.waiting import eventually

YEAR = dt.timedelta(days=365)
NOW = dt.datetime.fromtimestamp(0, dt.UTC) + 56 * YEAR
"""A fixed time. The real one is later, so what is valid now ends decades after it."""


@pytest.fixture(name="pki")
def _pki(tmp_path: Path) -> Pki:
    return Pki(tmp_path)


def client_of(pki: Pki) -> ssl.SSLContext:
    return pki.client(pki.ca.issue_cert("metacontroller@example.com"))


def for_servers_alone(pki: Pki) -> ssl.SSLContext:
    return client_with(pki, x509.ExtendedKeyUsage([x509.oid.ExtendedKeyUsageOID.SERVER_AUTH]))


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
    with (
        serving(pki.certificates(names=["a.example", "spiffe://b/c"])) as address,
        closing(connection(address, client)) as opened,
    ):
        opened.request("POST", "/sync", sync_body(), JSON)
        response = opened.getresponse()
        body = response.read().decode()

    assert response.status == (200 if is_accepted else 403)
    assert ("use a client certificate with one of the names that the hook accepts" in body) is not is_accepted


def test_under_another_server_nobody_has_one_of_the_names(pki: Pki) -> None:
    app = create_app(TINY, ServerOptions(certificates=pki.certificates(names=["a.example"])))

    assert call(app, "/sync", sync_body(), headers=JSON).status_code == 403


def test_a_ca_may_be_given_without_the_one_that_signed_it(pki: Pki) -> None:
    intermediate, other = pki.ca.create_child_ca(), pki.ca.create_child_ca()
    client, stranger = (pki.client(ca.issue_cert("metacontroller@example.com")) for ca in (intermediate, other))
    intermediate.cert_pem.write_to_path(str(pki.client_ca))
    with serving(pki.certificates()) as address:
        assert accepts(address, client)
        assert not accepts(address, stranger)


def test_what_is_no_handshake_is_closed_counted_and_not_logged(pki: Pki, caplog: pytest.LogCaptureFixture) -> None:
    closed: Counter[str] = Counter()
    with serving(pki.certificates(), closed=lambda reason: closed.update([reason])) as address:
        with suppress(OSError, http.client.HTTPException):
            post(address, None)
        with pytest.raises(ssl.SSLCertVerificationError):
            post(address, ssl.create_default_context())

        assert eventually(lambda: closed == {HANDSHAKE: 2})
    assert caplog.records == []


@pytest.mark.parametrize(
    ("min_version", "version", "ciphers", "is_accepted"),
    [
        ("1.3", "TLSv1_2", "ALL", False),
        ("1.3", "TLSv1_3", "ALL", True),
        ("1.2", "TLSv1_1", "ALL", False),
        ("1.2", "TLSv1_2", "ALL", True),
        ("1.2", "TLSv1_2", "ECDHE+CHACHA20", True),
        ("1.2", "TLSv1_2", "ECDHE+AES:!AESGCM:!AESCCM", False),  # CBC
        ("1.2", "TLSv1_2", "AESGCM:!ECDHE", False),  # no forward secrecy
        ("1.2", "TLSv1_3", "ALL", True),
    ],
)
def test_versions_and_ciphers_that_are_too_old_are_refused(
    pki: Pki, min_version: MinVersion, version: str, ciphers: str, *, is_accepted: bool
) -> None:
    client = client_of(pki)
    with warnings.catch_warnings(action="ignore"):  # the old version is deprecated
        client.minimum_version = client.maximum_version = ssl.TLSVersion[version]
    client.set_ciphers(f"{ciphers}:@SECLEVEL=0")
    with serving(pki.certificates(min_version=min_version)) as address:
        assert accepts(address, client) is is_accepted


def test_certificates_are_replaced_under_load_without_a_failed_request(pki: Pki) -> None:
    """Every second request has a connection of its own."""
    with serving(pki.certificates()) as address:
        seen = rotate_under_load(pki, address, 3)

    assert (seen.failures, seen.certificates) == ([], 4)


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


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_no_session_of_a_client_with_a_certificate_is_resumed(pki: Pki, version: MinVersion) -> None:
    """TLS 1.2 has sessions that are resumed without tickets, and without another look at the client's certificate."""
    closed: Counter[str] = Counter()
    client = client_of(pki)
    client.maximum_version = ssl.TLSVersion[f"TLSv{version.replace('.', '_')}"]
    certificates = pki.certificates(min_version=version)
    with serving(certificates, closed=lambda reason: closed.update([reason])) as address:
        first = exchange(address, client, None)
        again = exchange(address, client, first.session)
        whole = exchange(address, client, first.session)  # OpenSSL has forgotten the session that it refused
        before = certificates.current
        trustme.CA().cert_pem.write_to_path(str(pki.client_ca))
        assert eventually(lambda: certificates.current is not before)
        replaced = exchange(address, client, whole.session)

    assert (first.is_answered, whole.is_answered, replaced.is_answered) == (True, True, False)
    assert (again.is_answered, closed[CLIENT_CERTIFICATE]) == ((False, 2) if version == "1.2" else (True, 1))
    assert {each.is_resumed and each.is_answered for each in (first, again, whole, replaced)} == {False}


@pytest.mark.parametrize("version", ["1.2", "1.3"])
def test_a_session_without_a_client_certificate_is_resumed(pki: Pki, version: MinVersion) -> None:
    client = pki.client()
    client.maximum_version = ssl.TLSVersion[f"TLSv{version.replace('.', '_')}"]
    with serving(pki.certificates(client_ca=False, min_version=version)) as address:
        first = exchange(address, client, None)
        again = exchange(address, client, first.session)

    assert (first.is_resumed, again.is_resumed, again.is_answered) == (False, True, True)


class Exchange(NamedTuple):
    """What a client sees of a connection."""

    session: ssl.SSLSession | None = None
    is_resumed: bool = False
    is_answered: bool = False


def exchange(address: tuple[str, int], client: ssl.SSLContext, session: ssl.SSLSession | None) -> Exchange:
    """Send a request over a connection that resumes *session* if it can."""
    seen = Exchange()
    with (
        suppress(OSError),
        socket.create_connection(address, timeout=10) as raw,
        client.wrap_socket(raw, server_hostname="127.0.0.1", session=session) as opened,
    ):
        seen = seen._replace(is_resumed=bool(opened.session_reused))
        opened.sendall(b"GET / HTTP/1.1\r\nHost: hook\r\nConnection: close\r\n\r\n")
        while opened.recv(4096):
            seen = seen._replace(is_answered=True)
        return seen._replace(session=opened.session)
    return seen


def accepts(address: tuple[str, int], client: ssl.SSLContext) -> bool:
    try:
        return post(address, client) == 200
    except (OSError, http.client.HTTPException):
        return False


def test_a_ca_that_is_removed_lets_no_client_in(pki: Pki, caplog: pytest.LogCaptureFixture) -> None:
    client = client_of(pki)
    content = pki.client_ca.read_bytes()
    with serving(pki.certificates()) as address:
        for remove in (pki.client_ca.unlink, partial(os.mkfifo, pki.client_ca)):
            remove()
            assert eventually(lambda: not accepts(address, client))
        pki.client_ca.unlink()
        pki.client_ca.write_bytes(content)
        assert eventually(lambda: accepts(address, client))

    assert f"every client is refused: {pki.client_ca} does not exist" in caplog.text


@pytest.mark.parametrize("path", ["cert", "key"])
def test_a_ca_is_replaced_also_if_the_certificate_can_not_be_used(pki: Pki, path: str) -> None:
    old, others = client_of(pki), trustme.CA()
    new = pki.client(others.issue_cert("metacontroller@example.com"))
    certificates = pki.certificates()
    with serving(certificates) as address:
        make_pipe(getattr(pki, path))
        others.cert_pem.write_to_path(str(pki.client_ca))
        assert eventually(lambda: accepts(address, new))

        assert not accepts(address, old)
        assert certificates.unusable == 1


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
    "a large file": (lambda pki: os.truncate(pki.cert, 2**40), "can't use {0}/tls.crt: it is larger than 1 MiB"),
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
    certificates.reload()
    certificates.reload()

    assert certificates.current is before
    assert certificates.unusable == 1
    (line,) = caplog.messages
    assert text.format(pki.folder) in line
    assert re.search("; still using the previous (certificate|CA certificates of clients)$", line)
    assert "canary" not in line

    pki.key.unlink(missing_ok=True)
    pki.issue()
    pki.ca.cert_pem.write_to_path(str(pki.client_ca))
    assert certificates.reload()
    assert certificates.current is not before
    assert certificates.unusable == 0


@contextmanager
def free_descriptors(count: int) -> Iterator[None]:
    """Let the process open *count* files more, until the block ends."""
    gc.collect()  # what an earlier test left would close its files while the block runs
    opened = [int(each.name) for each in Path("/proc/self/fd").iterdir()]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(opened) + count + 2, hard))
    taken = list[int]()
    try:
        with suppress(OSError):
            while True:
                taken.append(os.open("/dev/null", os.O_RDONLY))
        for descriptor in taken[:count]:
            os.close(descriptor)
        yield
    finally:
        for descriptor in taken[count:]:
            os.close(descriptor)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def has_other_ca(context: ssl.SSLContext) -> bool:
    """Tell whether *context* has the CA with the unit "other", and no second one."""
    (ca,) = context.get_ca_certs()
    return "'other'" in str(ca["subject"])


@pytest.mark.parametrize("free", range(6))
def test_new_files_that_can_not_be_used_yet_are_not_said_to_be_in_use_and_are_tried_again(
    pki: Pki, free: int, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    certificates = pki.certificates()
    other = trustme.CA(organization_unit_name="other")
    before = certificates.current

    other.cert_pem.write_to_path(str(pki.client_ca))
    with free_descriptors(free):
        is_new = certificates.reload()
        certificates.reload()

    assert (is_new, certificates.unusable) in [(True, 0), (False, 1)]
    assert is_new == has_other_ca(certificates.current)
    assert is_new == (certificates.current is not before)
    assert len(caplog.messages) == 1
    assert caplog.messages[0].startswith("now using the new" if is_new else "can't ")
    assert is_new == (free >= 3)

    certificates.reload()
    assert certificates.unusable == 0
    assert has_other_ca(certificates.current)


@pytest.mark.parametrize(("break_files", "text"), AT_THE_START.values(), ids=AT_THE_START)
def test_files_that_can_not_be_used_are_an_error_at_the_start(
    pki: Pki, break_files: Callable[[Pki], object], text: str
) -> None:
    break_files(pki)

    with pytest.raises(CannotLoad) as raised:
        pki.certificates()
    assert text.format(pki.folder) in str(raised.value)


@pytest.mark.parametrize("client_ca", [False, True])
def test_the_expiry_is_that_of_the_certificate_in_use(pki: Pki, *, client_ca: bool) -> None:
    certificates = pki.certificates(client_ca=client_ca)
    assert certificates.expiry > NOW.timestamp() + 100 * YEAR.total_seconds()

    valid_between(pki, NOW - 2 * YEAR, NOW + 50 * YEAR)
    certificates.reload()

    assert certificates.expiry == (NOW + 50 * YEAR).timestamp()


def valid_between(pki: Pki, begin: dt.datetime, end: dt.datetime) -> None:
    """Replace the certificate."""
    write_pair(pki.ca.issue_cert("a.example", not_before=begin, not_after=end), pki.cert, pki.key)


TIMES = pytest.mark.parametrize(
    ("begin", "end"),
    [(NOW - 2 * YEAR, NOW - YEAR), (NOW + 90 * YEAR, NOW + 99 * YEAR)],
    ids=["expired", "not yet valid"],
)


@TIMES
def test_a_certificate_that_is_not_valid_replaces_none_that_is(
    pki: Pki, begin: dt.datetime, end: dt.datetime, caplog: pytest.LogCaptureFixture
) -> None:
    certificates = pki.certificates()
    before = certificates.current

    valid_between(pki, begin, end)

    assert not certificates.reload()
    assert certificates.current is before
    assert certificates.unusable == 1
    assert "tls.crt has expired, or is not valid yet; still using the previous certificate" in caplog.text


@TIMES
def test_a_certificate_that_is_not_valid_is_used_if_there_is_no_other_and_a_warning_says_so(
    pki: Pki, begin: dt.datetime, end: dt.datetime, caplog: pytest.LogCaptureFixture
) -> None:
    valid_between(pki, NOW - 2 * YEAR, NOW - YEAR)
    certificates = pki.certificates()
    valid_between(pki, begin, end)

    assert certificates.reload()
    assert certificates.expiry == end.timestamp()
    assert caplog.messages == [f"the certificate in {pki.cert} has expired, or is not valid yet"]


def test_a_warning_says_that_all_users_can_read_the_key(pki: Pki, caplog: pytest.LogCaptureFixture) -> None:
    certificates = pki.certificates()
    certificates.warn()
    assert caplog.messages == []

    pki.key.chmod(0o644)
    pki.issue()
    certificates.reload()
    certificates.warn()

    assert caplog.messages == [f"all users can read the key in {pki.key}: run chmod o-r on it"] * 2


class ShortHandshakes(Limits):
    """Limits of a server whose clients are slow soon."""

    handshake_timeout = 0.1


def test_a_handshake_that_takes_too_long_is_closed_counted_and_not_logged(
    pki: Pki, caplog: pytest.LogCaptureFixture
) -> None:
    closed: Counter[str] = Counter()
    count = closed.update
    with serving(pki.certificates(), closed=lambda reason: count([reason]), limits=ShortHandshakes()) as address:
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
