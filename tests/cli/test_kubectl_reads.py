"""Files are read as kubectl reads them, and values are accepted where the API server accepts what kubectl sends.

``tests/e2e/test_kubectl_reads.py`` records the data again.
"""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from app.cli.bound import problems
from metahook.cli.errors import DocumentError, InputError
from metahook.cli.files import yaml_documents
from metahook.cli.files.manifests import read_manifests
from metahook.cli.files.yaml_documents import dump_yaml, load_yaml
from tests.cli.kubectl_reads import PLACES, ReadFile, Scalar, recorded
from tests.requests.builders import Json, my_resource

LOST = {
    "Latin-1 in a value": "byte 0xe9 is not UTF-8",
    "the end of a document, and another": "text after a value that is a whole document",
    "text after a document": "text after a value that is a whole document",
    "JSON with a key twice": "key 'a' is repeated",
    "JSON with half of a character": "half of a character",
    "a key twice": "key 'a' is repeated",
}
"""Files of which kubectl loses a part without a word, and what is said here."""
EMPTY = {"an empty file", "comments alone", "separators alone", "null"}
"""Files without objects, which a command refuses later."""


def test_there_are_scalars_of_every_type_and_for_every_place() -> None:
    scalars = recorded()["scalars"]

    assert len({row["yaml"] for row in scalars}) >= 150
    assert {type(value) for row in scalars for value in row["sent"] or ()} == {str, int, float, bool, type(None)}
    assert {name for row in scalars for name in row["accepted"]} == set(PLACES)
    assert any(row["sent"] is None for row in scalars)


def test_every_scalar_is_read_as_kubectl_sends_it_or_refused() -> None:
    assert list(differences(recorded()["scalars"])) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [(r"y|Y|yes", "yes"), (r"[-+]?0[oO]?[0-7]+", r"[-+]?0[0-7]+"), (r"[-+]?0[xX][0-9a-fA-F]+", "0x[0-9a-f]+")],
    ids=["y is a string", "0o17 is a string", "no sign in hexadecimal"],
)
def test_a_rule_that_kubectl_does_not_have_is_found(old: str, new: str, monkeypatch: pytest.MonkeyPatch) -> None:
    known = yaml_documents.SCALARS
    rows = [(tag, re.compile(row.pattern.replace(old, new)), value) for tag, row, value in known]
    assert rows != known
    monkeypatch.setattr(yaml_documents, "SCALARS", rows)

    assert list(differences(recorded()["scalars"]))


def differences(scalars: Iterable[Scalar]) -> Iterator[str]:
    """Yield how the reader differs from kubectl, and the verdict on what is read from that of the API server."""
    for row in scalars:
        value, key = read(f"value: {row['yaml']}"), read(f"{row['yaml']}: value")
        if not same(value, None if row["sent"] is None else {"value": row["sent"][0]}):
            yield f"{row['yaml']}: {value}, and kubectl sends {row['sent']}"
            continue
        if not same(key, row["key"]):
            yield f"{row['yaml']} as a key: {key}, and kubectl sends {row['key']}"
        accepted = [name for name, place in PLACES.items() if value and accepts(place(value["value"]))]
        if accepted != row["accepted"]:
            yield f"{row['yaml']}: {accepted}, and the API server accepts {row['accepted']}"


def read(spec: str) -> Any:
    """Return what is below ``spec:``; None if that is refused."""
    try:
        (found,) = load_yaml(f"spec:\n  {spec}\n")
    except DocumentError:
        return None
    assert isinstance(found, dict)
    return found["spec"]


def same(one: Any, other: Any) -> bool:
    """Tell whether both are the same value of JSON: in Python, true is 1, and 3 is 3.0."""
    return repr(one) == repr(other)


def accepts(fields: Json) -> bool:
    """Return whether a MyResource with *fields* is valid."""
    return not problems(my_resource(**fields))


@pytest.mark.parametrize("row", recorded()["files"], ids=[row["what"] for row in recorded()["files"]])
def test_every_file_is_read_as_kubectl_reads_it_or_refused_where_kubectl_refuses_or_loses(
    row: ReadFile, tmp_path: Path
) -> None:
    file = tmp_path / "thing.yaml"
    file.write_bytes(row["content"].encode("latin-1"))

    try:
        found: Any = [manifest.content.get("spec") for manifest in read_manifests(str(file))]
    except InputError as error:
        found = str(error)

    if row["what"] in LOST:
        assert row["sent"]
        assert LOST[row["what"]] in found
    elif row["refused"] and row["what"] not in EMPTY:
        assert isinstance(found, str)
        assert re.match(rf"{re.escape(str(file))}:\d+: not .+; .+", found), found
    else:
        assert found == row["sent"]


@pytest.mark.parametrize("text", [row["yaml"] for row in recorded()["scalars"]])
def test_a_string_is_written_so_that_every_reader_reads_a_string(text: str) -> None:
    item = {"value": text, "items": [text, {text: text}]}

    written = dump_yaml(item)

    assert load_yaml(written) == [item]
    assert yaml.safe_load(written) == item
