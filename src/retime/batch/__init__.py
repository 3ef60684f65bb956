"""Batches: one recipe mapped over a library, on this machine or a cluster, sorted by a gate.

``plan`` says what is to be done and under which names, ``clip_recipes`` what the recipe says for
each clip, ``task`` does one clip, ``isolation`` keeps it in a process that can be killed,
``backends`` says where, ``manifest`` remembers what was done, and ``run`` brings them together.
Nothing is imported here: workers need little of it.
"""
