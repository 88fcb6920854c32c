"""Text for a terminal or a log."""

import pytest

from metahook.protocol.objects import printable


@pytest.mark.parametrize(
    ("text", "printed"),
    [
        pytest.param("web\x1b[2J\nforged", "web?[2J?forged", id="control characters"),
        pytest.param("web-deployment, Ü", "web-deployment, Ü", id="letters of any language"),
        pytest.param("a\u202eb\u2028c", "a?b?c", id="direction and line of Unicode"),
    ],
)
def test_control_characters_are_replaced(text: str, printed: str) -> None:
    assert printable(text) == printed
