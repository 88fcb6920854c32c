"""Base images from Debian's packages, for a machine that reaches no image registry.

The packages are those of the machine's own Debian release, downloaded by its own apt and only unpacked, as distroless
does: no package manager is in an image, and no script of a package runs.
"""

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path

from tests.image.buildah import buildah, has_image

_RUNTIME = [
    "base-files", "netbase", "tzdata", "media-types", "libc6", "libssl3", "libgomp1", "libstdc++6", "libgcc-s1",
    "gcc-12-base", "libbz2-1.0", "libdb5.3", "libexpat1", "liblzma5", "libsqlite3-0", "libuuid1", "libncursesw6",
    "libtinfo6", "zlib1g", "libcom-err2", "libcrypt1", "libgssapi-krb5-2", "libk5crypto3", "libkeyutils1", "libkrb5-3",
    "libkrb5support0", "libnsl2", "libreadline8", "libtirpc3", "libffi8", "libpython3.11-minimal",
    "libpython3.11-stdlib", "python3.11-minimal", "python3-distutils",
]  # fmt: skip
"""Those of gcr.io/distroless/python3-debian12."""

_BUILD = [*_RUNTIME, "dash", "coreutils", "libacl1", "libattr1", "libgmp10", "libselinux1", "libpcre2-8-0", "python3-pip"]
"""A shell, coreutils and pip besides."""


def base(name: str, work: Path) -> str:
    """Return the image for the base *name*, ``build`` or ``runtime``; make it in *work* if it does not exist."""
    packages, user = {"build": (_BUILD, "0"), "runtime": (_RUNTIME, "65532")}[name]
    source = Path(__file__).read_bytes()
    image = f"localhost/debian-{name}:{hashlib.sha256(source + _apt('--print-uris', packages, work)).hexdigest()[:16]}"
    if not has_image(image):
        _make(image, packages, user, work)
    return image


def _apt(option: str, packages: list[str], work: Path) -> bytes:
    command = ["apt-get", "download", "--quiet=2", option, "-o", "APT::Sandbox::User=root", *packages]
    return subprocess.run(command, check=True, cwd=work, stdout=subprocess.PIPE).stdout


def _make(image: str, packages: list[str], user: str, work: Path) -> None:
    with tempfile.TemporaryDirectory(dir=work) as folder:
        root = Path(folder, "root")
        debs = Path(folder, "debs")
        debs.mkdir()
        _apt("--no-print-uris", packages, debs)
        for deb in debs.iterdir():
            subprocess.run(["dpkg-deb", "-x", deb, root], check=True)
        _complete(root)
        container = buildah("from", "scratch")
        buildah("copy", "--quiet", container, root, "/")
        buildah("config", "--user", user, "--env", "PATH=/usr/local/bin:/usr/bin:/bin", "--env", "LANG=C.UTF-8", container)
        buildah("commit", "--quiet", "--rm", "--timestamp", "0", container, image)


def _complete(root: Path) -> None:
    """Add what distroless adds to the packages: names of Python, users, and the folders of both."""
    root.chmod(0o755)
    for name in ("python", "python3"):
        (root / "usr/bin" / name).symlink_to("python3.11")
    (root / "etc/passwd").write_text(
        "root:x:0:0:root:/root:/sbin/nologin\n"
        "nobody:x:65534:65534:nobody:/nonexistent:/sbin/nologin\n"
        "nonroot:x:65532:65532:nonroot:/home/nonroot:/sbin/nologin\n"
    )
    (root / "etc/group").write_text("root:x:0:\nnobody:x:65534:\nnonroot:x:65532:\n")
    (root / "home/nonroot").mkdir(mode=0o700)
    shutil.chown(root / "home/nonroot", 65532, 65532)
