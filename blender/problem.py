"""What goes wrong for a reason that the user can mend: a sentence for Blender's own report."""


class Problem(Exception):
    """Something about the scene, the engine or a file; the text says what to do."""
