"""From pydantic's JSON schema to a structural one: what is kept, and what is rewritten."""

from typing import Annotated, Any, Literal

import pytest
from pydantic import Field, create_model

from app.api.schema.structural import structural
from app.api.values.model import IntOrString, ListMap, Model, Rule
from tests.api.small_models import PART, Colour, Part, field

EVEN = Rule("must be even", lambda number: number % 2 == 0, cel="self % 2 == 0")
SMALL = Rule("must be small", lambda number: number < 9, cel="self < 9")
HOOK_ONLY = Rule("must please the hook", lambda _: True)


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
        (Annotated[int, EVEN], {
            "type": "integer", "x-kubernetes-validations": [{"rule": "self % 2 == 0", "message": "must be even"}],
        }),
    ],
    ids=lambda value: str(value).split(" at 0x")[0],  # the same in every process
)  # fmt: skip
def test_what_a_crd_can_say_is_said(annotation: Any, schema: dict[str, Any]) -> None:
    assert field(annotation) == schema


def test_a_default_is_kept() -> None:
    assert field(int, default=1) == {"type": "integer", "default": 1}


@pytest.mark.parametrize("annotation", [int | None, None | int], ids=str)
def test_an_optional_field_is_its_type_without_null_or_default(annotation: Any) -> None:
    assert field(annotation, default=None) == {"type": "integer"}


def test_an_optional_model_is_the_model() -> None:
    assert field(Part | None, default=None) == PART


def test_an_optional_int_or_string_is_one_int_or_string() -> None:
    assert field(Annotated[int | str, Field()] | None, default=None) == {"x-kubernetes-int-or-string": True}


def test_int_or_string_has_the_bounds_of_both_on_one_node() -> None:
    amount = IntOrString("must be an amount", minimum=0, maximum=9, pattern="^[0-9]%$", max_length=2)

    assert field(Annotated[int | str, amount]) == {
        "x-kubernetes-int-or-string": True,
        "minimum": 0,
        "maximum": 9,
        "pattern": "^[0-9]%$",
        "maxLength": 2,
    }


def test_bounds_of_the_branches_are_hoisted() -> None:
    schema = field(Annotated[int, Field(ge=0)] | Annotated[str, Field(max_length=2)])

    assert schema == {"x-kubernetes-int-or-string": True, "minimum": 0, "maxLength": 2}


def test_rules_of_both_branches_are_kept() -> None:
    short = Rule("must be short", lambda text: len(text) < 3, cel="self.size() < 3")

    schema = field(Annotated[int, EVEN] | Annotated[str, short])

    assert schema["x-kubernetes-validations"] == [*EVEN.crd(), *short.crd()]


def test_rules_of_a_model_and_of_its_field_are_concatenated() -> None:
    outer = Rule("must be outer", lambda _: True, cel="true")

    assert field(Annotated[Part, outer])["x-kubernetes-validations"] == [
        *PART["x-kubernetes-validations"],
        *outer.crd(),
    ]


def test_rules_of_an_optional_field_are_kept() -> None:
    optional = field(Annotated[int, EVEN, SMALL] | None, default=None)
    outside = field(Annotated[Annotated[int, EVEN] | None, SMALL], default=None)

    assert optional["x-kubernetes-validations"] == [*EVEN.crd(), *SMALL.crd()]
    assert outside["x-kubernetes-validations"] == [*EVEN.crd(), *SMALL.crd()]


def test_a_rule_that_cel_cannot_say_is_not_in_the_schema() -> None:
    assert field(Annotated[int, EVEN, HOOK_ONLY])["x-kubernetes-validations"] == EVEN.crd()


def test_keys_beside_a_reference_win() -> None:
    class Whole(Model):
        """A whole."""

        part: Part = Field(default=Part(number=1), json_schema_extra={"default": {}})
        """Its part."""

    assert structural(Whole)["properties"]["part"] == {**PART, "description": "Its part.", "default": {}}


def test_keys_beside_an_optional_field_win() -> None:
    class Whole(Model):
        """A whole."""

        part: Part | None = None
        """Its part."""

    assert structural(Whole)["properties"]["part"] == {**PART, "description": "Its part."}


def test_a_field_called_title_stays() -> None:
    made = create_model("Made", title=(str, ...))

    assert structural(made)["properties"] == {"title": {"type": "string"}}


def test_a_model_that_stands_twice_is_no_recursion() -> None:
    made = create_model("Made", one=(Part, ...), other=(list[Part], ...))

    assert structural(made)["properties"] == {"one": PART, "other": {"type": "array", "items": PART}}
