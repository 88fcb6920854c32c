"""What a renamed clone is called, and which names it can't have."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_LABEL, _MAX_LABEL = re.compile("[a-z]([-a-z0-9]*[a-z0-9])?"), 63
_PART = "[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"
_DOMAIN, _MAX_DOMAIN = re.compile(f"{_PART}([.]{_PART})+"), 253
_OTHERS = ("k8s.io", "kubernetes.io", "example.com")
"""Domains in which no group of a team's can be."""
_MAX_KIND, _MAX_NAME = 30, 39
"""They leave room: the chart cuts names at 50 characters, with that of a release such as my-release- in front."""
_SHORT_NAMES = {
    *("all", "cc", "cj", "cm", "cr", "crd", "crds", "cs", "csr", "dec", "deploy", "ds", "ep", "ev", "gc", "gtw", "hpa"),
    *("ing", "limits", "netpol", "no", "ns", "pc", "pdb", "po", "pv", "pvc", "quota", "rc", "rs", "sa", "sc", "sts"),
    *("svc", "vac"),
}
"""Those of Kubernetes, of Metacontroller, and of the Gateway API."""
_LABELS = {"app", "component", "env", "environment", "instance", "name", "release", "role", "tier", "version"}
"""Keys of labels that many objects have, so that selectors of others would select Pods of the operator's."""
_COMMANDS = {"helm", "kubectl", "make", "metahook", "pip", "pytest", "python"}


@dataclass(frozen=True)
class Cluster:
    """The other *kinds* of a cluster with the operator, and the plural names of their *resources*, in lower case."""

    kinds: set[str]
    resources: set[str]

    @classmethod
    def of(cls, root: Path) -> "Cluster":
        """Return what Kubernetes and Metacontroller have, and what the chart in the clone *root* installs."""
        kinds_file = root / "metahook/src/metahook/simulator/apiserver/built_in_kinds.json"
        built_in = json.loads(kinds_file.read_text())["kinds"]
        others = {"ControllerRevision", "DecoratorController", "Gateway", "HTTPRoute"}
        for manifest in root.glob("charts/*/templates/*.yaml"):
            others |= set(re.findall(r"^kind: (\w+)$", manifest.read_text(), re.MULTILINE))
        resources = {plural for _, _, plural, *_ in built_in} | {plural_of(kind).lower() for kind in others}
        return cls({kind.lower() for kind in [*others, *(kind for _, kind, *_ in built_in)]}, resources)


@dataclass(frozen=True)
class Names:
    """What Kubernetes, pip and Helm know the operator by."""

    group: str
    kind: str
    plural: str
    short: str
    name: str

    @classmethod
    def of(cls, group: str = "", kind: str = "", plural: str = "", short: str = "", name: str = "") -> "Names":
        """Return the names; the kind decides those that are empty."""
        singular, initials = kind.lower(), "".join(word[:1] for word in snake(kind).split("_"))
        short = short or (initials if len(initials) > 1 else singular[: min(3, len(singular) - 1)])
        return cls(group, kind, plural or plural_of(kind).lower(), short, name or f"{singular}-operator")

    @property
    def singular(self) -> str:
        """What the command is called, and the label of all children."""
        return self.kind.lower()

    def problems(self, cluster: Cluster) -> Iterator[str]:
        """Yield why the operator can't have these names in *cluster*, each with the remedy."""
        yield from self._problems_of_group()
        taken = {*cluster.kinds, *cluster.resources, *_SHORT_NAMES}
        yield from self._problems_of_kind(taken)
        yield from _problems_of_label("PLURAL", self.plural, _MAX_LABEL, {*taken, self.singular})
        yield from _problems_of_label("SHORT", self.short, _MAX_LABEL, {*taken, self.singular, self.plural})
        yield from _problems_of_label("NAME", self.name, _MAX_NAME, {"metahook"})

    def _problems_of_group(self) -> Iterator[str]:
        foreign = [domain for domain in _OTHERS if f".{self.group}".endswith(f".{domain}")]
        longest = f"resource.customizations.actions.{self.group}_{self.kind}"  # a key of Argo CD's ConfigMap
        if not _DOMAIN.fullmatch(self.group):
            yield f"GROUP={self.group} is not a domain in lower case with a dot; name one of yours, as in apps.acme.io"
        elif foreign:
            yield f"GROUP={self.group} is in {foreign[0]}; name a domain of yours, as in apps.acme.io"
        elif len(longest) > _MAX_DOMAIN:
            yield f"GROUP={self.group} is too long for keys with it; shorten it by {len(longest) - _MAX_DOMAIN}"

    def _problems_of_kind(self, taken: set[str]) -> Iterator[str]:
        if not re.fullmatch("[A-Z][A-Za-z0-9]*", self.kind):
            yield f"KIND={self.kind} is not in camel case; write it as in WebApp"
        elif len(self.kind) > _MAX_KIND:
            yield f"KIND={self.kind} is too long for names with it; take at most {_MAX_KIND} characters"
        elif self.singular in taken:
            yield f"KIND={self.kind} is a kind of Kubernetes or of what the operator uses; take another, as in WebApp"
        elif self.singular in _LABELS:
            yield f"KIND={self.kind} would give children the label {self.singular}, which others use; take another"
        elif self.singular in _COMMANDS:
            yield f"KIND={self.kind} would be called by {self.singular}, another command; take another"


def _problems_of_label(variable: str, name: str, most: int, taken: set[str]) -> Iterator[str]:
    if not _LABEL.fullmatch(name) or len(name) > most:
        yield f"{variable}={name} is no DNS label of at most {most} characters, such as webapps; set another one"
    elif name in taken:
        yield f"{variable}={name} is the name of something else; set another one"


def plural_of(word: str) -> str:
    """Return the English plural of *word*, as kubebuilder guesses it."""
    if re.search("[^aeiou]y$", word):
        return word[:-1] + "ies"
    return word + ("es" if re.search("(s|x|z|ch|sh)$", word) else "s")


def snake(kind: str) -> str:
    """Return *kind* in lower case, with underscores between its words."""
    return re.sub("(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind).lower()
