"""The page about Argo CD and Flux: its files exist, and what it shows is in the files."""

import re

import yaml

from tests.docs.commands import commands
from tests.docs.documents import ROOT
from tests.health.test_examples import find

PAGE = "docs/clusters/gitops.md"


def test_the_kustomization_of_the_page_is_the_one_of_the_example() -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / PAGE).read_text(), re.DOTALL | re.MULTILINE)

    shown = yaml.safe_load(block)["spec"]
    assert shown.items() <= find("Kustomization", "applications")["spec"].items()


def test_the_page_and_the_file_have_the_same_command() -> None:
    (command,) = (each for each in commands(PAGE) if each.startswith("kubectl patch"))

    assert f"#   {command}\n" in (ROOT / "examples/argo-cd/argocd-cm.yaml").read_text()
