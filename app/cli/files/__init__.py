"""Files that commands read and write: manifests, objects that kubectl printed, recorded requests.

The rule of this package: a file may hold anything. What can't be used is an InputError that names the file, the object
and the remedy, and no command acts on a part of a file. Imports nothing of the commands.
"""
