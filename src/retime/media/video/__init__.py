"""Video: footage of a motion, retimed by the motion's warp."""

from retime.media.video.footage import Result, retime_video

__all__ = ["Result", "retime_video"]
