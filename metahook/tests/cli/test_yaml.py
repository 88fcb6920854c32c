"""YAML is read as kubectl reads it; aliases and nesting beyond the limits are refused before a value is built.

What is wrong in a file is said in our own words, with the line where a person would look.
"""

import ast
import re
import traceback
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

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


EXAMPLES: list[tuple[str, int, str]] = [
    # Indentation.
    ("spec:\n  a: 1\n b: 2", 3, "wrong indentation: nothing above begins in column 2; align"),
    ("spec:\n  a: 1\n   b: 2", 3, "wrong indentation: a key below a value that is complete; align"),
    ("spec:\n  a: [1]\n   b: 2", 3, "wrong indentation: nothing above begins in column 4; align"),
    ("spec:\n  - a: 1\n   b: 2", 3, "wrong indentation: nothing above begins in column 4; align"),
    ("spec:\n  env:\n  - a: 1\n   - b: 2", 4, "wrong indentation: nothing above begins in column 4; align"),
    ("# about\n\nspec:\n    a: 1\n  # more\n\n  b: 2", 7, "wrong indentation: nothing above begins in column 3"),
    ("- a\nb: 1", 2, "an item of a list and a key at the same indentation; indent"),
    ("a: 1\n- b", 2, "an item of a list and a key at the same indentation; indent"),
    # Tabs.
    ("spec:\n\ta: 1", 2, "a tab where only spaces may be; replace it"),
    ("spec:\n  a: x\n\tb: 2", 3, "a tab where only spaces may be; replace it"),
    ("spec:\n  a: x\n\n\t", 4, "a tab where only spaces may be; replace it"),
    ("- a\n-\tb", 2, "a tab where only spaces may be; replace it"),
    ("a: |\t\n  x", 1, "a tab where only spaces may be; replace it"),
    # Keys and values.
    ("a: 1\nmemory 64Mi\nb: 2", 2, "a key without a colon and a space after it; write it as KEY: VALUE"),
    ("spec:\n  image:nginx\n  b: 2", 2, "a key without a colon and a space after it; write it as KEY: VALUE"),
    ("a: 1\nb\n", 2, "a key without a colon and a space after it; write it as KEY: VALUE"),
    ("a: 1\n'b', c: 2", 2, "a key without a colon and a space after it; write it as KEY: VALUE"),
    ("a: b: c", 1, "a colon and a space in a value; quote the value"),
    ("a: 1\nb: - c", 2, "an item of a list in the line of its key; put it into the next line"),
    ("a: ? b", 1, "a value can't begin with a question mark and a space; quote it"),
    ("a: 'b' c", 1, "text after a value that is complete; quote the whole value"),
    ("- 'b' c", 1, "text after a value that is complete; quote the whole value"),
    ("a: @b", 1, "a value can't begin with '@'; quote it"),
    ("a: %b", 1, "a value can't begin with '%'; quote it"),
    ("a: *", 1, "a value that begins with * is an alias; quote it if it is text"),
    ("a: *.example.com", 1, "a value that begins with * is an alias; quote it if it is text"),
    ("a: *b!", 1, "a value that begins with * is an alias; quote it if it is text"),
    ("a: *b", 1, "an alias without an anchor of that name above it; quote it if it is text"),
    ("a: & b", 1, "a value that begins with & is an anchor; quote it if it is text"),
    ("a: &b!", 1, "a value that begins with & is an anchor; quote it if it is text"),
    ("a: {{ .Values.a }}", 1, "a template of Helm; write what it becomes into a file, with helm template"),
    ("a: ]", 1, "a value is missing; write it, or quote it if it begins with a bracket or a comma"),
    # Brackets and quotes.
    ("a: [b,\n  c\nd: 1", 1, "a list in brackets that is not closed, or lacks a comma; look up to line 3"),
    ("a: {\n\tb: 1\n\tc: 2}", 1, "a map in brackets that is not closed, or lacks a comma"),
    ("x: 1\na: {b: c\n\n", 2, "a map in brackets that is not closed, or lacks a comma; look up to line 2"),
    ("a: 1\nb: [", 2, "a value is missing; write it, or quote it"),
    ("x: 1\na: 'b\nc: 1\n", 2, "a quote that is not closed before the document ends; close it"),
    ('a: "b\n...\nc"', 1, "a quote that is not closed before the document ends; close it"),
    ('a: "\\d"', 1, "a backslash in double quotes that begins no escape; write it twice, or use single quotes"),
    ('a: "\\xz"', 1, "an escape in double quotes without its hexadecimal digits; write the backslash twice"),
    ('a: "\\U0001F600"\nb: "\\UFFFFFFFF"', 2, "an escape in double quotes that is no character; write"),
    ("[a]\nb: 1", 2, "text after a value that is a whole document; indent it, or put --- above it"),
    # Blocks.
    *((f"a: {text}", 1, "after | or > only a digit, + or - may follow") for text in ("|0", "|+0", "|x", "| x")),
    # Tags.
    *(
        (f"a: {text}", 1, "a value that begins with ! is a tag; quote it if it is text")
        for text in ('!x"', "!<x", "!<>", "!%zz", "!%ff", "!e!x b")
    ),
    # Directives.
    *(
        (f"a: 1\n---\n{text}\n---\nb: 1", 3, "a line that begins with % is a directive, which kubectl does not read")
        for text in (
            "%YAML 1.1", "% x", "%YAML! 1", "%YAML x", "%YAML 1x", "%YAML 1.1x", "%YAML 1.1 x", "%YAML 2.0",
            "%TAG !!x", '%TAG ! x"', "%TAG x y", "%TAG !x y", "%YAML 1.1\n%YAML 1.1", "%TAG ! x\n%TAG ! y",
        )
    ),
    # Characters.
    ("a: 1\nb: \x01", 2, "a control character; remove it"),
]  # fmt: skip
"""Texts, each with the line and what is said."""

