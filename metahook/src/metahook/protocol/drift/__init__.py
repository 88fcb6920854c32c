"""How observed children differ from the desired ones, and what to do about it.

    drifted_fields   fields that the hook sets, and whose observed values differ
    leftovers        fields that the hook no longer sets, and those that only others set
    removal          the command that removes such fields
    repair           the annotation that makes Metacontroller send a child again

Imports observed and objects.
"""
