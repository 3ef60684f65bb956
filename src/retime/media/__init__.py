"""Video, sound and timelines that follow a warp."""
