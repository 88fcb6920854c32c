"""What is answered is what Kubernetes knows: every child validates against Kubernetes' own schemas, strictly."""

import pytest
from hypothesis import given, settings

from tests.requests.builders import Json, sync
from tests.schemas.kubernetes import validate
from tests.strategies.my_resources import parents
from toolkit.slow import short_or_whole

OLDEST, NEWEST = "1.34", "1.36"


@pytest.mark.slow
@pytest.mark.parametrize("version", [OLDEST, NEWEST])
@settings(max_examples=short_or_whole(30, 150))
@given(parent=parents())
def test_every_child_is_valid_for_kubernetes(version: str, parent: Json) -> None:
    for made in sync(parent)["children"]:
        if made["kind"] != "HTTPRoute":  # tests/e2e/test_expose.py tries it with the Gateway API's own CRD
            validate(made, version)
