"""The hook that a command calls, and what it calls it with.

    named_hook     the hook that ``--hook`` names: a URL, or a Controller in a file or a module
    remote_hook    calls a hook at a URL, with the *credentials*
    credentials    the options for certificates and tokens
    subject        the hook that a command is about, in a simulated cluster
    requests       the requests that Metacontroller would send for objects in files, or of a cluster

Imports files and errors.
"""
