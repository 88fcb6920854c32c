"""Small models, and the structural schema of a field."""

from enum import Enum
from typing import Any

from pydantic import Field, create_model

from app.api.schema.structural import structural
from app.api.values.model import Model, Rule


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
