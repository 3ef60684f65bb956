"""The figure: segments, rigid bodies, their path, and the forces along it."""
