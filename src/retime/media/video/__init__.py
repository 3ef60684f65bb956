"""Video: footage of a motion, retimed by the motion's warp."""

from retime.media.video.footage import RetimedVideo, retime_video
from retime.media.video.length_film import film_lengths

__all__ = ["RetimedVideo", "film_lengths", "retime_video"]
