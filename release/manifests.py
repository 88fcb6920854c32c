"""The manifests of a release, for ``kubectl apply --server-side -f``."""

from pathlib import Path

import yaml

from release.chart import name_image
from release.source import Source

_HEAD = """\
# MyResource operator {version}. It needs Metacontroller 4.17.2 or later.
# kubectl apply --server-side -f install.yaml
"""


def build(source: Source, folder: Path) -> None:
    """Write ``crds.yaml``, and ``install.yaml`` with all objects of ``metacontroller/``."""
    name_image(source, folder)
    crds = _resources(source.root / "crds")
    everything = [text for path in ("../crds", ".") for text in _resources(source.root / "metacontroller" / path)]
    head = _HEAD.format(version=source.version)
    (folder / "crds.yaml").write_text(_joined(crds))
    (folder / "install.yaml").write_text(head + _joined(everything))


def _resources(folder: Path) -> list[str]:
    """Return the manifests that the kustomization in *folder* lists, without those of other folders."""
    listed = yaml.safe_load((folder / "kustomization.yaml").read_text())["resources"]
    return [(folder / name).read_text() for name in listed if name.endswith(".yaml")]


def _joined(manifests: list[str]) -> str:
    return "---\n".join(manifests)
