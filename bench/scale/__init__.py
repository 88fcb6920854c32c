"""Measures events with many MyResources on a real control plane: ``make scale N=1000``.

An event is one of :mod:`bench.scale.events`: all are created, Metacontroller restarts, the hook is upgraded, and so on.
For each event it measures how long it takes until nothing happens any more, the CPU time of each process, the calls of
the hook, and the requests and writes to the API server. An operator in Go (bench/peers/go-operator) is measured in the
same run, for the events that it knows.

    __main__       the command
    features       the older comparison: what each feature costs when all are created
    events         the events
    measurement    what an event took and used
    parents        the MyResources, and which of them are Ready
    cluster        the control plane, with an emulated kubelet and an operator
    report         the table, and the JSON file
"""
