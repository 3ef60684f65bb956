"""Align two whole takes: the path of least distance, and a smooth curve beside it."""
