"""What a CRD can't say raises, so that a new pydantic release or a new field fails here and not in a cluster."""

from enum import Enum
from typing import Annotated, Any, Literal

import pytest
from pydantic import AnyUrl, BaseModel, ConfigDict, Field, create_model

from app.api.schema.structural import structural


class Colour(Enum):
    """A colour."""

    RED = "red"


class Part(BaseModel):
    """A part, with a default that is null."""

    maybe: int | None = None


class Tree(BaseModel):
    """A tree."""

    branches: list["Tree"]


class Closed(BaseModel):
    """Refuses what it does not know."""

    model_config = ConfigDict(extra="forbid")
    number: int


@pytest.mark.parametrize(
    ("annotation", "default", "words"),
    [
        *(
            (annotation, ..., "CRD")
            for annotation in (
                *(set[int], tuple[int, str], AnyUrl, Any, dict[str, Any], list[Any], Closed, None),
                *(Part | Colour, int | bool, str | int, int | str | bool, Literal["a", 1]),
                Annotated[int, Field(gt=0)],
                Annotated[int, Field(examples=[1])],
                Annotated[str, Field(json_schema_extra={"format": "uri"})],
                Annotated[str, Field(json_schema_extra={"x-kubernetes-unheard-of": True})],
                dict[Annotated[str, Field(pattern="^a$")], int],
            )
        ),
        (Tree, ..., "contains itself"),
        (Part, Part(), "null"),
    ],
    ids=str,
)
def test_what_a_crd_cannot_say_raises(annotation: Any, default: Any, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        structural(create_model("Made", field=(annotation, Field(default=default))))
