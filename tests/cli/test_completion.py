"""Shell completion: a script for each shell, which completes commands, options, files and the words of explain."""

import pytest

from tests.cli.command import call


def printed(instruction: str, words: str = "", place: int = 0) -> str:
    """Return what the command prints for the *instruction* of a completion script."""
    variables = {"_MYRESOURCE_COMPLETE": instruction, "COMP_WORDS": words, "COMP_CWORD": str(place)}
    with pytest.MonkeyPatch.context() as environment:
        for name, value in variables.items():
            environment.setenv(name, value)
        ended = call()
    assert (ended.code, ended.err) == (0, "")
    return ended.out


@pytest.mark.parametrize(
    ("words", "place", "completed"),
    [
        pytest.param("myresource rep", 1, ["plain,replay"], id="a command"),
        pytest.param("myresource render --ob", 2, ["plain,--observed"], id="an option"),
        pytest.param("myresource render -o r", 3, ["plain,response"], id="a value"),
        pytest.param("myresource render -f exa", 3, ["file,exa"], id="a file"),
        pytest.param("myresource diff --against exa", 3, ["file,exa"], id="a file to compare with"),
        pytest.param("myresource explain Degr", 2, ["plain,Degraded"], id="a word to explain"),
    ],
)
def test_words_options_and_files_are_completed(words: str, place: int, completed: list[str]) -> None:
    assert printed("bash_complete", words, place).splitlines() == completed


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell_is_printed(shell: str) -> None:
    assert "_MYRESOURCE_COMPLETE" in printed(f"{shell}_source")
