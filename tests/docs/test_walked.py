"""Every command of the pages that install and operate is typed by tests/e2e/test_chart.py, or is listed here."""

import ast

import pytest

from tests.docs.commands import commands
from tests.documents import ROOT

PAGES = ("docs/install.md", "docs/operate.md")

NOT_TYPED = {
    "docker ": "no image is built",
    "kind ": "no image is built",
    "helm test ": "no container runs: what its Pod runs, tests/chart/test_hook.py runs",
    "helm install metacontroller ": "Metacontroller's chart is not ours: its binary runs, and its CRDs are applied",
    "helm upgrade metacontroller ": "the same",
    "helm uninstall metacontroller ": "the same",
    "helm show crds ": "the same",
    "kubectl get statefulsets,": "it looks for that installation",
    'kubectl apply --server-side -k "https://': "it is made by that installation",
    "kubectl wait --for=condition=Ready myresources ": "it changes nothing",
    "kubectl get deployments,services ": "tests/e2e/test_apply_strategy.py does the same to one MyResource, without jq",
    "kubectl rollout ": "it is named in a sentence; tests/e2e/test_apply_strategy.py does it",
    "kubectl edit": "the same",
    "helm template": "it is named in a sentence; tests/chart renders",
}
"""Why a command that begins like this is not typed."""


def typed() -> set[str]:
    """Return the texts in the test that begin as commands do."""
    source = ast.parse((ROOT / "tests/e2e/test_chart.py").read_text())
    texts = [node.value for node in ast.walk(source) if isinstance(node, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and text.startswith(("helm ", "kubectl ", "uid="))}


def told() -> set[str]:
    return {command for page in PAGES for command in commands(page)}


def test_every_command_is_run_or_has_a_reason() -> None:
    left = told() - typed()

    assert {command for command in left if not command.startswith(tuple(NOT_TYPED))} == set()


def test_every_run_command_is_in_a_page() -> None:
    assert typed() - told() == set()


@pytest.mark.parametrize("start", NOT_TYPED)
def test_every_reason_matches_a_command(start: str) -> None:
    assert any(command.startswith(start) for command in told() - typed())
