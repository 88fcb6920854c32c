"""MyResource's controller: what the service serves and what the command line runs."""

from app.core.customize import customize
from app.core.identity import CHILDREN
from app.core.sync import sync
from app.hooks import Controller

MYRESOURCE = Controller(sync=sync, customize=customize, children=CHILDREN)
