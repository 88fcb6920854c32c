"""Kubernetes' own schemas, strict: a field that a version does not know is an error."""

import functools
from typing import Any

from kubernetes_validate import utils

# The package reads and parses two files for each object, the larger one with all definitions of a version.
utils.schema_contents = functools.cache(utils.schema_contents)


def validate(item: dict[str, Any], version: str) -> None:
    """Raise kubernetes_validate.ValidationError if *item* is not valid in this *version* of Kubernetes."""
    utils.validate(item, version, strict=True)
