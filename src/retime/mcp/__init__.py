"""A server for assistants: it measures, proposes, refuses with a reason, and shows the result.

Front end of the Model Context Protocol. ``requests.py`` declares the tools, ``server.py`` speaks
the protocol, and ``worker.py`` does the work in a child process that can open nothing but the
folder. There, ``plans.py`` reads what is asked for, and ``results.py`` says what came of it.
"""
