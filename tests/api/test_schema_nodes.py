"""Every node of the CRD's schema is free of faults; each fault would be found."""

import pytest

from tests.api.apiserver import SCHEMA, Node, nodes
from tests.api.faults import FAULTS, Fault
from tests.requests.builders import Json


@pytest.mark.parametrize("fault", [pytest.param(fault, id=fault.what) for fault in FAULTS])
def test_no_node(fault: Fault) -> None:
    assert [node.path for node in nodes(SCHEMA) if fault.found(node)] == []


@pytest.mark.parametrize(
    ("fault", "schema"),
    [
        pytest.param(fault, schema, id=f"{fault.what} {number}")
        for fault in FAULTS
        for number, schema in enumerate(fault.shown_by)
    ],
)
def test_a_node_would_be_found_that(fault: Fault, schema: Json) -> None:
    assert fault.found(Node(fault.at, schema))
