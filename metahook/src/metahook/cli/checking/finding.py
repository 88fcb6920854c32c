"""Findings: what is wrong with a hook or its manifests, each as one line."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Finding:
    """*name* is that of the rule, *place* a file with a line, or a hook and a parent; *message* has the remedy.

    *command* repeats it; *example* has the objects that it needs, in YAML, for its standard input.
    """

    name: str
    place: str
    message: str
    command: str = ""
    example: str = ""
