"""A program that is missing is named with how to get it."""

from pathlib import Path

import pytest

from toolkit.programs import Missing, find, find_or_skip


@pytest.fixture(name="bare")
def _bare(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """Return the one folder in which programs are looked up."""
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def test_a_program_is_found_under_each_of_its_names(bare: Path) -> None:
    (bare / "chromium-browser").touch(0o755)

    assert find("chromium", "chromium-browser") == str(bare / "chromium-browser")
    with pytest.raises(Missing):
        find("chromium")


@pytest.mark.usefixtures("bare")
def test_a_test_without_its_program_is_skipped_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)

    with pytest.raises(pytest.skip.Exception, match=r"^promtool is not installed: .*apt-get install prometheus$"):
        find_or_skip("promtool")


@pytest.mark.usefixtures("bare")
def test_in_hosted_ci_a_test_without_its_program_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CI", "true")

    with pytest.raises(pytest.fail.Exception, match=r"^promtool is not installed"):
        find_or_skip("promtool")
