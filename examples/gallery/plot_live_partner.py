"""
Follow a performer
==================

A live aligner finds the position of a performer in a recording. Here the performer throws the
recorded punches more slowly.
"""

import retime
from retime.live import BayesAligner, tracked_points

recording, performance = retime.samples.punches(), retime.samples.sample("punches-slow").motion
aligner = BayesAligner(recording)
poses, _ = tracked_points(performance, aligner.joints)
for time, pose in zip(performance.times, poses, strict=True):
    aligner.step(pose, time)
print(f"{aligner.confidence:.0%} sure at the end")

# %%
# The alignment is a warp. Apply it to a recorded partner to play the partner in sync.

figure = retime.plot.warp({"alignment": aligner.warp})

# %%
# The performance above, the recording in the performer's time below.

partner = retime.apply(recording, aligner.warp)
figure = retime.plot.strip({"performance": performance, "recording, aligned": partner})
