"""Makes a clone the operator of another kind: ``make rename GROUP=apps.acme.io KIND=WebApp``.

A table of words, applied to the contents and the paths of all tracked files; then ``make format generate``. What is left
alone: the toolkit but for its pages that show this operator, the example of the tutorials' MyResource, the licence, the
text of the changelog, and what is about renaming. It needs Python alone, and changes nothing if it refuses.

A renamed clone is not renamed again, since the words of a short name can be anybody's. Rename a fresh clone.
"""

import argparse
import json
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
NAMES = "app/api/values/names.py"
"""Where the clone has its names."""

LEFT_ALONE = (
    "metahook/*",
    "examples/hooks/myresource/*",  # the MyResource of the tutorials of controller-runtime, in another group
    "tests/docs/test_port.py",  # is about that
    "LICENSE",
    "requirements/*",
    "release/rename.py",
    "tests/release/test_rename.py",
    "docs/contributing/make-it-yours.md",
)
OF_THE_OPERATOR = ("metahook/docs/from-controller-runtime*.md", "metahook/docs/why-watch*.md")
"""The pages of the toolkit that show the commands and the statuses of this operator."""
ONLY_LINKS = ("CHANGELOG.md",)
"""It says what was released under the old names. Its links lead to pages that have the new ones."""
REMOVED = (".github/workflows/renamed.yml",)
"""Tests that a clone can be renamed."""

_LABEL = re.compile("[a-z]([-a-z0-9]*[a-z0-9])?")
_DOMAIN = re.compile("[a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)+")
_TAKEN_DOMAINS = ("k8s.io", "kubernetes.io", "example.com")
_SHORT_NAMES = (
    "all cm cj crd crds cs csr deploy ds ep ev hpa httproute ing limits netpol no ns pc pdb po psp pv pvc quota rc rs sa "
    "sc sts svc vac cc dec cr gtw hr"
)
"""Those of Kubernetes, Metacontroller and the Gateway API."""


class NotRenamable(Exception):
    """Raised before anything is changed. The message names the reason and the remedy."""


@dataclass(frozen=True)
class Names:
    """What Kubernetes, pip and Helm know the operator by."""

    group: str
    kind: str
    plural: str
    short: str
    name: str

    @classmethod
    def of(cls, group: str, kind: str, plural: str = "", short: str = "", name: str = "") -> "Names":
        """Return the names, of which the kind decides those that are empty."""
        singular, initials = kind.lower(), "".join(word[0] for word in snake(kind).split("_") if word)
        short = short or (initials if len(initials) > 1 else singular[: min(3, len(singular) - 1)])
        return cls(group, kind, plural or plural_of(kind).lower(), short, name or f"{singular}-operator")

    @property
    def singular(self) -> str:
        """The name of the command too, and of the label of all children."""
        return self.kind.lower()

    def problem(self, root: Path) -> str:
        """Return why the operator of the clone in *root* can't have these names, and the remedy; empty if it can."""
        kinds, plurals = _kinds(root)
        longest = f"resource.customizations.actions.{self.group}_{self.kind}"
        taken = next((domain for domain in _TAKEN_DOMAINS if f".{self.group}".endswith(f".{domain}")), None)
        problems = {
            f"GROUP={self.group} is no domain in lower case with a dot; name one that is yours, such as "
            "apps.acme.io": not _DOMAIN.fullmatch(self.group) or max(map(len, self.group.split("."))) > 63,
            f"GROUP={self.group} is in {taken}, which is not yours; name a domain that is, such as apps.acme.io": taken,
            f"GROUP={self.group} is too long by {len(longest) - 253} characters, for the key of Argo CD's "
            "settings that contains it": len(longest) > 253,
            f"KIND={self.kind} is not in camel case; write it as in WebApp": not re.fullmatch(
                "[A-Z][A-Za-z0-9]*", self.kind
            ),
            f"KIND={self.kind} has {len(self.kind)} characters; take at most 40, so that names with a suffix, such as "
            f"{self.singular}-operator-metrics, stay within 63": len(self.kind) > 40,
            f"KIND={self.kind} is a kind that clusters with this operator have already; take another, such as "
            f"Acme{self.kind}": self.kind.lower() in kinds,
            f"KIND={self.kind} is the name of the Python package and of a usual label; take another, such as "
            "WebApp": self.kind == "App",
            f"PLURAL={self.plural} is no label of DNS in lower case with at most 63 characters; write it as in "
            "webapps": not _LABEL.fullmatch(self.plural) or len(self.plural) > 63,
            f"PLURAL={self.plural} is also a resource, a kind or a short name of others; choose another with "
            "PLURAL=NAME": self.plural in plurals | kinds | {*_SHORT_NAMES.split()},
            f"PLURAL={self.plural} is the singular of KIND={self.kind}; choose another with PLURAL=NAME": self.plural
            == self.singular,
            f"SHORT={self.short} is no label of DNS in lower case with at most 63 characters; choose one with "
            "SHORT=NAME, as in wa": not _LABEL.fullmatch(self.short) or len(self.short) > 63,
            f"SHORT={self.short} is a resource, a kind or a short name that kubectl knows already; choose another with "
            "SHORT=NAME": self.short in plurals | kinds | {*_SHORT_NAMES.split(), self.singular, self.plural},
            f"NAME={self.name} is no label of DNS in lower case with at most 50 characters, to which the chart adds "
            "suffixes; choose another with NAME=NAME": not _LABEL.fullmatch(self.name) or len(self.name) > 50,
            f"NAME={self.name} is the toolkit's; choose another with NAME=NAME": self.name == "metahook",
        }
        return next((problem for problem, holds in problems.items() if holds), "")


