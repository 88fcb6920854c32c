"""What all objects of Kubernetes have in common, and the plain JSON that they are.

    object       the base of observed objects: only the fields that are read
    kind         a kind of objects, as Kubernetes names it
    manifest     an object as it is sent
    conditions   those of a status
    changes      the paths at which two objects differ
    plain_json   what may be sent: no null, and no number that Go reads as another one
    printable    text for a terminal or a log

Imports nothing else of the protocol.
"""
