"""The pages about trying and simulating: their commands print what they say, tables are those of the code."""

import re
from pathlib import Path

import pytest

from tests.docs.documents import ROOT, Console, consoles, printed

PAGE = "docs/reference/scenarios.md"
PAGES = ["docs/apps/simulate.md", "docs/start/try-it.md"]
TEXT = (ROOT / PAGE).read_text()


@pytest.mark.parametrize("block", [block for page in PAGES for block in consoles(page)], ids=str)
def test_a_command_of_the_page_prints_what_the_page_says(block: Console) -> None:
    assert printed(block.command) == block.output


def test_the_scenario_of_the_page_meets_its_expectations(tmp_path: Path) -> None:
    (told,) = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)

    for mode in ("dynamic-apply", "server-side-apply"):
        file = tmp_path / "scenario.yaml"
        file.write_text(told)
        output = printed(f".venv/bin/myresource simulate --apply-strategy {mode} --scenario {file}")

        assert "Quiet" in output or "Stopped" in output
        assert "not met" not in output
        assert "Failed:" not in output
