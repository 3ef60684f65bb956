"""The studio: a local web application that shows and shapes timing.

``project.py`` is the document and ``commands.py`` what changes it, ``session.py`` keeps it with
undo, file and journal, ``worker.py`` computes in a process of its own, ``hub.py`` serves the
windows, ``app.py`` puts them on the wire and ``serving/guard.py`` keeps strangers out.
"""
