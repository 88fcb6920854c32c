"""Files that commands read and write: manifests, objects that kubectl printed, recorded requests.

The rule of this package: a file may hold anything. Input that can't be used is an InputError that names the file, the
object and the remedy; no command acts on a part of a file. Imports nothing of the commands.

    documents          reads YAML or JSON, with the help of yaml_documents
    manifest           objects in files, with the line of each of their fields
    metadata           the types of the fields of metadata
    controller_fields  the types of the fields of a controller
    recordings         recorded requests, and the times in them
    yaml_documents     reads and writes YAML as kubectl does
"""
