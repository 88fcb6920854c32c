"""YAML is read as kubectl reads it; aliases and nesting beyond the limits are refused before a value is built."""

import pytest

from metahook.cli.errors import MAX_DEPTH, DocumentError
from metahook.cli.files import yaml_documents
from metahook.cli.files.yaml_documents import load_yaml
from toolkit.bad_files import tenfold


def test_aliases_within_the_limit_repeat_their_values() -> None:
    assert load_yaml("a: &a {x: [1]}\nb: [*a, *a]") == [{"a": {"x": [1]}, "b": [{"x": [1]}, {"x": [1]}]}]
    assert load_yaml(tenfold(4))
    with pytest.raises(DocumentError):
        load_yaml(tenfold(6))


def test_values_without_aliases_do_not_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yaml_documents, "MAX_ALIASED", 10)

    assert load_yaml("[" + "a," * 20 + "]") == [["a"] * 20]
    with pytest.raises(DocumentError):
        load_yaml("a: &a [" + "a," * 20 + "]\nb: *a")


@pytest.mark.parametrize(("levels", "read"), [(MAX_DEPTH, True), (MAX_DEPTH + 1, False)])
def test_nesting_is_read_down_to_the_limit(levels: int, *, read: bool) -> None:
    text = "[" * levels + "]" * levels

    if read:
        assert len(load_yaml(text)) == 1
    else:
        with pytest.raises(DocumentError, match="levels deep"):
            load_yaml(text)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(
            "{1: a, true: b, 1.5: c, d: e}", {"1": "a", "true": "b", "1.5": "c", "d": "e"}, id="1 is true in Python"
        ),
        pytest.param(
            "{a: &a {x: 1, z: 2}, b: {<<: *a, z: 3}}", {"a": {"x": 1, "z": 2}, "b": {"x": 1, "z": 3}}, id="<<"
        ),
        pytest.param("{a: &a {z: 2}, b: {z: 3, <<: *a}}", {"a": {"z": 2}, "b": {"z": 2}}, id="<< below"),
        pytest.param("{a: &a {1: x}, b: {<<: *a}}", {"a": {"1": "x"}, "b": {"1": "x"}}, id="a number merged by <<"),
        pytest.param(
            "{1e6: a, 999999.0: b}", {"1e+06": "a", "999999": "b"}, id="a million is the first with an exponent"
        ),
        pytest.param("? &key a\n: *key", {"a": "a"}, id="a key repeated by an alias"),
        pytest.param("[yes, On, n]", [True, True, False], id="booleans of YAML 1.1"),
        pytest.param("[=, 12:30, 2026-01-31, 1e999]", ["=", "12:30", "2026-01-31", "1e999"], id="words"),
        pytest.param("[0x10, 017, 08, 0o17, 1e3, 3.0]", [16, 15, 8, 15, 1000, 3], id="numbers"),
        pytest.param("[100000000000000000000]", [1e20], id="a large number"),
        pytest.param("[!!set {a}, !!binary aGk=, !mine 5]", [{"a": None}, "hi", "5"], id="tags"),
        pytest.param("!!python/object/apply:os.getcwd []", [], id="a tag that would run code"),
    ],
)
def test_scalars_and_keys_are_read_as_kubectl_does(text: str, found: object) -> None:
    assert load_yaml(text) == [found]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("{a: 1, a: 2}", "line 1: key 'a' is repeated; remove one"),
        ('{1: a, "1": b}', "key '1' is repeated"),
        ("? [a]\n: b", "a key is not a string; quote it"),
        ("~: b", "a key is not a string; quote it"),
        ("!!binary a", "a !!binary that is not text in Base64"),
        ("!!timestamp today", "a value that is not of its type"),
        ("a: .inf", "line 1: a number that JSON does not have"),
        ("!!float .inf", "a number that JSON does not have"),
        ('"\\ud83d"', "half of a character"),
        ('"\\ud83d": 1', "half of a character"),
        ("a: 1\nb: !!bool maybe", "line 2: a value that is not of its type"),
        ("!!int ''", "a value that is not of its type"),
        ("!!int many", "a value that is not of its type"),
        ("a: 1\nb: \x00", "line 2: a control character; remove it"),
    ],
)
def test_text_that_is_not_json_in_yaml_is_refused_with_its_line(text: str, words: str) -> None:
    with pytest.raises(DocumentError) as raised:
        load_yaml(text)

    assert words in str(raised.value)
