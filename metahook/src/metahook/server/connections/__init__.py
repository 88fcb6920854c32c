"""What is read from a connection, and what is refused: sizes, memory, time.

The rule of this package: a client takes neither memory nor time beyond the limits, whatever it sends.

    connection    a connection: gives uvicorn what arrives, once it is known to be within the limits
    incoming      follows the requests that arrive on a connection
    connections   how many connections there may be, and which one is closed for a new one
    responses     what an app sends on its connection, and what it sends if it is cut off
    overload      refuses requests over the limit of those at the same time
    transport     the transport as uvicorn gets it: nothing is written to one that is closed
    deadline      what happens if something does not happen in time
    body          reads the body of a request, also under other servers
    body_memory   the memory that all bodies take together

Imports limits, refusals, the place of an error from telemetry, and the sizes of protocol.
"""
