"""The page about scenarios: its scenario meets its expectations."""

import re
from pathlib import Path

from tests.docs.documents import ROOT, printed

PAGE = "docs/reference/scenarios.md"
TEXT = (ROOT / PAGE).read_text()


def test_the_scenario_of_the_page_meets_its_expectations(tmp_path: Path) -> None:
    (told,) = re.findall(r"^```yaml\n(.*?)^```$", TEXT, re.DOTALL | re.MULTILINE)

    for mode in ("dynamic-apply", "server-side-apply"):
        file = tmp_path / "scenario.yaml"
        file.write_text(told)
        output = printed(f".venv/bin/myresource simulate --apply-strategy {mode} --scenario {file}")

        assert "Quiet" in output or "Stopped" in output
        assert "not met" not in output
        assert "Failed:" not in output
