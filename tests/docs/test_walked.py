"""The tests on a control plane run every command of some pages that is not listed here."""

import ast

from tests.docs.commands import commands
from tests.docs.documents import ROOT

PAGES = (
    *(f"docs/clusters/{name}.md" for name in ("install", "operate", "upgrade", "scale", "tls")),
    *("docs/contributing/hook-on-your-laptop.md", "SECURITY.md"),
)
RUN_BY = ("tests/e2e/test_chart.py", "tests/e2e/test_laptop.py", "tests/e2e/test_outage.py")

NOT_RUN = {
    "openssl ": "tests/docs/test_secure.py runs it",
    "mkdir -p certs": "the same",
    "chmod 600 certs": "the same",
    ".venv/bin/myresource serve ": "the same",
    "python3 -m venv ": "tests/e2e/test_upgrade.py installs both versions",
    "/tmp/new/bin/": "the same",  # noqa: S108 - the page has it
    "/path/to/": "it needs another version",
    ".venv/bin/myresource replay ": "the same",
    "version=$(make version)": "tests/release/test_version.py runs it",
    "sed -i.bak ": "the same",
    "make deploy ": "tests/docs/test_install_script.py runs it, with programs that log",
    "docker ": "no image is built here; make kind builds it",
    "kind ": "make kind runs it",
    "helm rollback ": "tests/e2e/test_upgrade.py runs it",
    "helm test ": "no container runs here; make kind runs it",
    "helm install metacontroller ": "the test runs Metacontroller's binary and CRDs; make kind runs this",
    "helm install metacontroller-1 ": "tests/e2e/test_shards.py runs Metacontroller's binary with its selector",
    "helm upgrade metacontroller ": "the same",
    "helm uninstall metacontroller ": "the same",
    "helm show crds ": "the same",
    "helm upgrade myresource-operator charts/myresource-operator"
    " --namespace myresource-operator --reset-then-reuse-values --set shards=2": "tests/e2e/test_shards.py has shards",
    "kubectl label --overwrite myresource web mygroup.example.com/shard=1": "tests/e2e/test_shards.py sets the label",
    "helm upgrade myresource-operator charts/myresource-operator"
    " --namespace myresource-operator --reset-then-reuse-values --set maxBody=": "test_refused.py accepts it",
    "kubectl get statefulsets,": "it looks for Metacontroller, which the test starts",
    "kubectl config get-contexts": "it only lists",
    "helm get values ": "it only prints what the user has set",
    'kubectl apply --server-side -k "https://': "Metacontroller's manifests are not ours",
    "kubectl wait --for=condition=Ready myresources ": "it only waits",
    "kubectl get deployments,services,ingress,": "tests/e2e/test_apply_strategy.py does it to one, without jq",
    "kubectl -n myresource-operator create secret generic ": "tests/docs/test_pages.py compares them",
    "helm upgrade myresource-operator charts/myresource-operator"
    " --namespace myresource-operator --reset-then-reuse-values --set tls.mode=secret": "test_pages.py renders it",
    "helm template": "it is part of a sentence; tests/chart renders",
    "kubectl apply -k": "it is part of a sentence",
}
"""Reasons for not running a command, by its first words."""


def run_commands() -> set[str]:
    """Return the commands in the tests."""
    sources = [ast.parse((ROOT / file).read_text()) for file in RUN_BY]
    texts = [node.value for source in sources for node in ast.walk(source) if isinstance(node, ast.Constant)]
    return {text for text in texts if isinstance(text, str) and text.startswith(("helm ", "kubectl ", "uid="))}


def test_every_command_of_the_pages_is_run_or_has_a_reason_and_every_run_command_is_in_a_page() -> None:
    shown = {command for page in PAGES for command in commands(page)}
    left = shown - run_commands()

    assert {command for command in left if not command.startswith(tuple(NOT_RUN))} == set()
    assert [words for words in NOT_RUN if not any(command.startswith(words) for command in left)] == []
    assert run_commands() - shown == set()
