from bench.comparison.goals import GOALS, slower, verdicts
from bench.comparison.results import GO, Measured, Results
from tests.bench.made_up import LARGE, USUAL, results

COMMITTED = results()


def without(name: str) -> Results:
    """Return results without the server *name*."""
    (measured,) = COMMITTED.measured
    figures = {each: figure for each, figure in measured.figures.items() if each != name}
    return Results({}, 1, [Measured(measured.scenario, figures)], {})


def test_the_same_results_are_not_slower() -> None:
    assert slower(COMMITTED, COMMITTED) == []


def test_a_hook_that_became_slower_is_named() -> None:
    """The negative control of ``make bench CHECK=1``: a hook that burns 30 % more CPU."""
    (line,) = slower(results(hook=130), COMMITTED)

    assert line.startswith("6 KB unchanged, 5 connections: 0.93 x the CPU of http.server (was 0.71)")


def test_noise_is_not_slower() -> None:
    assert slower(results(hook=120), COMMITTED) == []


def test_a_machine_on_which_everything_takes_longer_makes_nothing_slower() -> None:
    assert slower(results(hook=300, http_server=420, fastapi=750, go=120), COMMITTED) == []


def test_a_peer_that_became_faster_makes_nothing_slower() -> None:
    assert slower(results(go=20), COMMITTED) == []


def test_without_go_the_other_peers_decide() -> None:
    assert slower(without(GO), COMMITTED) == []
    assert len(slower(results(hook=130), without(GO))) == 1


def test_a_scenario_that_is_new_is_not_slower() -> None:
    assert slower(results(LARGE, hook=1000), COMMITTED) == []


def test_a_goal_is_met_up_to_its_ratio_and_not_beyond() -> None:
    met = verdicts(results(hook=80, http_server=100, fastapi=160))
    missed = verdicts(results(hook=82, http_server=100, fastapi=161))

    assert [each.is_met for each in met] == [True] * 4
    assert [each.is_met for each in missed] == [False, False, True, True]
    assert met[0].text == "6 KB unchanged, 5 connections: 0.80 x the CPU of http.server, within 0.8 x"
    assert missed[0].text == "6 KB unchanged, 5 connections: 0.82 x the CPU of http.server, NOT within 0.8 x"


def test_a_goal_that_was_not_measured_has_no_verdict() -> None:
    assert {goal.scenario for goal in GOALS} == {USUAL, LARGE}
    assert len(verdicts(results(USUAL))) == 4
    assert len(verdicts(results(LARGE))) == 1


def test_a_single_round_has_no_verdict_about_p99() -> None:
    assert [each.text for each in verdicts(results(rounds=1)) if "p99" in each.text] == []
    assert len([each.text for each in verdicts(results()) if "p99" in each.text]) == 2