UNREACHABLE = {
    "expected a single document in the stream": "several documents are read",
    "found duplicate anchor %r; first occurrence": "an anchor may be used again",
    "(no text)": "the reader gets text, and decodes nothing",
}
"""What PyYAML never says here, with the reason."""


@pytest.mark.parametrize(("text", "line", "words"), EXAMPLES)
def test_an_error_is_a_sentence_with_its_line(text: str, line: int, words: str) -> None:
    with pytest.raises(DocumentError) as raised:
        load_yaml(text)

    assert (raised.value.line, raised.value.problem[: len(words)]) == (line, words)
    assert "; " in raised.value.problem


def test_each_error_of_pyyaml_has_an_example() -> None:
    raised = {site for text, _, _ in EXAMPLES if (site := raised_at(text))}

    assert sorted(set(sites()) - raised) == []


def test_an_error_of_pyyaml_without_an_example_is_found() -> None:
    fewer = {site for text, _, _ in EXAMPLES if "\\d" not in text and (site := raised_at(text))}

    assert [function for _, function, _ in set(sites()) - fewer] == ["scan_flow_scalar_non_spaces"]


def sites() -> Iterator[tuple[str, str, int]]:
    """Yield where PyYAML raises an error that can be reached: module, function, and line."""
    for name in ("reader", "scanner", "parser", "composer"):
        tree = ast.parse((Path(yaml.__file__).parent / f"{name}.py").read_text(encoding="utf-8"))
        for function in (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)):
            for node in ast.walk(function):
                if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
                    texts = [part.value for part in ast.walk(node.exc) if isinstance(part, ast.Constant)]
                    if not UNREACHABLE.keys() & (set(texts) or {"(no text)"}):
                        yield name, function.name, node.lineno


def raised_at(text: str) -> tuple[str, str, int] | None:
    """Return where PyYAML raises the error about *text*; None if it is not PyYAML that finds it."""
    try:
        load_yaml(text)
    except DocumentError as error:
        cause = error.__cause__
        assert cause is not None
        frame = traceback.extract_tb(cause.__traceback__)[-1]
        module = re.search(r"/yaml/(\w+)\.py$", frame.filename)
        return (module[1], frame.name, frame.lineno or 0) if module else None
    raise AssertionError(text)
