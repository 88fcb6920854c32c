"""From pydantic's JSON schema to a structural one: what is kept, and what is rewritten."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, create_model

from app.api.schema.structural import structural
from app.api.values.model import IntOrString, ListMap, Model, Rule
from tests.api.small_models import PART, Colour, Part, field

EVEN = Rule("must be even", lambda number: number % 2 == 0, cel="self % 2 == 0")
SMALL = Rule("must be small", lambda number: number < 9, cel="self < 9")
SHORT = Rule("must be short", lambda text: len(text) < 3, cel="self.size() < 3")
OUTER = Rule("must be outer", lambda _: True, cel="true")
HOOK_ONLY = Rule("must please the hook", lambda _: True)
RULES = "x-kubernetes-validations"


def test_a_model_becomes_an_object_with_its_docstring_and_aliases() -> None:
    class Whole(Model):
        """A whole."""

        one_part: int
        """Its part."""

    assert structural(Whole) == {
        "type": "object",
        "description": "A whole.",
        "properties": {"onePart": {"type": "integer", "description": "Its part."}},
        "required": ["onePart"],
    }


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (str, {"type": "string"}),
        (Annotated[str, Field(pattern="^a$", min_length=1, max_length=2)], {
            "type": "string", "pattern": "^a$", "minLength": 1, "maxLength": 2,
        }),
        (Annotated[int, Field(ge=1, le=9)], {"type": "integer", "minimum": 1, "maximum": 9}),
        (Annotated[str, Field(json_schema_extra={"format": "date-time"})], {"type": "string", "format": "date-time"}),
        (Annotated[int, Field(json_schema_extra={"format": "int32"})], {"type": "integer", "format": "int32"}),
        (Annotated[int, Field(json_schema_extra={"format": "int64"})], {"type": "integer", "format": "int64"}),
        (Annotated[list[int], Field(min_length=1, max_length=2)], {
            "type": "array", "items": {"type": "integer"}, "minItems": 1, "maxItems": 2,
        }),
        (Annotated[dict[str, int], Field(max_length=2)], {
            "type": "object", "additionalProperties": {"type": "integer"}, "maxProperties": 2,
        }),
        (Literal["a", "b"], {"type": "string", "enum": ["a", "b"]}),
        (Literal["a"], {"type": "string", "enum": ["a"]}),
        (Colour, {"type": "string", "description": "A colour.", "enum": ["red", "blue"]}),
        (Part, PART),
        (list[Part], {"type": "array", "items": PART}),
        (Annotated[list[Part], ListMap(("number",))], {
            "type": "array",
            "items": PART,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["number"],
        }),
        (Annotated[int, EVEN, HOOK_ONLY], {
            "type": "integer", RULES: [{"rule": "self % 2 == 0", "message": "must be even"}],
        }),
        (Annotated[Part, OUTER], {**PART, RULES: [*PART[RULES], *OUTER.crd()]}),
        (Annotated[int | str, IntOrString("must be an amount", 0, 9, "^[0-9]%$", 2)], {
            "x-kubernetes-int-or-string": True, "minimum": 0, "maximum": 9, "pattern": "^[0-9]%$", "maxLength": 2,
        }),
        (Annotated[int, Field(ge=0), EVEN] | Annotated[str, Field(max_length=2), SHORT], {
            "x-kubernetes-int-or-string": True, "minimum": 0, "maxLength": 2, RULES: [*EVEN.crd(), *SHORT.crd()],
        }),
    ],
    ids=lambda value: str(value).split(" at 0x")[0],  # the same in every process
)  # fmt: skip
def test_what_a_crd_can_say_is_said(annotation: Any, schema: dict[str, Any]) -> None:
    assert field(annotation) == schema


def test_a_default_is_kept() -> None:
    assert field(int, default=1) == {"type": "integer", "default": 1}


@pytest.mark.parametrize(
    ("annotation", "schema"),
    [
        (int | None, {"type": "integer"}),
        (None | int, {"type": "integer"}),
        (Part | None, PART),
        (Annotated[int | str, Field()] | None, {"x-kubernetes-int-or-string": True}),
        (Annotated[int, EVEN, SMALL] | None, {"type": "integer", RULES: [*EVEN.crd(), *SMALL.crd()]}),
        (
            Annotated[Annotated[int, EVEN] | None, SMALL],
            {"type": "integer", RULES: [*EVEN.crd(), *SMALL.crd()]},
        ),
    ],
    ids=lambda value: str(value).split(" at 0x")[0],
)
def test_an_optional_field_is_its_type_and_rules_without_null_or_default(annotation: Any, schema: Any) -> None:
    assert field(annotation, default=None) == schema


def test_keys_beside_a_reference_or_an_optional_field_win() -> None:
    class Whole(Model):
        """A whole."""

        part: Part = Field(default=Part(number=1), json_schema_extra={"default": {}})
        """Its part."""
        other: Part | None = None
        """Another."""

    assert structural(Whole)["properties"] == {
        "part": {**PART, "description": "Its part.", "default": {}},
        "other": {**PART, "description": "Another."},
    }


def test_a_field_called_title_stays() -> None:
    made = create_model("Made", title=(str, ...))

    assert structural(made)["properties"] == {"title": {"type": "string"}}


def test_a_model_that_stands_twice_is_no_recursion() -> None:
    made = create_model("Made", one=(Part, ...), other=(list[Part], ...))

    assert structural(made)["properties"] == {"one": PART, "other": {"type": "array", "items": PART}}
