"""``helm test`` of a hook with TLS, a client certificate and a token."""

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.chart.test_hook import run_helm_test
from tests.service.operator import served
from toolkit.served.tls import Pki, write_pair


@pytest.fixture(name="protected", scope="module")
def _protected(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """Return the URL of a hook that needs a client certificate and a token, and a folder with those of a caller."""
    pki = Pki(tmp_path_factory.mktemp("hook"))
    caller = tmp_path_factory.mktemp("caller")
    write_pair(pki.ca.issue_cert("metacontroller@example.com"), caller / "tls.crt", caller / "tls.key")
    shutil.copy(pki.client_ca, caller)
    (caller / "token").write_text("a-token-of-this-test\n")
    files = [f"--tls-cert={pki.cert}", f"--tls-key={pki.key}", f"--tls-client-ca={pki.client_ca}"]
    with served(sys.executable, "-m", "app", "serve", *files, f"--tokens={caller / 'token'}") as hook:
        yield hook.url.replace("http://", "https://"), caller


def in_folder(folder: Path) -> dict[str, str]:
    """Return the change of the script that reads the files of the Pod from *folder*."""
    return {"/etc/myresource/caller": str(folder)}


def test_helm_test_shows_what_metacontroller_shows(protected: tuple[str, Path]) -> None:
    url, caller = protected

    ended = run_helm_test(url, **in_folder(caller))

    assert ended.returncode == 0, ended.stdout + ended.stderr


def test_helm_test_can_get_the_ca_inline(protected: tuple[str, Path], tmp_path: Path) -> None:
    url, caller = protected
    folder = shutil.copytree(caller, tmp_path / "caller")
    (folder / "ca.crt").unlink()

    ended = run_helm_test(url, (caller / "ca.crt").read_text(), **in_folder(folder))

    assert ended.returncode == 0, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    ("missing", "said"),
    [
        pytest.param("token", "/customize answered with status 401", id="the token"),
        pytest.param("tls.crt", "no response from", id="the client certificate"),
        pytest.param("ca.crt", "No such file or directory", id="the CA"),
    ],
)
def test_helm_test_fails_without_what_the_hook_needs(
    protected: tuple[str, Path], tmp_path: Path, missing: str, said: str
) -> None:
    url, caller = protected
    folder = shutil.copytree(caller, tmp_path / "caller")
    (folder / missing).unlink()

    ended = run_helm_test(url, **in_folder(folder), **{"PATIENCE = 60": "PATIENCE = 1"})

    assert ended.returncode == 1
    assert said in ended.stderr
