"""Every node of the CRD's schema is free of faults."""

import pytest

from tests.api.apiserver import SCHEMA, Node, nodes
from tests.api.faults import FAULTS


@pytest.mark.parametrize("fault", FAULTS)
def test_no_node(fault: str) -> None:
    assert [node.path for node in nodes(SCHEMA) if FAULTS[fault](node)] == []


def test_a_fault_would_be_found() -> None:
    odd = Node("spec.x", {"anyOf": [], "pattern": "a", "description": "a word"})

    assert len([fault for fault in FAULTS if FAULTS[fault](odd)]) == 4
