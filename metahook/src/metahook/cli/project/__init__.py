"""A project: the files of a new hook, from the templates beside this module.

The rule of this package: it renders text, and writes nothing.

    names      what a user gives: the name of the project, the kind of its parents, and the kinds of its children
    files      the text of each file
    templates  the files of a project with every kind of child; ``shared`` by composite controllers and decorators
"""
