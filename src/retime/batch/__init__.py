"""Batches: one recipe mapped over a library, on this machine or a cluster, sorted by a gate.

``plan`` lists the work and the names of results, ``clip_recipes`` makes the recipe of each clip,
and ``task`` processes one clip. ``isolation`` runs it in a process that can be killed, ``backends``
distributes the work, ``manifest`` records results, and ``run`` connects them. Nothing is imported
here, because workers need little of it.
"""
