"""AMASS and other archives of SMPL parameters: rotations of a body model's joints, and its path.

The model's own files are under licence and not read: joints are placed by published proportions of
the human body. Retimed motions are written into a copy of the archive.
"""

from retime.io.amass.reader import read_motion, recognises
from retime.io.amass.writer import write_motion

__all__ = ["read_motion", "recognises", "write_motion"]
