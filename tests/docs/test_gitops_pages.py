"""The pages about Argo CD and Flux: their files exist, and what they show is in the files."""

import re
import shlex

import pytest
import yaml

from tests.docs.commands import commands
from tests.docs.documents import ROOT
from tests.health.test_examples import find


def files(page: str) -> set[str]:
    """Return the files that the commands and the sentences of *page* name."""
    words = [word for command in commands(page) for word in shlex.split(command)]
    named = re.findall(r"`(examples/[\w./-]+)`", (ROOT / page).read_text())
    return {word for word in [*words, *named] if word.startswith("examples/")}


@pytest.mark.parametrize("page", ["docs/argo-cd.md", "docs/flux.md"])
def test_the_files_that_the_page_names_exist(page: str) -> None:
    assert len(files(page)) >= 3
    assert [file for file in files(page) if not (ROOT / file).exists()] == []


def test_the_kustomization_of_the_page_is_the_one_of_the_example() -> None:
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", (ROOT / "docs/flux.md").read_text(), re.DOTALL | re.MULTILINE)

    shown = yaml.safe_load(block)["spec"]
    assert shown.items() <= find("Kustomization", "applications")["spec"].items()


def test_the_page_and_the_file_have_the_same_command() -> None:
    (command,) = (each for each in commands("docs/argo-cd.md") if each.startswith("kubectl patch"))

    assert f"#   {command}\n" in (ROOT / "examples/argo-cd/argocd-cm.yaml").read_text()
