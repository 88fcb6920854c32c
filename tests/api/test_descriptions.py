"""The descriptions of fields are the docstrings below them."""

from typing import Any, ClassVar

from pydantic import BaseModel, create_model

from app.api.schema.descriptions import DescribedSchema, descriptions
from app.api.values.model import Model


class Whole(Model):
    """A whole."""

    first_name: str
    """Name, in
    two lines."""
    silent: int = 0
    limit: ClassVar[int] = 5
    """No field."""

    def method(self) -> None:
        """No description of a field."""


class Larger(Whole):
    """A whole with one more field."""

    silent: int = 1
    """Not silent here."""
    other: list[Whole] | None = None
    """Others."""


def test_a_description_is_the_docstring_below_a_field() -> None:
    assert descriptions(Whole) == {"first_name": "Name, in\ntwo lines."}


def test_a_model_has_the_descriptions_of_its_bases() -> None:
    assert descriptions(Larger) == {
        "first_name": "Name, in\ntwo lines.",
        "silent": "Not silent here.",
        "other": "Others.",
    }


def test_a_model_without_a_class_statement_has_none() -> None:
    made: type[BaseModel] = create_model("Made", name=(str, ...))

    assert descriptions(made) == {}


def test_a_schema_has_them_at_the_names_of_json() -> None:
    described: dict[str, Any] = Larger.model_json_schema(schema_generator=DescribedSchema)

    assert described["properties"]["firstName"]["description"] == "Name, in\ntwo lines."
    assert "description" not in described["$defs"]["Whole"]["properties"]["silent"]
