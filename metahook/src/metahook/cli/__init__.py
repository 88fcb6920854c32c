"""The command ``metahook``: tries any hook of Metacontroller, in any language, without a cluster.

The rule of this package: it connects the parts. Files, standard output and exit codes are handled here; the simulator
decides what happens. It knows no kind of parent, so a command of an operator may be thin over it. An error is one line
on standard error that names the place, the problem and the remedy. Exit codes: 0 success; 1 a finding or a difference;
2 an error.

    main         the commands; each is a module, imported when it is called
    program      runs the commands, and turns errors into one line and an exit code
    binding      what only a program of one controller knows; another command line uses metahook.commands
    options      the options that the commands share
    manifests    a controller and its CRDs in files, with the line of each field
    objects      the parents and other objects in files
    hooks        the hook that ``--hook`` names: a URL, or a Controller in a file or a module
    requests     the requests that Metacontroller would send for objects in files; *live_objects* for those of a cluster
    remote_hook  calls a hook at a URL, with the *credentials*
    files        reads and writes the files of users
    comparison   compares responses and children
    checking     the checks of ``metahook check``
    simulation   runs a simulation, and shows its timeline
    project      the files of a new project, from templates

Imports record, server, simulator and protocol. Nothing of metahook imports it.
"""
