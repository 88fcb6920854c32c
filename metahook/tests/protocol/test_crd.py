"""CRDs from structs. tests/e2e/test_generated_parents.py has them, and objects made from them, on an API server."""

from typing import Annotated, Any, Literal

import msgspec
import pytest
from msgspec import Meta

from metahook import Conditions, Kind, crd
from metahook.protocol.crd import NotStructural, structural
from toolkit.every_type import EveryType, Nested

SITE = Kind("example.com/v1", "StaticSite", "staticsites")


class SiteSpec(msgspec.Struct):
    """A site,
    and its text.

    It is static.
    """

    image: Annotated[str, Meta(min_length=1)]
    """Image of the
    web server."""
    replicas: Annotated[int, Meta(ge=0, le=100)] = 2


class SiteStatus(msgspec.Struct, rename="camel"):
    """Of a site."""

    is_ready: bool = False


def test_a_crd_has_a_structural_schema_the_status_subresource_and_typed_columns() -> None:
    columns = {"Replicas": ".spec.replicas", "Ready": ".status.isReady", "Image": ".spec.image", "Other": ".x.y"}

    assert crd(SITE, SiteSpec, SiteStatus, columns=columns, short_names=["site"]) == {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "staticsites.example.com"},
        "spec": {
            "group": "example.com",
            "names": {
                "kind": "StaticSite",
                "listKind": "StaticSiteList",
                "plural": "staticsites",
                "singular": "staticsite",
                "shortNames": ["site"],
            },
            "scope": "Namespaced",
            "versions": [
                {
                    "name": "v1",
                    "served": True,
                    "storage": True,
                    "subresources": {"status": {}},
                    "additionalPrinterColumns": [
                        {"name": "Replicas", "type": "integer", "jsonPath": ".spec.replicas"},
                        {"name": "Ready", "type": "boolean", "jsonPath": ".status.isReady"},
                        {"name": "Image", "type": "string", "jsonPath": ".spec.image"},
                        {"name": "Other", "type": "string", "jsonPath": ".x.y"},
                        {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"},
                    ],
                    "schema": {
                        "openAPIV3Schema": {
                            "type": "object",
                            "required": ["spec"],
                            "properties": {
                                "apiVersion": {"type": "string"},
                                "kind": {"type": "string"},
                                "metadata": {"type": "object"},
                                "spec": {
                                    "type": "object",
                                    "description": "A site, and its text.\n\nIt is static.",
                                    "required": ["image"],
                                    "properties": {
                                        "image": {
                                            "type": "string",
                                            "minLength": 1,
                                            "description": "Image of the web server.",
                                        },
                                        "replicas": {
                                            "type": "integer",
                                            "format": "int64",
                                            "minimum": 0,
                                            "maximum": 100,
                                            "default": 2,
                                        },
                                    },
                                },
                                "status": {
                                    "type": "object",
                                    "description": "Of a site.",
                                    "properties": {
                                        "isReady": {"type": "boolean", "default": False},
                                        "observedGeneration": {"type": "integer", "format": "int64"},
                                    },
                                },
                            },
                        }
                    },
                }
            ],
        },
    }


def test_a_spec_without_required_fields_has_a_default_and_a_crd_may_be_cluster_scoped() -> None:
    made = crd(Kind("example.com/v1", "Tenant", "tenants", namespaced=False), SiteStatus, Conditions)["spec"]
    schema = made["versions"][0]["schema"]["openAPIV3Schema"]

    assert made["scope"] == "Cluster"
    assert "required" not in schema
    assert schema["properties"]["spec"]["default"] == {}
    assert "additionalPrinterColumns" not in made["versions"][0]


