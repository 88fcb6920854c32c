"""What ``make scale`` measures with, as far as it needs no control plane."""

import os
import time

import pytest

from bench.features import FEATURES
from bench.scale import HEAD, Run, row, size_of
from bench.usage import Usage, cpu


def test_the_cpu_of_a_process_grows_with_its_work_and_not_with_time() -> None:
    start = cpu(os.getpid())
    time.sleep(0.3)
    idle = cpu(os.getpid()) - start
    end = time.process_time() + 0.3
    while time.process_time() < end:
        pass

    assert idle <= 0.2
    assert cpu(os.getpid()) - start >= 0.28


def test_a_row_says_how_many_times_as_much_as_without_rules() -> None:
    plain = Run(FEATURES[0], 20, 10.0, Usage(2.0, 1.0, 8.0, 400, 200))
    done = Run(FEATURES[2], 20, 15.0, Usage(5.0, 1.0, 10.0, 500, 210) - Usage(1.0, 0.0, 0.0, 0, 0))

    cells = row(done, plain).strip("| ").split(" | ")

    assert cells == ["20", "and Pods", "2", "15.0 s (1.5)", "4.0 s (2.0)", "1.0 s (1.0)", "10.0 s (1.2)", "500", "210"]
    assert len(cells) == len(HEAD.strip("| ").split(" | "))


@pytest.mark.parametrize("text", ["", "abc", "0", "-1", "1e3", "10001"])
def test_a_number_that_is_none_is_refused_with_a_sentence(text: str) -> None:
    with pytest.raises(SystemExit, match="make scale N=200"):
        size_of(text)


def test_a_number_is_taken() -> None:
    assert size_of("1000") == 1000
