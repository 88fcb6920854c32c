"""The CEL of the tests is that of Kubernetes, also where cel-python by itself is not."""

from typing import Any

import pytest

from tests.support.rules import holds

PORTS = [{"name": "a", "port": 1}, {"port": "a"}]
TRUE: list[tuple[str, Any]] = [
    ("self == 0 || self == '0%'", "0%"),
    ("self != 0", "0"),
    ("!(self == '1')", 1),
    ("type(self.port) == int", PORTS[0]),
    ("type(self.port) != int", PORTS[1]),
    ("self.all(a, !has(a.name) || self.exists_one(b, has(b.name) && a.name == b.name))", PORTS),
    ("self.map(k, self[k].size()).sum() == 3", {"a": "x", "b": "xy"}),
    ("self.map(k, self[k].size()).sum() == 0", {}),
    ("self.size() == 2", "é😀"),
    ("!self.matches('^a$')", "a\n"),
    ("!self.matches('^[0-9]$')", "٣"),
    ("self.lowerAscii() == 'aé\u212a'", "Aé\u212a"),
    ("self.indexOf('/') == 2 && self.indexOf('x') == -1", "é😀/a/b"),
    ("isIP(self)", "::1.2.3.4"),
    ("!isIP(self)", "::ffff:1.2.3.4"),
    ("!isIP(self)", "fe80::1%eth0"),
    ("!isIP(self)", "1.2.3.04"),
    ("quantity(self).compareTo(quantity('1Gi')) == 0", "1024Mi"),
    ("quantity(self).compareTo(quantity('0.1')) == 0", "100m"),
    ("quantity(self).compareTo(quantity('1k')) > 0", "1Ki"),
    ("quantity(self).compareTo(quantity('1')) < 0", "999m"),
    ("quantity(self).compareTo(quantity('1000')) == 0", "1e3"),
    ("quantity(self).compareTo(quantity('-1')) > 0", "-.5"),
]
FALSE: list[tuple[str, Any]] = [
    ("self == '1'", 1),
    ("self.missing == 1", {}),
    ("self[0] == 'a'", []),
    ("quantity(self).compareTo(quantity('1')) == 0", "x"),
    ("self.size() == 1 && self.missing == 1", {"a": 1}),
]


@pytest.mark.parametrize(("rule", "value"), TRUE, ids=str)
def test_a_rule_holds(rule: str, value: Any) -> None:
    assert holds(rule, value)


@pytest.mark.parametrize(("rule", "value"), FALSE, ids=str)
def test_a_rule_that_is_wrong_or_fails_on_the_way_does_not_hold(rule: str, value: Any) -> None:
    assert not holds(rule, value)


QUANTITIES = ["0", "1", "1.", ".5", "-1", "+1", "1m", "1n", "1E", "1e3", "1E-3", "1Ki", "1.5Gi"]
NO_QUANTITIES = ["", "x", "1K", "1mi", "1 ", "1Gi1", "1e", "1e3Ki", "٣", "--1", "1.2.3"]


def test_a_quantity_is_what_kubernetes_calls_one() -> None:
    assert [text for text in QUANTITIES + NO_QUANTITIES if holds("isQuantity(self)", text)] == QUANTITIES
