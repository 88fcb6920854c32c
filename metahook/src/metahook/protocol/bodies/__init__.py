"""The bodies of requests and responses: their JSON, their size, and how they are read.

    bodies           one struct for each body
    reading          reads JSON as a type, or names the rule of the type that it breaks
    malformed        the rules of a request, and the error that names the one that a body breaks
    request_limits   how many objects a request may have, and how much memory they may take

Imports objects.
"""
