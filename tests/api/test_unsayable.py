"""What a CRD can't say raises, so that a new pydantic release or a new field fails here and not in a cluster."""

from datetime import timedelta
from decimal import Decimal
from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, Json, SecretStr, create_model

from app.api.crd import structural
from app.api.model import Model, Rule


class Part(Model):
    """A part."""

    number: int = 0
    """How many."""

    rules = (Rule("must have a number", lambda part: part.number > 0, cel="has(self.number)"),)


class Colour(Enum):
    """A colour."""

    RED = "red"
    BLUE = "blue"


def field(annotation: Any, *, default: Any = ...) -> dict[str, Any]:
    """Return the structural schema of a model's only field."""
    made = create_model("Made", field=(annotation, Field(default=default)))
    (schema,) = structural(made)["properties"].values()
    return dict(schema)


class Tree(BaseModel):
    """A tree."""

    branches: list["Tree"]


class Hen(BaseModel):
    """Lays eggs."""

    eggs: list["Egg"]


class Egg(BaseModel):
    """Becomes a hen."""

    hen: Hen | None


class Closed(BaseModel):
    """Refuses what it does not know."""

    model_config = ConfigDict(extra="forbid")
    number: int


@pytest.mark.parametrize("model", [Tree, Hen, Egg], ids=str)
def test_a_model_that_contains_itself_raises(model: type[BaseModel]) -> None:
    with pytest.raises(ValueError, match="contains itself"):
        structural(model)


@pytest.mark.parametrize(
    "annotation",
    [
        set[int], frozenset[str], tuple[int, str], Decimal, bytes, AnyUrl, timedelta, Json[int], SecretStr, Any,
        dict[str, Any], list[Any], Closed, Part | Colour, int | bool, str | int, int | str | bool, Literal["a", 1],
        Annotated[int, Field(gt=0)],
        Annotated[int, Field(multiple_of=2)],
        Annotated[int, Field(examples=[1])],
        Annotated[int, Field(deprecated=True)],
        Annotated[str, Field(json_schema_extra={"format": "uri"})],
        Annotated[str, Field(json_schema_extra={"format": "float"})],
        Annotated[str, Field(json_schema_extra={"readOnly": True})],
        Annotated[str, Field(json_schema_extra={"x-kubernetes-unheard-of": True})],
        dict[Annotated[str, Field(pattern="^a$")], int],
        dict[Annotated[str, Field(max_length=2)], int],
        None,
    ],
    ids=str,
)  # fmt: skip
def test_what_a_crd_cannot_say_raises(annotation: Any) -> None:
    with pytest.raises(ValueError, match="CRD"):
        field(annotation)


def test_a_discriminated_union_raises() -> None:
    class Cat(BaseModel):
        kind: Literal["cat"]

    class Dog(BaseModel):
        kind: Literal["dog"]

    with pytest.raises(ValueError, match="CRD"):
        field(Annotated[Cat | Dog, Field(discriminator="kind")])


def test_a_default_with_a_null_in_it_raises() -> None:
    class Whole(BaseModel):
        maybe: int | None = None

    with pytest.raises(ValueError, match="null"):
        field(Whole, default=Whole())
