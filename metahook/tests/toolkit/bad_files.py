"""Files that no command can use: what is said about them, and how much time and memory that may take."""

import os
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from toolkit.slow import only_whole, short_or_whole

COUNT = short_or_whole(2000, 10_000)
HEAD = "apiVersion: example.com/v1\nkind: Widget\n"
NAMED = f"{HEAD}metadata: {{name: web}}\n"


def tenfold(levels: int) -> str:
    """Return YAML whose aliases repeat ten to the power of *levels* values."""
    lines = ["x0: &x0 [a,a,a,a,a,a,a,a,a,a]"]
    lines += [f"x{n}: &x{n} [{','.join([f'*x{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


def _text(content: str, encoding: str = "utf-8") -> Callable[[Path], object]:
    return lambda path: path.write_bytes(content.encode(encoding))


def _folder_without_manifests(path: Path) -> None:
    path.mkdir()
    (path / "README.md").touch()


def _folder_with_a_dangling_link(path: Path) -> None:
    path.mkdir()
    (path / "web.yaml").symlink_to("nowhere")


BAD: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "a named pipe without a writer": (os.mkfifo, [": a named pipe that no program writes to; name a file"]),
    "binary": (_text("\x7fELF\x02\x01\x01\0\0\0", "latin-1"), [":1: not YAML", "a control character; remove it"]),
    "Latin-1": (_text(f"{NAMED}spec: {{text: é}}\n", "latin-1"), [":4: not YAML", "byte 0xe9 is not UTF-8; save"]),
    "UTF-16 without its mark": (_text(NAMED, "utf-16-le"), [":1: not YAML", "a control character; remove it"]),
    "UTF-16 that is cut off": (
        lambda path: path.write_bytes(NAMED.encode("utf-16")[:-1]),
        [": not text in UTF-16, though it begins so; save the file again"],
    ),
    "a tab": (_text(f"{NAMED}spec:\n\ttext: a\n"), [":5: not YAML or JSON: a tab where only spaces may be; replace"]),
    "wrong indentation": (_text(f"{NAMED}spec:\n  a: 1\n b: 2\n"), [":6: not YAML or JSON: wrong indentation"]),
    "half of a file in JSON": (_text('{"kind": "Widget",\n "metadata": {'), [":2: not YAML or JSON: in JSON, "]),
    "a key twice in JSON": (_text('{"kind": "Widget",\n "kind": "A"}'), [":2: not YAML", "'kind' is repeated; remove"]),
    "billion laughs": (
        _text(f"{NAMED}{tenfold(9)}\n"),
        [":8: not YAML", "aliases repeat more than", "write the values"],
    ),
    "a spec that contains itself": (
        _text(f"{NAMED}spec: &a {{image: x, env: *a}}\n"),
        [":4: not YAML or JSON", "a value that contains the alias", "remove it"],
    ),
    "a List that contains itself": (
        _text("&a\napiVersion: v1\nkind: List\nitems: [*a]\n"),
        [":4: not YAML or JSON", "contains the alias"],
    ),
    "too deep": (_text(f"{HEAD}metadata: {'[' * 500}{']' * 500}"), [":3: not YAML or JSON", "levels deep"]),
    "too deep as JSON": (_text('{"kind": ' + "[" * 500 + "]" * 500 + "}"), ["levels deep"]),
    "far too deep as JSON": (_text('{"kind": ' + "[" * 9000), ["levels deep"]),
    "deep by aliases": (
        _text("\n".join([f"x{n}: &x{n} [*x{n - 1}]" if n else "x0: &x0 []" for n in range(300)])),
        [":100: not YAML or JSON", "levels deep"],
    ),
}
"""By what is wrong: what makes a file, and the words with which each command refuses it."""

FOLDERS: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "missing": (lambda _: None, [": no such file or directory; name a file"]),
    "a folder without manifests": (_folder_without_manifests, ["no ", "; "]),
    "a folder with a dangling link": (_folder_with_a_dangling_link, ["web.yaml: no such file or directory; name"]),
}
"""The same for the options that name a file or a folder."""


def bad_files(*, folders: bool = False) -> list[object]:
    """Return the rows of BAD as parameters; with *folders* those of FOLDERS, too."""
    rows = {**BAD, **(FOLDERS if folders else {})}
    return [pytest.param(make, words, id=name) for name, (make, words) in rows.items()]


def _large(content: str) -> Callable[[Path], object]:
    return lambda path: path.write_text(content * (50 * 1024 * 1024 // len(content) + 1))


def _folder_with_thousands(path: Path) -> None:
    path.mkdir()
    for number in range(3000):
        (path / f"{number}.yaml").write_text(f"apiVersion: v1\nkind: ConfigMap\nmetadata: {{name: x{number}}}\n")


LARGE: dict[str, tuple[Callable[[Path], object], list[str]]] = {
    "50 MiB of documents": (_large(f"{NAMED}---\n"), [": more than 32 MiB; give several files"]),
    "50 MiB in one line": (_large("x"), [": more than 32 MiB; give several files"]),
    "a device without an end": (lambda path: path.symlink_to("/dev/zero"), [": more than 32 MiB; give several files"]),
    "20 MiB of values": (lambda path: path.write_text(f"[{'a,' * 10**7}"), ["more than 200000 values in YAML; give"]),
    "20 MiB of JSON that is cut off": (lambda path: path.write_text('{"a": [' + '"b", ' * 4 * 10**6), ["in JSON, "]),
    "10,000 documents": (
        lambda path: path.write_text("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x}\n---\n" * COUNT),
        ["no ", f" {COUNT} ConfigMap of v1 ("],
    ),
    "thousands of files": (_folder_with_thousands, ["no ", " 3000 ConfigMap of v1 ("]),
}
"""By what is large about it."""

MEMORY = 1024 * 1024 * 1024
CPU = 60
"""Bytes, and seconds of a processor, that a command may take for one of LARGE."""


def large_files() -> list[object]:
    """Return the rows of LARGE as parameters; those that take long run by ``make test-all`` alone."""
    marks = {name: [only_whole] if "20 MiB" in name or "thousands" in name else [] for name in LARGE}
    return [pytest.param(make, words, id=name, marks=marks[name]) for name, (make, words) in LARGE.items()]


def run_within_limits(arguments: Sequence[str], folder: Path, memory: int = MEMORY) -> tuple[int, str]:
    """Return the exit code and the errors of the program with *arguments* in *folder*, within *memory* and CPU."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))

    done = subprocess.run(
        [sys.executable, "-m", *arguments], cwd=folder, preexec_fn=limit, capture_output=True, text=True, check=False
    )
    assert done.stdout == ""
    return done.returncode, done.stderr
