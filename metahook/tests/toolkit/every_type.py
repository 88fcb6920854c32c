"""A struct with a field of each type that a CRD can say."""

import uuid
from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta, Raw, field


class Size(Enum):
    """Values."""

    SMALL = "small"
    LARGE = "large"


class Nested(msgspec.Struct):
    """An item."""

    key: str


class EveryType(msgspec.Struct, rename="camel"):
    """Has a field of each type."""

    text: Annotated[str, Meta(min_length=1, max_length=5, pattern="^[a-z]+$", description="A text.")]
    whole: Annotated[int, Meta(gt=0, lt=10, multiple_of=2)]
    nullable: str | None
    other_size: Size | None
    level: Literal[1, 2] | None
    number: Annotated[float, Meta(ge=-1.5, le=1.5)] = 0.5
    is_on: bool = True
    optional: Literal["a"] | None = None
    max_surge: Annotated[int, Meta(ge=0)] | Annotated[str, Meta(pattern="^[0-9]+%$")] = "25%"
    size: Size = Size.SMALL
    nested: Nested = field(default_factory=lambda: Nested("a"))
    items: Annotated[list[Nested], Meta(min_length=1, max_length=3)] = field(default_factory=lambda: [Nested("a")])
    labels: Annotated[dict[str, Annotated[str, Meta(max_length=3)]], Meta(max_length=2)] = {}
    anything: Any = None
    raw: Raw = Raw(b"null")
    data: bytes = b""
    day: date | None = None
    at: datetime | None = None
    id: uuid.UUID | None = None
    keyed: Annotated[
        list[Nested],
        Meta(extra_json_schema={"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["key"]}),
    ] = []
