"""The card of the chart at Artifact Hub: what a release adds to Chart.yaml, from code, examples and changelog.

Source: Artifact Hub, "Helm annotations".
"""

import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from app.api.crd import crd
from release.source import UNRELEASED, Source

EXAMPLES = ("web", "service")


def card(source: Source, digest: str, docs_url: str) -> dict[str, Any]:
    """Return the fields for the chart of *source*, whose image has a *digest* if it is built, and whose pages a URL."""
    is_preview = "-dev." in source.version
    image = {"name": "hook", "image": f"{source.image}:{source.version}{digest and f'@{digest}'}"}
    platforms = {"platforms": source.platforms.split(",")} if source.platforms else {}
    changelog = (source.root / "CHANGELOG.md").read_text()
    examples = [yaml.safe_load((source.root / f"examples/{each}.yaml").read_text()) for each in EXAMPLES]
    annotations = {
        "category": "integration-delivery",
        "license": "Apache-2.0",
        "operator": "true",
        "prerelease": str(is_preview).lower(),
        "changes": _dumped([*_changes(changelog, UNRELEASED if is_preview else source.version)]),
        "crds": _dumped([_kind()]),
        "crdsExamples": _dumped(examples),
        "images": _dumped([{**image, **platforms}]),
    }
    home = re.sub("(/-)?/blob/HEAD/docs$", "", docs_url)
    logo = docs_url.replace("/blob/HEAD/docs", "/raw/HEAD/website/logo.svg")
    found = {"home": home, "sources": [home], "icon": logo} if docs_url else {}
    return {**found, "annotations": {f"artifacthub.io/{name}": text for name, text in annotations.items()}}


def pages_url(root: Path) -> str:
    """Return where the folder docs of the clone *root* is on the web; empty if that is not known."""
    return subprocess.run(
        [root / "release/docs_url.sh"], cwd=root, capture_output=True, text=True, check=True
    ).stdout.strip()


def _kind() -> dict[str, str]:
    made = crd()["spec"]
    (version,) = made["versions"]
    return {
        "kind": made["names"]["kind"],
        "version": version["name"],
        "name": crd()["metadata"]["name"],
        "displayName": made["names"]["kind"],
        "description": version["schema"]["openAPIV3Schema"]["description"],
    }


def _changes(changelog: str, section: str) -> Iterator[dict[str, str]]:
    """Yield the first sentence of each item in the *section*, without its Markdown."""
    found = changelog.partition(f"\n## {section}\n")[2].partition("\n## ")[0]
    for title, items in re.findall(r"^### (\w+)\n(.*?)(?=^### |\Z)", found, re.MULTILINE | re.DOTALL):
        for item in re.findall(r"^- (.*?)(?=^\S|^$|\Z)", items, re.MULTILINE | re.DOTALL):
            text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", " ".join(item.split()))
            yield {
                "kind": title.lower(),
                "description": re.split(r"\. (?=[A-Z])", re.sub("[`*]", "", text))[0].rstrip(".:"),
            }


def _dumped(value: object) -> str:
    return yaml.safe_dump(value, sort_keys=False, width=120, allow_unicode=True)
