"""Makes a clone the operator of another kind: ``make rename GROUP=apps.acme.io KIND=WebApp``.

A table of words, applied to the contents and the paths of tracked files; then ``make format generate``, and the golden
files of the chart. Left alone are the toolkit but for its pages that show this operator, the example that ports the
MyResource of tutorials, the licence, the text of the changelog, and what is about renaming.

It needs Python alone, and changes nothing if it refuses. It refuses to rename a clone again, since the words of a short
kind are anybody's: where a kind is called Shop, not every "shop" is meant.
"""

import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

from release.names import Cluster, Names, plural_of, snake

ROOT = Path(__file__).parents[1]
NAMES = "app/api/names.py"
"""Where the clone has its names."""
LEFT_ALONE = (
    "metahook/*",
    "examples/hooks/myresource/*",
    "tests/docs/test_port.py",  # is about this example
    "LICENSE",
    "requirements/*",
    "release/names.py",
    "release/rename.py",
    "tests/release/test_rename.py",
    "docs/contributing/make-it-yours.md",
)
OF_THE_OPERATOR = ("metahook/docs/from-controller-runtime*.md",)
"""The pages of the toolkit that show commands and statuses of this operator."""
ONLY_LINKS = ("CHANGELOG.md",)
"""It says what was released under the old names. Its links lead to headings that have the new ones."""
REMOVED = (".github/workflows/renamed.yml",)
"""It tests that a clone can be renamed."""


class NotRenamable(Exception):
    """Raised before anything is changed. The message names the reason and the remedy."""


@dataclass(frozen=True)
class Words:
    """The words of the clone, and what each becomes."""

    names: Names

    @cached_property
    def table(self) -> dict[str, str]:
        """Return the new words by regular expressions of the old ones; of two that match, the first one counts.

        In Python, "my" keeps them apart from other identifiers.
        """
        kind, one, many = self.names.kind, self.names.singular, self.names.plural
        my_one, my_many = (f"my_{snake(word).removeprefix('my_')}" for word in (kind, plural_of(kind)))
        return {
            "examples/hooks/myresource": "examples/hooks/myresource",
            "from myresources import MYRESOURCES": "from myresources import MYRESOURCES",
            "mygroup.example.com": self.names.group,
            "MyResources(?![a-z])": plural_of(kind),
            "MyResource": kind,
            "my_resources(?![a-z])": my_many,
            "my_resource": my_one,
            "MYRESOURCE_": f"{one.upper()}_",
            "MYRESOURCES": my_many.replace("_", "").upper(),
            "MYRESOURCE": my_one.replace("_", "").upper(),
            "MY_RESOURCE": my_one.upper(),
            "myresource-operator": self.names.name,
            "myresource_operator": self.names.name.replace("-", "_"),
            "myresources(?![a-z])": many,
            "myresource": one,
            r"\bmyr\b": self.names.short,
        }

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile("|".join(f"({word})" for word in self.table))

    def renamed(self, text: str) -> str:
        """Return *text* with the new words, and "an" before one with a vowel."""
        new = list(self.table.values())
        if self.names.kind[0] in "AEIO":
            text = re.sub(r"\b([Aa])(?=[-\s]\s*[`*]*(MyResource|myresource))", r"\1n", text)
        return self._pattern.sub(lambda match: new[(match.lastindex or 0) - 1], text)

    def renamed_links(self, text: str) -> str:
        """Return *text* with the new words in the targets of its links."""
        return re.sub(r"\]\([^)]*\)", lambda link: self.renamed(link[0]), text)


def rename(root: Path, names: Names) -> None:
    """Rename the clone in *root*, or raise NotRenamable."""
    for problem in [*_problems(root), *names.problems(Cluster.of(root)), *_changes(root)]:
        raise NotRenamable(problem)
    rename_files(root, _git(root, "ls-files", "-z").split("\0")[:-1], Words(names))
    if len(names.kind) > len("MyResource"):
        _allow_longer_lines(root / "pyproject.toml")


def rename_files(root: Path, paths: list[str], words: Words) -> None:
    """Rename what is in the files of *root* with these *paths*, and the files."""
    for path in paths:
        if path in REMOVED:
            (root / path).unlink()
        elif is_renamed(path):
            _rename(root, path, words)


