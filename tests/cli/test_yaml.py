"""YAML is read as kubectl reads it, and what nobody could read to its end is refused before it is built."""

from pathlib import Path

import pytest

from app.cli.errors import NotYaml
from app.cli.files.aliases import MOST
from app.cli.files.kubectl_yaml import parsed
from app.cli.files.nesting import DEEPEST
from tests.cli.calling import assert_one_line, call

READERS = [
    pytest.param(["render", "-f", "FILE"], id="render"),
    pytest.param(["render", "-f", "examples/web.yaml", "--observed", "FILE"], id="render --observed"),
    pytest.param(["diff", "-f", "FILE", "--against", "examples/web.yaml"], id="diff"),
    pytest.param(["diff", "-f", "examples/web.yaml", "--against", "FILE"], id="diff --against"),
    pytest.param(["replay", "FILE"], id="replay"),
]
HEAD = "apiVersion: mygroup.example.com/v1alpha1\nkind: MyResource\n"


def tenfold(levels: int) -> str:
    """Return YAML that says ten to the power of *levels* values."""
    lines = ["x0: &x0 [a,a,a,a,a,a,a,a,a,a]"]
    lines += [f"x{n}: &x{n} [{','.join([f'*x{n - 1}'] * 10)}]" for n in range(1, levels)]
    return "\n".join(lines)


@pytest.mark.parametrize("arguments", READERS)
@pytest.mark.parametrize(
    ("text", "words"),
    [
        pytest.param(
            f"{HEAD}metadata: {{name: web}}\n{tenfold(9)}\n", ["aliases repeat more than", "write out"], id="a bomb"
        ),
        pytest.param(
            f"{HEAD}metadata: {{name: web}}\nspec: &a {{image: x, env: *a}}\n",
            ["line 4", "in itself", "remove it"],
            id="a spec in itself",
        ),
        pytest.param("&a\napiVersion: v1\nkind: List\nitems: [*a]\n", ["line 1", "in itself"], id="a List in itself"),
        pytest.param(f"{HEAD}metadata: {'[' * 500}{']' * 500}", ["levels deep"], id="too deep"),
        pytest.param('{"kind": ' + "[" * 500 + "]" * 500 + "}", ["levels deep"], id="too deep as JSON"),
        pytest.param(
            "\n".join([f"x{n}: &x{n} [*x{n - 1}]" if n else "x0: &x0 []" for n in range(300)]),
            ["levels deep"],
            id="deep by aliases",
        ),
    ],
)
def test_what_has_no_end_is_one_line(arguments: list[str], text: str, words: list[str], tmp_path: Path) -> None:
    file = tmp_path / "web.yaml"
    file.write_text(text)

    ended = call(*(str(file) if word == "FILE" else word for word in arguments))

    assert_one_line(ended, 2, f"{file}: not YAML or JSON: ", *words)


def test_aliases_within_bounds_say_what_they_repeat() -> None:
    assert parsed("a: &a {x: [1]}\nb: [*a, *a]") == [{"a": {"x": [1]}, "b": [{"x": [1]}, {"x": [1]}]}]
    assert parsed(tenfold(4))
    with pytest.raises(NotYaml):
        parsed(tenfold(6))


def test_a_long_file_without_aliases_is_read() -> None:
    (found,) = parsed("[" + "a," * (MOST + 10) + "]")

    assert isinstance(found, list)
    assert len(found) == MOST + 10


@pytest.mark.parametrize(("levels", "read"), [(DEEPEST, True), (DEEPEST + 1, False)])
def test_values_in_values_are_read_down_to_a_bound(levels: int, *, read: bool) -> None:
    text = "[" * levels + "]" * levels

    if read:
        assert len(parsed(text)) == 1
    else:
        with pytest.raises(NotYaml, match="levels deep"):
            parsed(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param("{1: a, true: b, 1.5: c, d: e}", None, id="1 is true in Python"),
        pytest.param("{1: a, 1.5: c, d: e}", {"1": "a", "1.5": "c", "d": "e"}, id="numbers as keys"),
        pytest.param("{true: a}", {"true": "a"}, id="a truth as a key"),
        pytest.param(
            "{a: &a {x: 1, y: 2}, b: {<<: *a, y: 3}}", {"a": {"x": 1, "y": 2}, "b": {"x": 1, "y": 3}}, id="<<"
        ),
        pytest.param("[=, .nan, .inf, 12:30, 2026-01-31]", ["=", ".nan", ".inf", "12:30", "2026-01-31"], id="words"),
        pytest.param("[0x10, 017, 1e3]", [16, 15, 1000.0], id="numbers"),
        pytest.param("[100000000000000000000]", [10**20], id="a large number"),
    ],
)
def test_words_and_keys_are_read_as_kubectl_does(text: str, found: object) -> None:
    if found is None:
        with pytest.raises(NotYaml, match="there twice"):
            parsed(text)
    else:
        assert parsed(text) == [found]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{a: 1, a: 2}", "line 1: key 'a' is there twice"),
        ('{1: a, "1": b}', "there twice"),
        ("? [a]\n: b", "a key is no text"),
        ("~: b", "a key is no text"),
        ("a: 1\nb: !!set {a}", "line 2: a tag such as !!set"),
        ("!!binary aGk=", "a tag such as"),
        ("!!timestamp 2026-01-31", "a tag such as"),
        ("!!python/object/apply:os.getcwd []", "a tag such as"),
        ("!mine 5", "a tag such as"),
        ("a: 1e999", "line 1: a number that JSON does not have"),
        ("!!float .inf", "a number that JSON does not have"),
        ('"\\ud83d"', "half of a character"),
        ("!!bool maybe", "unreadable"),
        ("!!int ''", "unreadable"),
        ("!!int many", "unreadable"),
        ("!!map [a]", "expected a mapping"),
        ("a: *b", "undefined alias"),
    ],
)
def test_what_json_can_not_say_is_refused(text: str, words: str) -> None:
    with pytest.raises(NotYaml) as raised:
        parsed(text)

    assert words in str(raised.value)
