"""Imports the Deployments of public repositories, each at a pinned commit, and counts what comes of them.

    python -m tests.support.public_manifests FOLDER    fetches what is not in FOLDER yet, about 300 MB

A Deployment of several containers is imported for the one in APPLICATIONS, or its first. What is left out is printed.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from app.cli.files.validation import problems
from app.cli.importing.differences import Weight
from app.cli.importing.given import KINDS, shape_problem
from app.cli.importing.importing import imported
from tests.requests.builders import Json

REPOSITORIES = {
    "GoogleCloudPlatform/microservices-demo": ("34ffea9175946982c3088ed84994fe6019ad6e92", ""),
    "argoproj/argocd-example-apps": ("0d521c6e049889134f3122eb32d7ed342f43ca0d", ""),
    "istio/istio": ("86c9f01fd735fb01d8192f5bcaf0d424afb7f14c", "samples"),
    "kubernetes/examples": ("279e8e4fe314f6cb7bc55fa3fbc21bbeaa48c0ea", ""),
    "stefanprodan/podinfo": ("eec06d1ea459af4cb4e10e806f8be7c7bd58b361", ""),
}
"""Commits, and the folder that is read."""

APPLICATIONS = ("httpbin", "prometheus-server", "rabbitmq", "spire-server")


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-C", str(folder), *arguments]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode(errors="replace")


def files(folder: Path, repository: str) -> Iterator[tuple[str, str]]:
    """Yield the path and the text of each manifest without templates in *repository*, fetched into *folder*."""
    commit, where = REPOSITORIES[repository]
    clone = folder / repository.replace("/", "+")
    if not clone.exists():
        clone.mkdir(parents=True)
        git(clone, "init", "--quiet")
        git(clone, "fetch", "--quiet", "--depth=1", f"https://github.com/{repository}", commit)
    for path in git(clone, "ls-tree", "-r", "--name-only", commit, *([f"{where}/"] if where else [])).splitlines():
        if path.endswith((".yaml", ".yml", ".json")) and "{{" not in (text := git(clone, "show", f"{commit}:{path}")):
            yield path, text


def objects(text: str) -> list[Json]:
    """Return the Deployments in *text*, and what may belong to them; none if it is not YAML."""
    try:
        found = [each for each in yaml.safe_load_all(text) if isinstance(each, dict)]
    except yaml.YAMLError:
        return []
    items = [item for each in found for item in (each.get("items") or [] if each.get("kind") == "List" else [each])]
    return [item for item in items if item.get("kind") in KINDS and not shape_problem(item)]


def main(folder: Path) -> None:
    """Print what is left out of each Deployment, and how many are whole."""
    counts: Counter[str] = Counter()
    for repository in REPOSITORIES:
        for path, text in files(folder, repository):
            given = objects(text)
            for deployment in (each for each in given if each["kind"] == "Deployment"):
                names = [str(each["name"]) for each in deployment["spec"]["template"]["spec"]["containers"]]
                application = next((name for name in APPLICATIONS if name in names), names[0])
                result = imported(deployment, [each for each in given if each is not deployment], (application,))
                assert not result.my_resource or not problems(result.my_resource)
                counts["whole" if result.is_whole else "with something left out"] += 1
                for lost in result.said[Weight.LOST]:
                    print(f"{repository}/{path}: {deployment['metadata']['name']}: {lost}")  # noqa: T201 - it says what it counted
    print(dict(counts))  # noqa: T201 - the same


if __name__ == "__main__":
    main(Path(sys.argv[1]))
