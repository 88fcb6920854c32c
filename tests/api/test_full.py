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


@pytest.mark.parametrize("path", BOUNDED, ids=list(BOUNDED))
def test_a_list_at_all_its_bounds_is_accepted_by_the_api_server_and_the_hook(path: str) -> None:
    fields = filled(path)
    spec, resource = {"spec": fields}, stored(my_resource(**fields))
    strings = {below: node for below, node in NODES.items() if below.startswith(path) and node.get("type") == "string"}
    longest = {
        below: max(map(len, texts)) - node["maxLength"]
        for below, node in strings.items()
        if "enum" not in node and below not in BOUNDED_TOGETHER and (texts := at(below, spec))
    }

    assert [len(items) for items in at(path, spec)] == [BOUNDED[path]]
    assert set(longest.values()) <= {0}
    assert refusals(resource) == []
    assert isinstance(read_stored(resource), MyResourceSpec)
