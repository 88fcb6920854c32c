"""MyResources in files, and the requests that are made from them.

The rule of this package: a file may hold anything. Input that can't be used is an InputError that names the file, the
object and the remedy; no command acts on a part of a file. Imports nothing of the commands.

    metadata      the names that the API server requires of metadata
    validation    what is wrong with a MyResource
    requests      the requests that Metacontroller would send for objects in files
    live_objects  the requests for objects of a cluster

:mod:`metahook.cli.files` reads the files.
"""
