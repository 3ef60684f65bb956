"""A problem that the user can fix: a sentence for Blender's report."""


class Problem(Exception):
    """Something about the scene, the engine or a file; the text says what to do."""
