"""Quantities against the spelling that Kubernetes gives them."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app.api.resources import canonical, milli
from metahook.cli.files.cel import quantity

KNOWN: dict[int | str, str] = {
    "0": "0", "0Mi": "0", "0m": "0", "1": "1", "1000m": "1", "1500m": "1500m", "0.1": "100m", "1.001": "1001m",
    "1000": "1k", "1024": "1024", "1.5k": "1500", "1000000": "1M", "1048576": "1048576", "1.5G": "1500M",
    "1Ki": "1Ki", "0.5Ki": "512", "0.001Ki": "1024m", "1000Ki": "1000Ki", "1024Ki": "1Mi", "0.5Mi": "512Ki",
    "00128Mi": "128Mi", "1024Mi": "1Gi", "1.5Gi": "1536Mi", "1.2Gi": "1288490188800m", "1024Gi": "1Ti",
    "999999Ti": "999999Ti", 0: "0", 1: "1", 1000: "1k", 1024: "1024", 10**15 - 1: "9" * 15,
}  # fmt: skip
"""Quantities, and what a Deployment that asks for them reads back."""

plain = st.builds("{}{}".format, st.integers(0, 10**15 - 1), st.sampled_from(["", "m"]))
scaled = st.builds(
    "{}{}{}".format,
    st.integers(0, 999_999),
    st.sampled_from(["", *(f".{digits}" for digits in ("0", "5", "25", "50", "125", "1", "001", "999", "375"))]),
    st.sampled_from(["", "k", "M", "G", "T", "Ki", "Mi", "Gi", "Ti"]),
)
quantities = plain | scaled


@pytest.mark.parametrize(("written", "stored"), [pytest.param(*pair, id=repr(pair[0])) for pair in KNOWN.items()])
def test_a_quantity_is_spelled_as_kubernetes_stores_it(written: int | str, stored: str) -> None:
    assert canonical(written) == stored


@pytest.mark.parametrize("text", ["", "x", "Mi", ".5", "1.", "-1", "1 Gi", "1e3", "1Gi\n", "٣", "1E", "1n", "1K"])
def test_what_is_no_quantity_of_ours_raises(text: str) -> None:
    with pytest.raises(ValueError, match="not a quantity"):
        milli(text)


@given(quantities)
def test_milli_is_what_the_quantity_says(written: str) -> None:
    assert milli(written) == quantity(written) * 1000


@given(quantities)
@example("62.5Ki")
def test_canonical_keeps_the_amount_without_a_fraction_and_a_unit_that_a_larger_one_replaces(written: str) -> None:
    stored = canonical(written)

    assert milli(stored) == milli(written)
    assert canonical(stored) == stored
    assert "." not in stored
    assert stored == "0" or stored.endswith("i") or not stored.rstrip("mkMGTP").endswith("000")
    assert not stored.endswith("i") or int(stored[:-2]) % 1024 > 0
