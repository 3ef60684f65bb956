"""Sound that follows a warp."""
