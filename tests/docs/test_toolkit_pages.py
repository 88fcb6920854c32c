"""What a page about the toolkit says about this repository; metahook/tests/docs has the other tests of these pages."""

import re

import yaml

from tests.docs.documents import ROOT


def test_the_workflow_of_the_page_has_the_inputs_of_the_action() -> None:
    action = yaml.safe_load((ROOT / ".github/actions/check/action.yml").read_text())
    page = (ROOT / "metahook/docs/metahook.md").read_text()
    (block,) = re.findall(r"^```yaml\n(.*?)^```$", page, re.DOTALL | re.MULTILINE)
    *_, used = yaml.safe_load(block)["steps"]

    assert used["with"].keys() == action["inputs"].keys()
