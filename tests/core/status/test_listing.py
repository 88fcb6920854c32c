from app.core.reasons import MOST, listing


def test_things_are_said_in_their_order_and_once() -> None:
    assert listing(["b", "a", "b"]) == "b, a"
    assert listing([1, 2], "; ") == "1; 2"
    assert listing([]) == ""


def test_what_does_not_fit_is_others() -> None:
    third = "x" * (MOST // 3)

    assert listing([third, f"{third}y", f"{third}z"]) == f"{third}, {third}y, and others"


def test_the_first_always_fits() -> None:
    assert listing(["x" * MOST]) == "x" * MOST
    assert listing(["x" * MOST, "y"]) == "x" * MOST + ", and others"
