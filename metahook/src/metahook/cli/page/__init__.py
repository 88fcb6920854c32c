"""The page: a parent's life, to look at and to touch, in a browser.

It is a demo of any hook in a simulated cluster. The browser sends what is done, and when; it gets the whole history
back, and draws the state of any moment. Nothing is stored here. A file of ``simulate --html`` is the same page with a
history inside, and needs no server. Only development mode serves it.

    routes      what the browser asks for: the page, errors of a text, a simulation
    session     runs what was done in a simulated cluster, within limits
    history     a history as JSON, for the page
    document    the page as one HTML document, which loads nothing

The files of the page are beside them: ``page.html``, ``page.css`` and the scripts. Imports point down this list.
"""
