"""The studio: a local web application that shows and shapes timing.

``project.py`` is the document, and ``commands.py`` changes it. ``session.py`` stores it, with undo
and journal. ``worker.py`` computes in a separate process. ``hub.py`` serves the windows, ``app.py``
the network, and ``serving/guard.py`` controls access.
"""
