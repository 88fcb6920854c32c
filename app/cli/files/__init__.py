"""MyResources in files: what is wrong with one.

    metadata    the names that the API server requires of metadata
    validation  what is wrong with a MyResource

:mod:`metahook.commands` reads the files.
"""
