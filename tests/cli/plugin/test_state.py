"""What the plugin concludes from the conditions of a MyResource."""

import pytest

from app.cli.plugin.tree import is_settled
from tests.cli.plugin.recorded import MYRESOURCE


@pytest.mark.parametrize(
    ("ready", "stalled", "settled"),
    [("True", "False", True), ("False", "True", False), ("False", "False", None), ("False", "Unknown", None)],
)
def test_a_condition_counts_only_if_it_is_true_and_of_this_spec(ready: str, stalled: str, settled: bool | None) -> None:  # noqa: FBT001 - a parameter of the test
    conditions = [{"type": "Ready", "status": ready}, {"type": "Stalled", "status": stalled}]
    item = {**MYRESOURCE, "status": {**MYRESOURCE["status"], "conditions": conditions}}

    assert is_settled(item) is settled
    assert is_settled({**item, "metadata": {**item["metadata"], "generation": 99}}) is None
