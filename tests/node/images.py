"""Images made from programs that are here: those of the node, Metacontroller's, and stand-ins for applications.

The stand-ins run busybox. Their tag says what they do: see APPLICATIONS.
"""

import json
import re
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.node.layout import FOLDER
from tests.node.programs import path
from tests.node.shell import Shell

IMAGES = FOLDER / "images"
"""Archives of the images that are not pulled."""
METACONTROLLER = "ghcr.io/metacontroller/metacontroller:v4.17.2"
APP = "registry.example.com/app"

_BUILDAH = f"buildah --root {FOLDER}/buildah --runroot {FOLDER}/run/buildah"
"""A store of its own: nginx is not really nginx in it."""
_ROOT, _USER, _NOBODY = "0", "65532", "65534"
_NGINX = """\
#!/bin/sh
# Takes nginx's options: -t checks the configuration; otherwise it serves port 80
[ "$1" = -t ] && exec true
httpd -f -p 80 -h /www & trap 'kill $!' TERM; wait
"""


def _serve(port: int) -> str:
    return f"httpd -f -p {port} -h /www & trap 'kill $!' TERM; wait"  # process 1 gets no signal that it does not name


APPLICATIONS = {
    "docker.io/library/nginx:1.27": (_ROOT, "exec nginx"),
    "docker.io/library/nginx:1.28": (_ROOT, "exec nginx"),
    "docker.io/nginxinc/nginx-unprivileged:1.27": ("101", _serve(8080)),
    f"{APP}:1": (_USER, _serve(8080)),
    f"{APP}:2": (_USER, _serve(8080)),
    f"{APP}:crash": (_USER, "echo no configuration >&2; exit 3"),
    f"{APP}:oom": (_USER, "exec dd if=/dev/zero of=/dev/null bs=1G"),
    f"{APP}:slow": (_USER, f"sleep 20; {_serve(8080)}"),
    f"{APP}:never": (_USER, "exec sleep 100000"),
    f"{APP}:sick": (_USER, "httpd -p 8080 -h /www; sleep 20; kill $(pidof httpd); exec sleep 100000"),
}
"""The user and the command of each stand-in: ``slow`` serves late, ``sick`` for a while, ``never`` not at all."""

MONITORING = {
    "docker.io/prom/prometheus:v3.5.0": ("prometheus", "promtool"),
    "registry.k8s.io/kube-state-metrics/kube-state-metrics:v2.17.0": ("kube-state-metrics",),
}
"""The programs of each image of examples/monitoring. The first one is the entrypoint."""

_FOR_NODE = (
    ("pause", "busybox", ["/busybox", "sleep", "infinity"]),
    ("coredns", "coredns", ["/coredns"]),
)
"""Name, program and command."""


def make_for_node() -> None:
    """Make the images that the node needs to start, as archives."""
    IMAGES.mkdir(parents=True)
    for name, program, entrypoint in _FOR_NODE:
        with _folder() as folder:
            shutil.copy(path(program), folder)
            _make(f"localhost/{name}:1", folder, entrypoint, _ROOT)
        _buildah("push", "-q", f"localhost/{name}:1", f"docker-archive:{IMAGES}/{name}.tar:localhost/{name}:1")


def push_all(shell: Shell) -> None:
    """Make the other images, and push them to the node's registry."""
    with _folder() as folder:
        _copy_metacontroller(folder)
        _make(METACONTROLLER, folder, ["/usr/bin/metacontroller"], _ROOT)
    shell.run(f"{_BUILDAH} push -q {METACONTROLLER}")
    with _folder() as folder:
        _copy_busybox(folder)
        for name, (user, command) in APPLICATIONS.items():
            (folder / "www/index.html").write_text(f"{name}\n")
            _make(name, folder, ["/bin/sh", "-c", command], user)
            shell.run(f"{_BUILDAH} push -q {name}")


def push_monitoring(shell: Shell) -> None:
    """Make the images of examples/monitoring, and push them to the node's registry."""
    for name, programs in MONITORING.items():
        with _folder() as folder:
            for program in programs:
                _copy_with_libraries(path(program), folder)
            _make(name, folder, [f"/bin/{programs[0]}"], _NOBODY)
        shell.run(f"{_BUILDAH} push -q {name}")


def _copy_with_libraries(program: Path, folder: Path) -> None:
    (folder / "bin").mkdir(exist_ok=True)
    shutil.copy(program, folder / "bin")
    listed = subprocess.run([path("ldd"), program], capture_output=True, text=True, check=False)
    for library in re.findall(r"(/\S+) \(0x", listed.stdout):  # none, if it is linked statically
        copy = folder / library.lstrip("/")
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(library, copy)


def _copy_metacontroller(folder: Path) -> None:
    (folder / "usr/bin").mkdir(parents=True)
    (folder / "tmp").mkdir()
    shutil.copy(path("metacontroller"), folder / "usr/bin")


def _copy_busybox(folder: Path) -> None:
    for each in ("bin", "tmp", "www", "etc"):
        (folder / each).mkdir()
    (folder / "tmp").chmod(0o1777)
    shutil.copy(path("busybox"), folder / "bin/busybox")
    for name in subprocess.check_output([path("busybox"), "--list"], text=True).split():
        if name != "busybox":
            (folder / "bin" / name).symlink_to("busybox")
    for name in ("nginx", "nginx-debug"):
        (folder / "bin" / name).write_text(_NGINX)
        (folder / "bin" / name).chmod(0o755)
    (folder / "etc/passwd").write_text("root:x:0:0::/:/bin/sh\n")


@contextmanager
def _folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)


def _make(name: str, folder: Path, entrypoint: list[str], user: str) -> None:
    """Make an image of the files in *folder*."""
    container = _buildah("from", "scratch")
    _buildah("copy", "-q", container, str(folder), "/")
    options = ["--entrypoint", json.dumps(entrypoint), "--user", user, "--env", "PATH=/bin"]
    _buildah("config", *options, container)
    _buildah("commit", "-q", "--rm", container, name)


def _buildah(*arguments: str) -> str:
    return subprocess.run([*_BUILDAH.split(), *arguments], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
