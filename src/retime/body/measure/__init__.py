"""Measure motions and warps: slides, jerk, flights, likeness of moments, and what is suspicious."""
