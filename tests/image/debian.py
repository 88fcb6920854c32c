"""Stand-ins for the base images, for a machine that reaches no image registry: unpacked packages of Debian 13.

As in distroless no package manager is in an image, and no script of a package runs. apt downloads and verifies the
packages with the machine's own sources, but in a directory of its own: it changes nothing on the machine.
"""

import hashlib
import platform
import shutil
import sys
import tempfile
from pathlib import Path

from tests.documents import ROOT
from tests.image.programs import run, succeeds
from tests.programs import Missing

_SUITE = "trixie"
_MINOR = "3.13"
_LOCK = ROOT / "requirements/run.txt"

_RUNTIME = [
    "base-files", "ca-certificates", "netbase", "tzdata", "tzdata-legacy", "media-types", "libc6", "libssl3t64",
    "libzstd1", "zlib1g", "libgomp1", "libstdc++6", "libgcc-s1", "gcc-14-base", "libbz2-1.0", "libdb5.3t64",
    "libexpat1", "liblzma5", "libsqlite3-0", "libuuid1", "libncursesw6", "libtinfo6", "libcom-err2", "libcrypt1",
    "libc-bin", "libgssapi-krb5-2", "libk5crypto3", "libkeyutils1", "libkrb5-3", "libkrb5support0", "libnsl2",
    "libreadline8t64", "libtirpc3t64", "libffi8", "libpython3.13-minimal", "libpython3.13-stdlib",
    "python3.13-minimal", "python3.13-venv",
]  # fmt: skip
"""What gcr.io/distroless/python3-debian13 contains. Source: the files config.bzl of distroless."""

_SHELL = ["dash", "coreutils", "libacl1", "libattr1", "libgmp10", "libselinux1", "libpcre2-8-0"]
_BUILD = [*_RUNTIME, *_SHELL, "python3-pip"]
"""Besides these the image for the build has the wheels of the lock file, because the build has no network then."""

_BASES = {"BUILD_BASE": ("debian-build", _BUILD, "0"), "RUNTIME_BASE": ("debian-runtime", _RUNTIME, "65532")}
"""The name, the packages and the user for each argument of the Dockerfile."""

_USERS = """\
root:x:0:0:root:/root:/sbin/nologin
nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin
nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin
"""


def base(argument: str, work: Path) -> str:
    """Return the image for *argument* of the Dockerfile. Make it, with files below *work*, if it is not stored yet."""
    name, packages, user = _BASES[argument]
    apt = _Apt(work / "apt")
    image = f"localhost/{name}:{_key(apt.lines(packages))}"
    if succeeds("buildah", "inspect", "--type", "image", image):
        return image
    apt.update()
    image = f"localhost/{name}:{_key(apt.lines(packages))}"
    with tempfile.TemporaryDirectory(dir=work) as folder:
        root = Path(folder, "root")
        _unpack(apt, packages, root)
        if argument == "BUILD_BASE":
            _add_wheels(root)
        _store(image, root, user)
    return image


def _store(image: str, root: Path, user: str) -> None:
    container = run("buildah", "from", "scratch")
    run("buildah", "copy", "--quiet", container, root, "/")
    # Why the comment: an image names its base, and to the cache two bases with the same files would be one
    settings = ["--user", user, "--env", "PATH=/usr/bin:/bin", "--env", "LANG=C.UTF-8", "--history-comment", image]
    run("buildah", "config", *settings, container)
    run("buildah", "commit", "--quiet", "--rm", "--timestamp", "0", container, image)


def _key(lines: str) -> str:
    """Return a key of what decides the contents of a base image."""
    return hashlib.sha256(Path(__file__).read_bytes() + _LOCK.read_bytes() + lines.encode()).hexdigest()[:16]


class _Apt:
    """apt with the sources of this machine, for Debian 13, and with its state in *folder*."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        for name in ("sources", "lists/partial", "cache/archives/partial"):
            (folder / name).mkdir(parents=True, exist_ok=True)
        for file, text in _sources().items():
            (folder / "sources" / file).write_text(text)

    def update(self) -> None:
        """Download the list of packages."""
        self._run("update", cwd=self._folder)

    def lines(self, packages: list[str]) -> str:
        """Return a line with file and hash for each of *packages*, as the last update listed them; "" before it."""
        if not any((self._folder / "lists").glob("*_Packages*")):
            return ""
        return self._run("download", "--print-uris", *packages, cwd=self._folder)

    def download(self, packages: list[str], folder: Path) -> None:
        """Download *packages* into *folder*."""
        self._run("download", *packages, cwd=folder)

    def _run(self, *arguments: str, cwd: Path) -> str:
        settings = {
            "Dir::Etc::sourcelist": "/dev/null",
            "Dir::Etc::sourceparts": f"{self._folder}/sources",
            "Dir::State::lists": f"{self._folder}/lists",
            "Dir::Cache": f"{self._folder}/cache",
            "APT::Sandbox::User": "root",
        }
        options = (f"-o{name}={value}" for name, value in settings.items())
        return run("apt-get", "--quiet=2", *options, *arguments, cwd=cwd)


def _sources() -> dict[str, str]:
    """Return the sources of Debian in /etc/apt by their files, for Debian 13; raise Missing."""
    codename = platform.freedesktop_os_release().get("VERSION_CODENAME", "")
    files = [file for file in Path("/etc/apt").rglob("*") if file.suffix in {".list", ".sources"}]
    texts = {file.name: file.read_text() for file in files}
    found = {name: text.replace(codename, _SUITE) for name, text in texts.items() if f"{codename}-updates" in text}
    if codename and found and shutil.which("apt-get") and shutil.which("dpkg-deb"):
        return found
    message = "the base images can't be pulled, and only on Debian can make image make stand-ins from packages"
    raise Missing(message)


def _unpack(apt: _Apt, packages: list[str], root: Path) -> None:
    """Unpack *packages* in *root*, and add what distroless adds: certificates, names of Python, and users."""
    debs = root.parent / "debs"
    debs.mkdir()
    apt.download(packages, debs)
    # Why in this order: base-files has the links, such as /lib, through which other packages unpack their files.
    for deb in sorted(debs.iterdir(), key=lambda deb: (not deb.name.startswith("base-files"), deb.name)):
        run("dpkg-deb", "--extract", deb, root)
    (root / "usr/sbin/update-ca-certificates").unlink()
    certificates = sorted((root / "usr/share/ca-certificates").rglob("*.crt"))
    (root / "etc/ssl/certs/ca-certificates.crt").write_text("".join(file.read_text() for file in certificates))
    for name in ("python", "python3"):
        (root / "usr/bin" / name).symlink_to(f"python{_MINOR}")
    (root / "etc/passwd").write_text(_USERS)
    (root / "etc/group").write_text("root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n")


def _add_wheels(root: Path) -> None:
    """Download the wheels of the lock file into *root*, as this machine's pip is set up, and let pip in it use them."""
    (root / "etc/pip.conf").write_text("[install]\nno-index = true\nfind-links = /wheels\n")
    machine = platform.machine()
    tags = [f"--python-version={_MINOR}", "--implementation=cp"]
    tags += [f"--abi={abi}" for abi in (f"cp{_MINOR.replace('.', '')}", "abi3", "none")]
    tags += [f"--platform={name}_{machine}" for name in ("manylinux2014", "manylinux_2_17", "manylinux_2_28")]
    checked = ["--no-deps", "--require-hashes", "--only-binary=:all:", "--requirement", str(_LOCK)]
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    run(*pip, "--dest", root / "wheels", *tags, *checked)
