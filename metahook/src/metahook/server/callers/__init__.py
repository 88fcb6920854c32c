"""Who may call: clients with a certificate, or with a token.

The rule of this package: whoever is refused learns nothing but how to be accepted.

    tls             the server's certificate, and those that clients need
    tokens          bearer tokens
    pem             certificates, keys and CAs in files
    watched_files   files that are replaced while the server runs

Imports connections, refusals, and the sizes of protocol.
"""
