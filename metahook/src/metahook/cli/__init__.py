"""The command ``metahook``: tries any hook of Metacontroller, in any language, without a cluster.

The rule of this package: it connects the parts. Files, standard output and exit codes are handled here; the simulator
decides what happens. It knows no kind of parent, so a command of an operator may be thin over it. An error is one line
on standard error that names the place, the problem and the remedy. Exit codes: 0 success; 1 a finding or a difference;
2 an error.

    __main__     the script metahook
    commands     one module for each command, imported when it is called, and the options that they share
    templates    the files of a project that ``metahook new`` writes
    program      the program: it runs commands, and turns errors into one line and an exit code
    checking     the checks of ``metahook check``
    comparison   compares responses and children
    page         the page of development mode: a parent's life in a browser
    dev_log      the log of development mode
    simulation   runs a simulation, and shows its timeline
    hooks        the hook that ``--hook`` names, and the requests that Metacontroller would send to it
    files        reads and writes the files of users: manifests, objects, recordings
    binding      what only a program of one controller knows; another command line uses metahook.commands
    errors       an error of one line, and how much a document may hold
    progress     how far a command is, on a terminal

Imports point down this list, then to record, server, simulator and protocol. Nothing of metahook imports it, but its
door, metahook.commands.
"""
