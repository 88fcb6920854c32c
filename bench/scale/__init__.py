"""Measures events with many MyResources on a real control plane, and what shards change: ``make scale N=1000``.

An event is one of :mod:`bench.scale.events`: all are created, Metacontroller restarts, the hook is upgraded, and so on.
For each event it measures how long it takes until nothing happens any more, the CPU time of each process, the calls of
the hook, and the requests and writes to the API server. The same MyResources are then split into 1, 2 and 4 shards,
with a Metacontroller each. From these runs a model tells what other numbers of MyResources cost. ``make scale PEERS=1``
runs :mod:`bench.scale.comparison` instead: the same job by this operator and by others.

    __main__       the command
    events         the events, and the runs that they are parts of
    comparison     the same job by several operators, one after the other
    operators      these operators
    singles        MyResources that are created one after the other
    requests       the requests of an operator to the API server
    measurement    what an event took and used
    activity       whether anything happens
    installation   the hook, and a Metacontroller for each shard
    late           the hook, which answers late
    work           what an operator has done until now
    cluster        the control plane, with an emulated kubelet, the operator and the MyResources
    usage          what was used until then
    report         the tables, and the model
"""
