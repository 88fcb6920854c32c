"""How the server starts and stops.

The rule of this package: no request is lost by a stop, and the process ends in time.

    serve       ``serve``: serves controllers until a signal
    server      uvicorn's server, on a socket that is open already
    listener    accepts the connections of a socket
    shutdown    the steps of a stop
    health      the app for health and metrics
    address     where to listen
    allocator   gives the memory of large bodies back to the kernel

Imports all other layers.
"""
