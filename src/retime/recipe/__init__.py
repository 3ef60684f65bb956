"""Recipes: ordered steps with one resampling at the end."""

from __future__ import annotations

from retime.recipe.recipe import Recipe, Solved, Step, snap_duration

__all__ = ["Recipe", "Solved", "Step", "snap_duration"]
