"""The studio: a local web application that shows and shapes timing.

``project.py`` is the document and its commands, ``session.py`` keeps it with undo, file and
journal, ``worker.py`` computes in a process of its own, ``app.py`` puts them on the wire and
``guard.py`` keeps strangers out.
"""
