"""What is logged and counted.

The rule of this package: nothing of a request is in it, beyond the kind, namespace, name, uid and generation of its
parent, the controller's own reasons, and what the hook puts in fields of its own.

    telemetry        what happens to requests and connections goes to the log and to the metrics
    hook_call        what the log and the metrics say about a call of a hook
    refusals         refusals for the same cause have one id, and are counted instead of logged each
    metrics          for Prometheus
    logs             how the log is written: as JSON, or for people
    log_event        a message of the log with its fields
    log_rate         how many calls are logged in a second
    error_location   where in the code an error happened

Imports limits, refusals and protocol.
"""
