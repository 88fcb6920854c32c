"""Files that commands read and write: manifests, objects that kubectl printed, recorded requests.

The rule of this package: a file may hold anything. Input that can't be used is an InputError that names the file, the
object and the remedy; no command acts on a part of a file. Imports binding and errors.

    manifests       objects in files, with the line of each of their fields; a controller and its CRDs
    objects         the parents, and other objects in the cluster, and what their CRDs refuse
    cel             evaluates the rules of CRDs
    metadata        the types of the fields of metadata
    recordings      recorded requests, and the times in them
    documents       reads YAML or JSON, with the help of yaml_documents
    yaml_documents  reads and writes YAML as kubectl does, and says what is wrong with it
"""
