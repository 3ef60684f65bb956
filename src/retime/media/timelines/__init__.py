"""Timelines: export a warp as keys or as cuts, and retime lists of events."""
