"""Measures shards on a real control plane: ``make shards N=400``.

The same MyResources are split into 1, 2 and 4 shards with a Metacontroller each. Measured are the creation of all, a
restart of every Metacontroller, and the CPU time of an event of a related kind, which each Metacontroller receives.

    run          one number of shards, from the first MyResource to the restart
    crowd        the MyResources, and how to wait for them
    load         CPU time, memory and calls of the processes
    report       the table, and the JSON in build/shards.json that bench.sizing reads
"""
