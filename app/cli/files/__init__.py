"""Files that commands read and write: manifests, objects that kubectl printed, recorded requests.

The rule of this package: a file may hold anything. Input that can't be used is an InputError that names the file, the
object and the remedy; no command acts on a part of a file. Imports nothing of the commands.

    documents     reads objects from YAML or JSON, with the help of yaml_documents
    metadata      the types and names that the API server requires of metadata
    validation    what is wrong with a MyResource
    requests      the requests that Metacontroller would send for objects in files
    recordings    recorded requests, and the times in them
    live_objects  the requests for objects of a cluster
    yaml_documents  reads and writes YAML as kubectl does
"""
