"""Lists and maps at their bounds: what the bounds allow, every rule and the hook allow too."""

import pytest

from app.api.spec import MyResourceSpec
from tests.api.apiserver import at, read_stored, refusals, stored
from tests.api.full import BOUNDED, NODES, filled
from tests.requests.builders import my_resource

BOUNDED_TOGETHER = {
    "spec.service.annotations{}",  # all values together hold at most 65536 characters
    "spec.podMetadata.annotations{}",
    "spec.dnsConfig.searches[]",  # all together have at most 2048
    "spec.volumes[].projected.sources[].downwardAPI.items[].fieldRef.fieldPath",  # the key in it is at most 253 long
}
lists = pytest.mark.parametrize("path", BOUNDED, ids=list(BOUNDED))


@lists
def test_a_full_list_holds_as_many_items_as_it_can(path: str) -> None:
    (items,) = at(path, {"spec": filled(path)})

    assert len(items) == BOUNDED[path]


@lists
def test_a_full_list_holds_strings_as_long_as_they_can_be(path: str) -> None:
    spec = {"spec": filled(path)}
    strings = {below: node for below, node in NODES.items() if below.startswith(path) and node.get("type") == "string"}
    longest = {
        below: max(map(len, texts)) - node["maxLength"]
        for below, node in strings.items()
        if "enum" not in node and below not in BOUNDED_TOGETHER and (texts := at(below, spec))
    }

    assert set(longest.values()) <= {0}


@lists
def test_a_full_list_is_accepted_by_the_api_server_and_the_hook(path: str) -> None:
    resource = stored(my_resource(**filled(path)))

    assert refusals(resource) == []
    assert isinstance(read_stored(resource), MyResourceSpec)
