"""Timelines: a warp as keys, as cuts in an editor, and the events that it carries along."""