def test_each_type_has_its_schema() -> None:
    fields = structural(EveryType, "spec")["properties"]
    nested = {
        "type": "object",
        "description": "An item.",
        "required": ["key"],
        "properties": {"key": {"type": "string"}},
    }

    assert fields == {
        "text": {"type": "string", "minLength": 1, "maxLength": 5, "pattern": "^[a-z]+$", "description": "A text."},
        "whole": {
            "type": "integer",
            "format": "int64",
            "minimum": 0,
            "exclusiveMinimum": True,
            "maximum": 10,
            "exclusiveMaximum": True,
            "multipleOf": 2,
        },
        "number": {"type": "number", "minimum": -1.5, "maximum": 1.5, "default": 0.5},
        "isOn": {"type": "boolean", "default": True},
        "optional": {"type": "string", "enum": ["a"]},
        "nullable": {"type": "string", "nullable": True},
        "maxSurge": {"x-kubernetes-int-or-string": True, "minimum": 0, "pattern": "^[0-9]+%$", "default": "25%"},
        "size": {"type": "string", "enum": ["small", "large"], "default": "small"},
        "otherSize": {"type": "string", "enum": ["small", "large"]},
        "level": {"type": "integer", "enum": [1, 2]},
        "nested": {**nested, "default": {"key": "a"}},
        "items": {"type": "array", "minItems": 1, "maxItems": 3, "items": nested, "default": [{"key": "a"}]},
        "labels": {"type": "object", "maxProperties": 2, "additionalProperties": {"type": "string", "maxLength": 3}},
        "anything": {"x-kubernetes-preserve-unknown-fields": True},
        "raw": {"x-kubernetes-preserve-unknown-fields": True},
        "data": {"type": "string", "format": "byte"},
        "day": {"type": "string", "format": "date"},
        "at": {"type": "string", "format": "date-time"},
        "id": {"type": "string", "format": "uuid"},
        "keyed": {
            "type": "array",
            "items": nested,
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["key"],
        },
    }


class Tagged(msgspec.Struct, tag=True):
    """One of several structs."""


@pytest.mark.parametrize(
    ("type_", "message"),
    [
        (tuple[int, str], "spec.field: a CRD can't say tuple; use another type"),
        (list[set[str]], r"spec.field\[\]: a CRD can't say set"),
        (dict[int, str], "spec.field: a CRD can't say a map whose keys"),
        (int | bool, "spec.field: a CRD can't say a union other than"),
        (Literal["a", 1], "spec.field: a CRD can't say values of several types"),
        (Tagged, "spec.field: a CRD can't say a struct that is an array or has a tag"),
        (Annotated[int, Meta(extra_json_schema={"maximum": 5})], "spec.field: a CRD can't say maximum here"),
    ],
)
def test_what_a_crd_cannot_say_is_refused_with_its_path(type_: Any, message: str) -> None:
    with pytest.raises(NotStructural, match=message):
        structural(msgspec.defstruct("Spec", [("field", type_)]), "spec")


class Recursive(msgspec.Struct):
    """Contains itself."""

    inner: "Recursive | None" = None


def test_a_struct_that_contains_itself_is_refused() -> None:
    with pytest.raises(NotStructural, match="spec: Recursive contains itself"):
        structural(Recursive, "spec")


def test_examples_of_a_value_are_left_out() -> None:
    type_ = Annotated[Nested, Meta(examples=["a"], title="A title")]

    assert "examples" not in structural(msgspec.defstruct("Spec", [("field", type_)]), "spec")["properties"]["field"]


def test_values_of_a_default_that_are_null_are_left_out() -> None:
    class Optional(msgspec.Struct, frozen=True):
        kept: int = 1
        gone: int | None = None

    schema = structural(msgspec.defstruct("Spec", [("field", Optional, Optional())]), "spec")

    assert schema["properties"]["field"]["default"] == {"kept": 1}


def test_a_kind_without_a_group_has_no_crd() -> None:
    with pytest.raises(ValueError, match="Site: a CRD needs a group"):
        crd(Kind("v1", "Site", "sites"), SiteSpec, SiteStatus)


def test_a_struct_whose_docstring_begins_lines_at_the_margin_has_no_texts_of_fields() -> None:
    class Marginal(msgspec.Struct):
        size: int
        """In
at the margin."""

    assert structural(Marginal, "spec")["properties"] == {"size": {"type": "integer", "format": "int64"}}
