"""All checks in one Blender: a line of JSON says how each went.

Run by ``tests/blender/test_extension.py``, once for each Blender that is at hand.
"""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import checking
import checks
import music_checks
import pose_checks
import rig_checks
import scene_checks

checking.main(checks, rig_checks, scene_checks, pose_checks, music_checks)
