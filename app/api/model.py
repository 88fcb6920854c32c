"""What all models share: strict parsing, rules in CEL and Python, and the keys of Kubernetes lists."""

from collections.abc import Callable, Hashable
from functools import cache, partial
from typing import Any, ClassVar, Literal, Self, TypeVar

from msgspec import Struct
from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    ValidationInfo,
    model_validator,
)
from pydantic.alias_generators import to_camel
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

T = TypeVar("T")
L = TypeVar("L", bound=list[Any])

CEL_RULES = "x-kubernetes-validations"

NEW = "new"
"""The context of pydantic in which a value is judged as a new one, also by the rules of the CRD alone."""

HOOK_RULE = "hook_rule"
"""The type of the error for a rule without CEL: the API server stores a value that breaks it."""


def _broken(message: str, kind: str = "rule") -> PydanticCustomError:
    return PydanticCustomError(kind, "{message}", {"message": message})


def _omit(value: object) -> object:
    return (value if value.as_json() else None) if isinstance(value, Model) else (value or None)


Omitted = AfterValidator(_omit)
"""Turns a zero value (``""``, ``[]``, ``{}``, ``0``, ``false``), which means the same as no value, into None."""


class Rule(Struct, frozen=True):
    """A constraint on a value, in CEL for the API server and in Python for the hook; the two must agree.

    Without ``cel`` only the hook checks it: such a spec is stored, and its MyResource becomes ``InvalidSpec``.
    One that *judges* new values alone is in the CRD and in the commands that preview: the hook accepts stored values
    that break it. Such a rule came after the first release: an upgrade must not make a running MyResource
    ``InvalidSpec``. One that judges changes is called with the pair of the old and the new value.
    """

    message: str
    holds: Callable[[Any], bool]
    cel: str | None = None
    judges: Literal["values", "new values", "changes"] = "values"

    def check(self, value: T) -> T:
        """Return *value*; raise a pydantic error with this rule's message if the rule does not hold."""
        if not self.holds(value):
            raise _broken(self.message, "rule" if self.cel else HOOK_RULE)
        return value

    def _check_new(self, value: T, info: ValidationInfo) -> T:
        return self.check(value) if info.context == NEW else value

    def crd(self) -> list[dict[str, str]]:
        """Return this rule as it is in the CRD; an empty list if it has no CEL."""
        return [] if self.cel is None else [{"rule": self.cel, "message": self.message}]

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        if self.judges == "new values":
            return core_schema.with_info_after_validator_function(self._check_new, handler(source))
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described = handler(schema)
        rules = [*described.get(CEL_RULES, []), *self.crd()]
        return {**described, **({CEL_RULES: rules} if rules else {})}


def exactly_one(*fields: str) -> Rule:
    """Return the rule that exactly one of the *fields* (camelCase field names) of a model is set."""
    present = [f"has(self.{field})" for field in fields]
    return Rule(
        f"exactly one of {', '.join(fields[:-1])} and {fields[-1]} must be set",
        lambda model: sum(field in fields for field in model.as_json()) == 1,
        # For two fields, the comparison is the shorter form.
        cel=" != ".join(present) if len(present) == 2 else f"[{', '.join(present)}].exists_one(x, x)",
    )


class IntOrString(Struct, frozen=True):
    """Constrains ``int | str``: the bounds apply to a number, the pattern and length to a string."""

    message: str
    minimum: int
    maximum: int
    pattern: str | None = None
    max_length: int = 24

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.union_schema(
            [
                core_schema.int_schema(strict=True, ge=self.minimum, le=self.maximum),
                core_schema.str_schema(strict=True, pattern=self.pattern, max_length=self.max_length),
            ],
            custom_error_type="int_or_string",
            custom_error_message="{message}",
            custom_error_context={"message": self.message},
        )


class ListMap(Struct, frozen=True):
    """Constrains a list to items that are unique by *keys* (camelCase field names)."""

    keys: tuple[str, ...]

    def check(self, items: L) -> L:
        """Return *items*; raise a pydantic error if two of them have the same key."""
        seen = [self._key(item) for item in items]
        if len(set(seen)) < len(seen):
            message = f"must not have two items with the same {' and '.join(self.keys)}"
            raise _broken(message)
        return items

    def _key(self, item: "Model") -> Hashable:
        fields = item.as_json()
        return tuple(fields.get(key) for key in self.keys)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_after_validator_function(self.check, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        mark = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(self.keys)}
        return {**handler(schema), **mark}


class Docs(Struct, frozen=True):
    """Annotates a field of the spec with the page that describes it, by its name in website/fields.py."""

    docs: str


Owner = Literal["Deployment", "Pod", "Container"]
"""What a field of the spec is copied into: the spec of the Deployment, the one of its Pods, or a container."""


class Copied(Struct, frozen=True):
    """Annotates a field whose value *owner* gets at *path*, such as ``securityContext.fsGroup``; or else at its name.

    The template writes it, import reads it back, and the page with the name *docs* describes it.
    """

    owner: Owner
    path: str = ""
    docs: str = ""


InDeployment = partial(Copied, "Deployment")
InPod = partial(Copied, "Pod")
InContainer = partial(Copied, "Container")


@cache
def copied_fields(model: "type[Model]", owner: Owner) -> dict[tuple[str, ...], str]:
    """Return the names in Python of the fields of *model* that *owner* gets, by their paths there."""
    return {
        tuple((mark.path or field.alias or name).split(".")): name
        for name, field in model.model_fields.items()
        for mark in field.metadata
        if isinstance(mark, Copied) and mark.owner == owner
    }


def as_json(value: object) -> object:
    """Return the *value* of a field as it is in JSON."""
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return value.as_json() if isinstance(value, Model) else value


class Model(BaseModel):
    """One object of the API: frozen, camelCase in JSON, strict about types; unknown fields are ignored."""

    model_config = ConfigDict(
        strict=True,
        frozen=True,
        extra="ignore",
        alias_generator=to_camel,
        hide_input_in_errors=True,
        defer_build=True,  # a command uses few models; the service calls build
    )

    rules: ClassVar[tuple[Rule, ...]] = ()
    """Constraints between fields of this model."""

    @model_validator(mode="after")
    def _check_rules(self) -> Self:
        for rule in self.rules:
            if rule.judges == "values":
                rule.check(self)
        return self

    @classmethod
    def __get_pydantic_json_schema__(cls, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        described = handler(schema)
        rules = [entry for rule in cls.rules for entry in rule.crd()]
        if rules:
            handler.resolve_ref_schema(described)[CEL_RULES] = rules
        return described

    def as_json(self) -> dict[str, Any]:
        """Return this object as in JSON: camelCase keys, without absent fields."""
        return self.model_dump(by_alias=True, exclude_none=True)

    def copies(self, owner: Owner) -> dict[str, Any]:
        """Return what *owner* gets of this object, as in JSON, without absent fields."""
        made: dict[str, Any] = {}
        for path, name in copied_fields(type(self), owner).items():
            value = getattr(self, name)
            if value is not None:
                above = made
                for step in path[:-1]:
                    above = above.setdefault(step, {})
                above[path[-1]] = as_json(value)
        return made


def build(model: type[Model]) -> None:
    """Build the validators of the models below *model*, in the order of their definitions: one uses those before it."""
    for below in model.__subclasses__():
        below.model_rebuild()
        build(below)