def _problems(root: Path) -> Iterator[str]:
    """Yield why the clone in *root* can't be renamed to anything, and the remedy."""
    present = re.findall(r'^KIND = "(\w+)"$', (root / NAMES).read_text(), re.MULTILINE)
    if present != ["MyResource"]:
        yield f"its kind is {', '.join(present)} already, see {NAMES}; rename a fresh clone of the original"


def _changes(root: Path) -> Iterator[str]:
    """Yield why renaming would mix with other changes, and the remedy."""
    if _git(root, "status", "--porcelain"):
        yield "files are changed or new, see git status; commit, stash or remove them"


def is_renamed(path: str) -> bool:
    """Tell whether the file with this path has words of the operator."""
    return any(fnmatch(path, each) for each in OF_THE_OPERATOR) or not any(fnmatch(path, each) for each in LEFT_ALONE)


def _rename(root: Path, path: str, words: Words) -> None:
    """Rename what is in a file, and the file, which keeps its mode."""
    old, new = root / path, root / words.renamed(path)
    try:
        text = old.read_bytes().decode()
    except UnicodeDecodeError:  # no text, so none of the words
        return
    renamed = words.renamed_links(text) if path in ONLY_LINKS else words.renamed(text)
    if renamed != text:
        old.write_bytes(renamed.encode())
    if new != old:
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)


def _allow_longer_lines(settings: Path) -> None:
    """Let comments and texts, which were wrapped for a shorter kind, be longer than lines of code."""
    ignored = "ignore = [\n"
    longer = f'{ignored}    "E501",    # comments and texts were wrapped for a shorter kind\n'
    settings.write_text(settings.read_text().replace(ignored, longer, 1))


def _git(root: Path, *arguments: str) -> str:
    ended = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if ended.returncode:
        message = f"git {arguments[0]} says: {ended.stderr.strip()}; rename a clone of the repository"
        raise NotRenamable(message)
    return ended.stdout


def _generate(root: Path) -> None:
    """Make anew what follows from the names: the environment, the format, what is generated, the golden files."""
    for folder in (".venv", "build"):  # they have the commands of the old names
        shutil.rmtree(root / folder, ignore_errors=True)
    subprocess.run(["make", "--no-print-directory", "format", "generate"], cwd=root, check=True)
    golden = [".venv/bin/pytest", "-q", "-n", "0", "tests/chart/test_rendered.py", "tests/docs/test_consoles.py"]
    golden += ["tests/recorded/test_traffic.py::test_a_recorded_request_gets_the_answer_recorded"]
    subprocess.run([*golden, "--update-golden"], cwd=root, check=True)
    _git(root, "add", "--all")


SAID = """
Renamed, and staged for a commit:
- the kind {names.kind} of {names.group}: {names.plural}, for kubectl also {names.short}
- the command {names.singular}
- the chart, the image and the distribution {names.name}
See it with: git diff --cached -M --stat. Then commit it, and run: make check demo test

What the names do not say, and you set:
- the registry of the image: image.repository in charts/{names.name}/values.yaml, and registry.example.com in the pages
- the contact for vulnerabilities: security@{names.group} in SECURITY.md
- the maintainers and the URL of the source: charts/{names.name}/Chart.yaml, pyproject.toml, release/provenance.py
- the licence, and a first section of yours in CHANGELOG.md, which tells the releases under the old names
How to merge later releases: docs/contributing/make-it-yours.md
"""


def main(variables: list[str]) -> None:
    """Rename this clone, with the *variables* of make, such as KIND=WebApp."""
    given = dict(each.split("=", 1) for each in variables if "=" in each)
    try:
        names = Names.of(**{name: given.get(name.upper(), "") for name in Names.__match_args__})
        rename(ROOT, names)
    except NotRenamable as error:
        sys.exit(f"Nothing is renamed: {error}.")
    try:
        _generate(ROOT)
    except subprocess.CalledProcessError as error:
        sys.exit(f"{' '.join(error.cmd)} fails, see above. To undo all: git reset --hard && git clean -d --force")
    print(SAID.format(names=names))


if __name__ == "__main__":
    main(sys.argv[1:])
