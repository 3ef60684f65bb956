"""
A kick that arrives earlier
===========================

Make a kick from five key poses, then move its foot 0.12 s earlier. The whole leg follows, so that
the foot reaches its position in space at the requested time. The rest of the body keeps its timing.
"""

import retime

stand = retime.samples.jump()
rest = retime.Pose(stand.rotations[0], {"Hips": stand.root_translation[0]})
swing_back = {"RightUpLeg": [40, 0, 0], "RightLeg": [70, 0, 0], "LeftArm": [-40, 0, 0]}
swing_back |= {"RightArm": [30, 0, 0], "Spine": [8, 0, 0]}
strike = {"RightUpLeg": [-80, 0, 0], "RightLeg": [8, 0, 0], "LeftArm": [40, 0, 0]}
strike |= {"RightArm": [-50, 0, 0], "Spine": [-12, 0, 0]}
poses = retime.StaggeredPoses.from_poses(
    stand.skeleton, [rest] * 5, [0.0, 0.5, 0.8, 1.1, 1.8], fps=60, units=stand.units
)
poses = poses.turn(swing_back, poses=[1]).turn(strike, poses=[2])
kick = poses.turn({"RightUpLeg": [-30, 0, 0], "RightLeg": [40, 0, 0]}, poses=[3]).motion(
    constraints="free"
)

key = retime.SurfaceKey(time=0.8, joint="RightFoot", shift=-0.12)
early = retime.Recipe([retime.Step("surface", {"keys": [key]})]).evaluate(kick)
figure = retime.plot.overlay(kick, early, start=0.5, end=1.0, joint="RightFoot")

# %%
# A note gives the measured arrival.

print(*[note for note in early.notes if "arrives" in note], sep="\n")
