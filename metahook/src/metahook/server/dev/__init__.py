"""Development mode: logs each call with what changed in the response, and serves pages to try the hooks.

The rule of this package: it never changes a response, and it is not for clusters. The log has names, paths, and the
values of the status; it has no other values, and nothing of a Secret but its name.

    calls        a *call* is a request to a hook; it is logged with its duration and the difference
    difference   what differs between two *responses* to one parent, in lines
    pages        ``/`` and ``/docs``
    swagger_ui   the files of Swagger UI, if they are installed

Imports protocol. :func:`metahook.server.app.create_app` uses it if ``ServerOptions.dev`` is set.
"""
