"""The mistakes to plant: there are enough, everywhere, and each can be planted and has folders of tests that run."""

import ast
from pathlib import Path

import pytest
import yaml

from tests.support.by_rule import RuleMade, of_module
from tests.support.mistakes import ROOT, all_mistakes


def test_there_are_300_in_all_packages_and_each_can_be_planted_and_has_tests() -> None:
    packages = {file.parent for half in ("app", "metahook/src") for file in (ROOT / half).rglob("*.py")}
    without = packages - {(ROOT / mistake.file()).parent for mistake in all_mistakes()}

    assert len({mistake.id for mistake in all_mistakes()}) == len(all_mistakes()) >= 300
    assert {package.name for package in without if "templates" not in package.parts} == set()
    for mistake in all_mistakes():
        source = (ROOT / mistake.file()).read_text(encoding="utf-8")
        assert mistake.old in source != mistake.planted(source), mistake.id
        ast.parse(mistake.planted(source), filename=mistake.id)
        assert mistake.tests, mistake.id
        assert all((ROOT / test).exists() for test in mistake.tests), mistake.id


@pytest.mark.parametrize(
    ("rule", "right", "wrong"),
    [
        ("operand", "a and b and c", ["(b and c)", "(a and c)", "(a and b)"]),
        ("operand", "a or (b := c)", ["((b := c))"]),
        ("comparison", "a <= b in c", ["(a < b in c)", "(a <= b not in c)"]),
        ("not", "f(é, not a)", ["f(é, a)"]),
        ("number", "(é, -2, 17, True)", ["(é, -3, 17, True)"]),
        ("branches", "a if b else c", ["(c if b else a)"]),
        ("opposite", "min(any(a))", ["max(any(a))", "min(all(a))"]),
        ("argument", "g(a, b=0, c=1, d=2)", ["(g(a, b=0, d=2))"]),
        ("guard", "if a: return", ["if False: return"]),
        ("guard", "if (a := b): return", []),
        ("not", "assert not a", []),
        ("number", "log.info(a, 1)", []),
        ("number", "a: B[1] = c", []),
    ],
)
def test_a_rule_makes_each_of_its_mistakes(rule: str, right: str, wrong: list[str]) -> None:
    made = of_module(Path("a.py"), f"def f():\n    {right}\n", {("g", "b"): "0", ("g", "c"): "0"})
    planted = [mistake.planted(f"def f():\n    {right}\n") for mistake in made if mistake.rule == rule]
    assert sorted(planted) == sorted(f"def f():\n    {each}\n" for each in wrong)


def test_each_made_by_rule_that_survives_has_a_reason() -> None:
    found, reasons = (
        yaml.safe_load((ROOT / f"tests/support/{name}.yaml").read_text()) for name in ("mistakes-result", "survivors")
    )
    survivors = {
        mistake.id for mistake in all_mistakes() if isinstance(mistake, RuleMade) and found.get(mistake.id) == []
    }
    assert survivors == reasons.keys()
