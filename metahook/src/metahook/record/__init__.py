"""Records the requests to a hook, and its responses, as a proxy in front of it. The hook knows nothing of it.

The rule of this package: a recording neither changes nor fails a call, and no file has what is redacted.

Nouns: the *proxy* forwards each request to the hook, and a *copy* keeps what passes, as long as there is memory for it.
The *recorder* writes an *exchange*, which is a request with its response, to a file in the *folder*. The *redaction*
keeps the texts of the *kept fields*, and replaces all others by *placeholders*. The *command* is ``python -m
metahook.record``; an operator makes its own, with a redaction that knows its hook.

Imports server, for its clock and its log, and protocol.
"""
