"""Development mode: logs each call with what changed in the response.

The rule of this package: it never changes a response of a hook, and it is not for clusters. The log has names,
paths of fields, and the values of the status. It has no other values; of a Secret it has only the name and the fields.
The text of an exception is the exception: it has whatever the hook has put there.

    mode            turns it on
    calls           a *call* is a request to a hook; it is logged with its duration and the difference
    response_lines  what differs between two *responses* to one parent, in lines

Imports protocol, and the log of the server. ``mode`` is imported only if development mode is on: by
:func:`metahook.server.app.create_app`, and by ``hook_router``.
"""
