"""Edits of staggered poses: their times, values, curves, tweens and reaches, each as data."""