@dataclass(frozen=True)
class Words:
    """The words of the clone, and what each becomes."""

    names: Names

    @cached_property
    def table(self) -> dict[str, str]:
        """The longer ones come first, of those that begin alike."""
        kind, one, many = self.names.kind, self.names.singular, self.names.plural
        return {
            "examples/hooks/myresource": "examples/hooks/myresource",
            "mygroup.example.com": self.names.group,
            "MyResources(?![a-z])": plural_of(kind),
            "MyResource": kind,
            "my_resources(?![a-z])": f"my_{snake(plural_of(kind))}",  # "my" keeps it apart from other identifiers
            "my_resource": f"my_{snake(kind)}",
            "MY_RESOURCE": f"MY_{snake(kind).upper()}",
            "MYRESOURCES(?![A-Z])": many.upper(),
            "MYRESOURCE": one.upper(),
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
        """Return *text* with the new words."""
        new = list(self.table.values())
        if self.names.kind[0] in "AEIO":
            text = re.sub(r"\b([Aa])(?=[ -][`*]*(MyResource|myresource))", r"\1n", text)
        return self._pattern.sub(lambda match: new[(match.lastindex or 0) - 1], text)

    def renamed_links(self, text: str) -> str:
        """Return *text* with the new words in the targets of its links."""
        return re.sub(r"\]\([^)]*\)", lambda link: self.renamed(link[0]), text)


def plural_of(word: str) -> str:
    """Return the English plural of *word*, as kubebuilder and controller-gen guess it."""
    if re.search("[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search("(s|x|z|ch|sh)$", word) else "s")


def snake(kind: str) -> str:
    """Return *kind* in lower case, with underscores between its words."""
    return re.sub("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind).lower()


def rename(root: Path, names: Names) -> None:
    """Rename the clone in *root*, or raise NotRenamable."""
    if problem := _problem(root) or names.problem(root):
        raise NotRenamable(problem)
    words = Words(names)
    for path in filter(None, _git(root, "ls-files", "-z").split("\0")):
        if path in REMOVED:
            (root / path).unlink()
        elif _is_renamed(path):
            _rename(root, path, words)
    if len(names.kind) > len("MyResource"):
        _allow_longer_lines(root / "pyproject.toml")


def _problem(root: Path) -> str:
    """Return why the clone in *root* can't be renamed, and the remedy; empty if it can."""
    present = re.search(r'^KIND = "(\w+)"$', (root / NAMES).read_text(), re.MULTILINE)
    if present is None or present[1] != "MyResource":
        kind = present[1] if present else "unknown"
        return f"its kind is {kind}, see {NAMES}; rename a fresh clone whose kind is still MyResource"
    if _git(root, "status", "--porcelain"):
        return "files are changed or new, see git status; commit, stash or remove them"
    return ""


def _is_renamed(path: str) -> bool:
    return any(fnmatch(path, each) for each in OF_THE_OPERATOR) or not any(fnmatch(path, each) for each in LEFT_ALONE)


def _rename(root: Path, path: str, words: Words) -> None:
    """Rename what is in a file, and the file, which keeps its mode."""
    old, new = root / path, root / words.renamed(path)
    try:
        text = old.read_bytes().decode()
    except UnicodeDecodeError:  # what is no text has none of the words
        return
    renamed = words.renamed_links(text) if path in ONLY_LINKS else words.renamed(text)
    if renamed != text:
        old.write_bytes(renamed.encode())
    if new != old:
        new.parent.mkdir(parents=True, exist_ok=True)
        old.rename(new)


def _allow_longer_lines(settings: Path) -> None:
    """Let comments and texts, which were wrapped for a shorter kind, be longer than the formatter's lines."""
    longer = "[tool.ruff.lint.pycodestyle]\nmax-line-length = 320  # comments were wrapped for a shorter kind\n\n"
    settings.write_text(re.sub(r"^(?=\[tool.ruff.lint.pydocstyle\])", longer, settings.read_text(), flags=re.MULTILINE))


def _kinds(root: Path) -> tuple[set[str], set[str]]:
    """Return the kinds that clusters with this operator have, in lower case, and their plurals: of Kubernetes, of
    Metacontroller, and of what the chart can install.
    """
    built_in = json.loads((root / "metahook/src/metahook/simulator/apiserver/built_in_kinds.json").read_text())["kinds"]
    kinds = {kind.lower() for _, kind, *_ in built_in} | {"httproute", "gateway", "decoratorcontroller"}
    for template in root.glob("charts/*/templates/*.yaml"):
        kinds |= {kind.lower() for kind in re.findall(r"^kind: (\w+)$", template.read_text(), re.MULTILINE)}
    return kinds, {plural for _, _, plural, *_ in built_in} | {plural_of(kind) for kind in kinds}


def _git(root: Path, *arguments: str) -> str:
    ended = subprocess.run(["git", *arguments], cwd=root, capture_output=True, text=True, check=False)
    if ended.returncode:
        message = f"git {arguments[0]} fails here; rename a clone of the repository: {ended.stderr.strip()}"
        raise NotRenamable(message)
    return ended.stdout


def _generate(root: Path) -> None:
    """Make anew what follows from the names: the environment, the format, what is generated, and the golden files."""
    shutil.rmtree(root / ".venv", ignore_errors=True)  # has the commands of the old names
    shutil.rmtree(root / "build", ignore_errors=True)
    subprocess.run(["make", "--no-print-directory", "format", "generate"], cwd=root, check=True)
    golden = [".venv/bin/pytest", "-q", "-n", "0", "tests/chart/test_rendered.py", "--update-golden"]
    subprocess.run(golden, cwd=root, check=False, stdout=subprocess.DEVNULL)
    subprocess.run([*golden[:-1]], cwd=root, check=True)
    _git(root, "add", "--all")


LEFT_TO_YOU = """
Renamed and staged: {names.kind} in {names.group}, with the command {names.singular}, the short name {names.short}, and {names.name}.
Look at it with: git diff --cached --stat
Then run: make check test demo
What the names do not say, and is yours to set:
- the registry of the image: image.repository in charts/{names.name}/values.yaml, and registry.example.com in pages
- the address for reports: security@{names.group} in SECURITY.md
- the maintainers, and the URL of the source: Chart.yaml, pyproject.toml, _PLACEHOLDER in release/provenance.py
- the licence, and CHANGELOG.md, which tells the releases under the old names
docs/contributing/make-it-yours.md says how to commit it, so that you can merge later releases.
"""


def main() -> None:
    """Read the names, and rename this clone."""
    parser = argparse.ArgumentParser(prog="make rename")
    for name in ("group", "kind", "plural", "short", "name"):
        parser.add_argument(f"--{name}", default="")
    given = vars(parser.parse_args())
    try:
        if not given["group"] or not given["kind"]:
            message = "GROUP and KIND are needed: make rename GROUP=apps.acme.io KIND=WebApp"
            raise NotRenamable(message)
        names = Names.of(**given)
        rename(ROOT, names)
    except NotRenamable as error:
        sys.exit(f"Nothing is renamed: {error}.")
    _generate(ROOT)
    print(LEFT_TO_YOU.format(names=names))


if __name__ == "__main__":
    main()
