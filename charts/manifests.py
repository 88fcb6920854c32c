"""Generates ``metacontroller/``, the manifests for an installation without Helm, from the chart: ``make generate``."""

import re
from pathlib import Path

from charts.rendering import RELEASE, rendered
from charts.version import VERSION

FOLDER = Path(__file__).parent.parent / "metacontroller"
MADE = "# Generated from charts/myresource-operator by: make generate\n"
HELM_LABELS = re.compile(r"^ +(helm\.sh/chart|app\.kubernetes\.io/managed-by): .*\n", re.MULTILINE)

NAMESPACE = f"""\
apiVersion: v1
kind: Namespace
metadata:
  name: {RELEASE}
  labels:
    pod-security.kubernetes.io/enforce: restricted
"""

KUSTOMIZATION = """\
# Installs the operator behind an existing Metacontroller: kubectl apply --server-side -k metacontroller
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources:
  - ../crds
{resources}
images:
  - name: myresource-operator # the image that you built; set newName and newTag to where you pushed it
    newTag: {version}
"""


def manifests() -> dict[str, str]:
    """Return the contents of the files, by name."""
    values = {"crds": {"enabled": False}}  # kustomize reads it from crds/
    texts = {path: text for path, text in rendered(values).items() if path.endswith(".yaml") and "/" not in path}
    made = {"namespace.yaml": NAMESPACE} | {path: _without_helm_labels(text) for path, text in texts.items()}
    resources = "\n".join(f"  - {name}" for name in made)
    made["kustomization.yaml"] = KUSTOMIZATION.format(resources=resources, version=VERSION)
    return {name: MADE + text for name, text in made.items()}


def _without_helm_labels(text: str) -> str:
    """Return *text* without the labels that only Helm sets."""
    return HELM_LABELS.sub("", text).strip() + "\n"


def main() -> None:
    """Write the files, and remove those that are no longer generated."""
    made = manifests()
    for old in FOLDER.glob("*.yaml"):
        if old.name not in made:
            old.unlink()
    for name, text in made.items():
        (FOLDER / name).write_text(text)
    print(f"{FOLDER.name}: {len(made)} files")


if __name__ == "__main__":
    main()
