"""A project: the files of a new hook, from the templates beside this module.

The rule of this package: it renders text, and writes nothing. A template is Python's own ``string.Template``.

    names         what a user gives: the name of the project, the kind of its parents, and the kinds of its children
    files         the text of each file
    children      the text of children.py
    expectations  what the tests expect of the children
"""
