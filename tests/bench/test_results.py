import pytest

from bench.comparison.results import HOOK, Sample, decoded, figures, percentile
from tests.bench.made_up import results


@pytest.mark.parametrize(("share", "expected"), [(0.5, 50), (0.99, 99), (0.991, 100), (1.0, 100), (0.001, 1)], ids=str)
def test_a_percentile_is_the_least_value_that_so_many_do_not_exceed(share: float, expected: int) -> None:
    assert percentile(list(range(100, 0, -1)), share) == expected


def test_a_percentile_of_one_value_is_that_value() -> None:
    assert percentile([7.0], 0.99) == 7.0


def test_a_ratio_is_the_median_of_the_ratios_within_each_round() -> None:
    """In the second round everything took three times as long, which changes no ratio."""
    rounds = [
        {HOOK: Sample(100, 1, 2), "peer": Sample(200, 1, 4)},
        {HOOK: Sample(300, 3, 6), "peer": Sample(600, 3, 12)},
        {HOOK: Sample(100, 1, 2), "peer": Sample(400, 1, 1)},
    ]

    peer = figures(rounds)["peer"]

    assert (peer.cpu, peer.p50, peer.p99) == (400, 1, 4)
    assert (peer.cpu_ratio.median, peer.cpu_ratio.least, peer.cpu_ratio.most) == (0.5, 0.25, 0.5)
    assert (peer.p99_ratio.median, peer.p99_ratio.least, peer.p99_ratio.most) == (0.5, 0.5, 2.0)


def test_results_are_read_as_they_are_written() -> None:
    assert decoded(results().encoded()) == results()
