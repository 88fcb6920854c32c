"""Each alert fires when it should and not when it should not: promtool runs ``cases.py``."""

import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.monitoring.cases import CASES, RULES
from tests.monitoring.test_examples import CONFIG_TEXT
from toolkit.programs import find_or_skip

pytestmark = pytest.mark.tools


def promtool(*arguments: str | Path) -> str:
    """Return what promtool prints; nothing if it succeeds."""
    command = [find_or_skip("promtool"), *arguments]
    ended = subprocess.run(command, capture_output=True, text=True, check=False)
    return "" if ended.returncode == 0 else ended.stdout + ended.stderr


def judged(folder: Path, rules: dict[str, Any]) -> str:
    """Return what promtool prints about the cases with these *rules*, by alert; nothing if all pass."""
    named, tests = folder / "alerts.yaml", folder / "tests.yaml"
    named.write_text(yaml.safe_dump({"groups": [{"name": "all", "rules": list(rules.values())}]}))
    tests.write_text(yaml.safe_dump({"rule_files": [str(named)], "tests": [case.test for case in CASES]}))
    return promtool("test", "rules", tests)


def test_each_alert_fires_when_it_should_and_only_then(tmp_path: Path) -> None:
    assert judged(tmp_path, RULES) == ""


@pytest.mark.parametrize(("expr", "fires"), [("vector(0) > 1", True), ("vector(1)", False)], ids=["never", "always"])
def test_an_alert_that_never_or_always_fires_would_be_found(tmp_path: Path, expr: str, *, fires: bool) -> None:
    report = judged(tmp_path, {name: {**rule, "expr": expr} for name, rule in RULES.items()})

    for case in CASES:
        assert (case.title in report) or (case.labels is not None) is not fires


def test_the_configuration_of_the_example_is_valid(tmp_path: Path) -> None:
    file = tmp_path / "prometheus.yml"
    file.write_text(CONFIG_TEXT)

    assert promtool("check", "config", "--syntax-only", file) == ""
    file.write_text(CONFIG_TEXT.replace("dns_sd_configs", "dns_configs"))
    assert promtool("check", "config", "--syntax-only", file)
