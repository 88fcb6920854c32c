"""YAML that asks for more memory or depth than a reader may give, and what is said about it."""

import pytest

HEAD = "apiVersion: example.com/v1\nkind: Widget\n"


def tenfold(levels: int) -> str:
    """Return YAML whose aliases repeat ten to the power of *levels* values."""
    lines = ["x0: &x0 [a,a,a,a,a,a,a,a,a,a]"]
    lines += [f"x{n}: &x{n} [{','.join([f'*x{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


BEYOND_THE_LIMITS = [
    pytest.param(
        f"{HEAD}metadata: {{name: web}}\n{tenfold(9)}\n",
        [":8: not YAML or JSON", "aliases repeat more than", "write the values out"],
        id="billion laughs",
    ),
    pytest.param(
        f"{HEAD}metadata: {{name: web}}\nspec: &a {{image: x, env: *a}}\n",
        [":4: not YAML or JSON", "a value that contains the alias", "remove it"],
        id="a spec that contains itself",
    ),
    pytest.param(
        "&a\napiVersion: v1\nkind: List\nitems: [*a]\n",
        [":4: not YAML or JSON", "contains the alias"],
        id="a List that contains itself",
    ),
    pytest.param(f"{HEAD}metadata: {'[' * 500}{']' * 500}", [":3: not YAML or JSON", "levels deep"], id="too deep"),
    pytest.param('{"kind": ' + "[" * 500 + "]" * 500 + "}", ["levels deep"], id="too deep as JSON"),
    pytest.param(
        "\n".join([f"x{n}: &x{n} [*x{n - 1}]" if n else "x0: &x0 []" for n in range(300)]),
        [":100: not YAML or JSON", "levels deep"],
        id="deep by aliases",
    ),
]
"""Texts, and the words with which they are refused."""
