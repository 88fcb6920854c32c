"""What is wrong with a YAML document, in words, with the line where a person would look."""

import re
import sys
from typing import NoReturn, cast

import yaml
from yaml.reader import ReaderError

from metahook.cli.errors import DocumentError

_INDENTATION = "wrong indentation: nothing above begins in column {column}; align the line with those it belongs to"
_MIXED = "an item of a list and a key at the same indentation; indent the one that belongs to the other"
_TOO_DEEP = "wrong indentation: a key below a value that is complete; align it with the key above, or remove that value"
_TAB = "a tab where only spaces may be; replace it"
_NO_COLON = "a key without a colon and a space after it; write it as KEY: VALUE"
_COLON = "a colon and a space in a value; quote the value"
_CONTROL = "a control character; remove it, or save the file as text in UTF-8"
_AFTER = "text after a value that is complete; quote the whole value"
_DIRECTIVE = "a line that begins with % is a directive, which kubectl does not read; remove it"
_PROBLEMS: list[tuple[str, str]] = [
    (r"character '\\t' that cannot|block scalar.*'\\t'", _TAB),
    (r"character (?P<text>.+) that cannot", "a value can't begin with {text}; quote it"),
    (r"simple key: could not", _NO_COLON),
    (r"sequence entries are not", "an item of a list in the line of its key; put it into the next line"),
    (r"mapping keys are not", "a value can't begin with a question mark and a space; quote it"),
    (r"scanning an alias", "a value that begins with * is an alias; quote it if it is text"),
    (r"scanning an anchor", "a value that begins with & is an anchor; quote it if it is text"),
    (r" a tag: |tag handle", "a value that begins with ! is a tag; quote it if it is text"),
    (r"block scalar", "after | or > only a digit, + or - may follow; put the text into the lines below, indented"),
    (r"unknown escape", "a backslash in double quotes that begins no escape; write it twice, or use single quotes"),
    (r"hexadecimal", "an escape in double quotes without its hexadecimal digits; write the backslash twice"),
    (r"quoted scalar: found unexpected", "a quote that is not closed before the document ends; close it"),
    (
        r"flow (?P<kind>\w+): expected ','",
        "a {kind} in brackets that is not closed, or lacks a comma; look up to line {end}",
    ),
    (r"node content", "a value is missing; write it, or quote it if it begins with a bracket or a comma"),
    (r"'<document start>'", "text after a value that is a whole document; indent it, or put --- above it"),
    (r"undefined alias", "an alias without an anchor of that name above it; quote it if it is text"),
]
"""What PyYAML says, with its context before a colon, and what is said instead."""
_BEGINS = re.compile(r"simple key|quoted scalar: found|flow \w+: expected ','")
"""The problems that PyYAML notices later than a person does: they look at the line where the context begins."""
_OF_DIRECTIVES = re.compile(r"directive|document \(version|tag handle|<document start>")
_ESCAPE = re.compile(r"\\U([0-9a-fA-F]{8})")
_KINDS = {"mapping": "map", "sequence": "list", "collection": "list"}


class YamlProblem(yaml.MarkedYAMLError):
    """A problem in our words."""


def refuse(problem: str, place: yaml.Node | yaml.Event) -> NoReturn:
    """Raise the error that *problem* is wrong at *place*."""
    raise YamlProblem(problem=problem, problem_mark=cast("yaml.Mark", place.start_mark))


def described(error: Exception, text: str, first: int) -> DocumentError:
    """Return *error*, about *text* which begins in the line *first*, as a sentence with the line to look at."""
    if isinstance(error, ReaderError):
        return DocumentError(_CONTROL, text.count("\n", 0, error.position) + first)
    if not isinstance(error, yaml.MarkedYAMLError) or not error.problem_mark:
        escapes = (found.start() for found in _ESCAPE.finditer(text) if int(found[1], 16) > sys.maxunicode)
        problem = "an escape in double quotes that is no character; write the backslash twice"
        return DocumentError(problem, text.count("\n", 0, next(escapes, 0)) + first)
    found = str(error.problem), error.problem_mark.index
    problem, place = found if isinstance(error, YamlProblem) else _sentence(error, text, first)
    return DocumentError(problem, text.count("\n", 0, place) + first)


def _sentence(error: yaml.MarkedYAMLError, text: str, first: int) -> tuple[str, int]:
    """Return the *error* of PyYAML in our words, about the document *text*, with the place to look at."""
    said, mark = f"{error.context}: {error.problem}", cast("yaml.Mark", error.problem_mark)
    start = error.context_mark or mark
    if found := _layout_problem(said, text, mark, start):
        return found
    if _OF_DIRECTIVES.search(said) and (directive := re.search("^%", text, re.MULTILINE)):
        return _DIRECTIVE, directive.start()
    place = min(mark.index, len(text.rstrip()))
    for pattern, sentence in _PROBLEMS:
        if match := re.search(pattern, said):
            words = {name: _KINDS.get(word, word) for name, word in match.groupdict().items()}
            problem = sentence.format(**words, end=text.count("\n", 0, place) + first)
            return problem, start.index if _BEGINS.search(said) else place
    return "a part that is neither YAML nor JSON; correct it", place


def _layout_problem(said: str, text: str, mark: yaml.Mark, start: yaml.Mark) -> tuple[str, int] | None:
    """Return what is wrong with the indentation at *mark*, if *said* is about it, and where."""
    place = min(mark.index, len(text.rstrip()))
    above, row = text[: mark.index - mark.column].rstrip(), text[mark.index - mark.column :].partition("\n")[0]
    before = row[: mark.column]
    if "\t" in _indentation(row) and "flow" not in said:  # in brackets, tabs are spaces
        return _TAB, mark.index
    if "mapping values" in said:  # PyYAML has taken the row, and perhaps the one above it, for one value
        last = above.rfind("\n") + 1
        has_no_colon = ": " not in before and _indentation(above[last:]) == _indentation(row)
        return (_NO_COLON, last) if has_no_colon else (_COLON if ": " in before else _TOO_DEEP, place)
    if "<block end>" in said:
        sentence = _AFTER if before.strip() else _MIXED if mark.column == start.column else _INDENTATION
        return sentence.format(column=mark.column + 1), place
    return None


def _indentation(row: str) -> str:
    return row[: len(row) - len(row.lstrip())]
