"""Video: footage of a motion, retimed by the motion's warp."""

from retime.media.video.footage import RetimedVideo, retime_video

__all__ = ["RetimedVideo", "retime_video"]
