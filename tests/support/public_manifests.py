"""Imports the Deployments of public repositories, each at a pinned commit, and judges what comes of them.

    python -m tests.support.public_manifests FOLDER    fetches what is not in FOLDER yet, about 500 MB

A clone of OWNER/NAME is in FOLDER/OWNER+NAME, or its git directory in FOLDER/OWNER+NAME/repo. A Deployment of several
containers is imported for the one in APPLICATIONS, or its first. What is left out is printed, and what an import loses
in silence, or names without a reason, by the judge of tests/cli/importing; of the latter there is none.
"""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import yaml

from app.cli.bound import problems
from app.cli.importing.comparison import Weight
from app.cli.importing.conversion import imported, in_apps_v1
from app.cli.importing.kubernetes import UnacceptableError, kind_of, stored
from tests.cli.importing.every_field import judge
from tests.requests.builders import Json

REPOSITORIES = {
    "Azure-Samples/aks-store-demo": ("7ce10c5110d6a52d3517dfb6d7a7b7b2edf2e5a5", ""),
    "GoogleCloudPlatform/kubernetes-engine-samples": ("2b5036514162a489145c5e5570bc320efbcb37bf", ""),
    "GoogleCloudPlatform/microservices-demo": ("34ffea9175946982c3088ed84994fe6019ad6e92", ""),
    "argoproj/argocd-example-apps": ("0d521c6e049889134f3122eb32d7ed342f43ca0d", ""),
    "istio/istio": ("86c9f01fd735fb01d8192f5bcaf0d424afb7f14c", "samples"),
    "kubeflow/manifests": ("009c88084074904c7743384ff50d3bd70012ef55", ""),
    "kubernetes/examples": ("279e8e4fe314f6cb7bc55fa3fbc21bbeaa48c0ea", ""),
    "microservices-demo/microservices-demo": ("9dff06fae4981921caec6a62393a6ebfce4b3e3f", ""),
    "prometheus-operator/kube-prometheus": ("4d719f1dea8853540b3823ab1fbe6be74a9953b3", ""),
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
    if (clone / "repo").exists():
        clone = clone / "repo"
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
        found = [each for each in yaml.load_all(text, yaml.CSafeLoader) if isinstance(each, dict)]
    except yaml.YAMLError:
        return []
    items = [item for each in found for item in (each.get("items") or [] if each.get("kind") == "List" else [each])]
    return [item for item in map(_readable, items) if item]


def _readable(item: Json) -> Json | None:
    """Return *item*, if it is of a kind that an import reads, and an API server takes it."""
    try:
        if item["kind"] == "Deployment" and item["apiVersion"].startswith(("apps/", "extensions/")):
            item = in_apps_v1(item)
            imported(item, [], ())
        is_read = bool(kind_of(item)) and bool(item["metadata"]["name"])
        return item if is_read and stored(item).spec else None
    except (KeyError, TypeError, UnacceptableError):
        return None


def main(folder: Path) -> None:
    """Print what is left out of each Deployment, how many are whole, and what is wrong with an import."""
    counts: Counter[str] = Counter()
    for repository in REPOSITORIES:
        for path, text in files(folder, repository):
            given = objects(text)
            for deployment in (each for each in given if each["kind"] == "Deployment"):
                names = [str(each["name"]) for each in deployment["spec"]["template"]["spec"]["containers"]]
                application = next((name for name in APPLICATIONS if name in names), names[0])
                others = [each for each in given if each["kind"] != "Deployment"]
                verdicts = judge(deployment, others, container=application)
                result, where = verdicts[0].result, f"{repository}/{path}: {deployment['metadata']['name']}"
                assert not result.my_resource or not problems(result.my_resource)
                counts["whole" if result.is_whole else "with something left out"] += 1
                for lost in result.said[Weight.LOST]:
                    print(f"{where}: {lost}")  # noqa: T201 - it says what it counted
                for verdict in verdicts:
                    counts["lost in silence"] += len(verdict.silent)
                    counts["false reasons"] += len(verdict.false)
                    for wrong in (*verdict.silent, *verdict.false):
                        print(f"{where}: WRONG: {wrong}")  # noqa: T201 - the same
    print(dict(counts))  # noqa: T201 - the same
    sys.exit(1 if counts["lost in silence"] or counts["false reasons"] else 0)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
